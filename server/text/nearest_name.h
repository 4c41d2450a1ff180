// Suggests the nearest known name for an unknown one. Pure.

#pragma once

#include <span>
#include <string_view>

namespace hourcell {

// The one of `names` with the smallest Levenshtein distance to `name`, the first of equals; empty
// if the distance is more than a third of the name's length.
std::string_view NearestName(std::string_view name, std::span<const std::string_view> names);

}  // namespace hourcell
