// Settings that are lists: "a, b, c". Pure; thread-safe.

#pragma once

#include <string_view>
#include <vector>

namespace hourcell {

std::string_view StripBlanks(std::string_view text);

// The parts between commas, without blanks around them; an empty list has 0 parts. They borrow
// `list`.
std::vector<std::string_view> ListItems(std::string_view list);

}  // namespace hourcell
