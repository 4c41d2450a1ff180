// What may have been meant by a name that is none: the nearest of those there are. Pure.

#pragma once

#include <span>
#include <string_view>

namespace hourcell {

// The one of `names` with the smallest Levenshtein distance to `name`, the first of equals; empty
// if more than a third of the name's letters would have to change: that was not meant.
std::string_view NearestName(std::string_view name, std::span<const std::string_view> names);

}  // namespace hourcell
