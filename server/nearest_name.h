// What may have been meant by a name that is none: the nearest of those there are. Pure.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace hourcell {

// So much of a name is compared: a whole file of garbage may be taken for one, and comparing takes
// the product of both lengths.
inline constexpr size_t kComparedBytesMax = 128;

// The one of `names` with the smallest Levenshtein distance to `name`, the first of equals; empty
// if there are none.
std::string_view NearestName(std::string_view name, std::span<const std::string_view> names);

}  // namespace hourcell
