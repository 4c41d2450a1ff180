// Tsuids one after the other, as the `series` table keeps them.
//
//   list = { length, u16 big-endian | tsuid }          length 0: no series has that place's number
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

// REQUIRES: tsuid.size() <= 65535.
void AppendToTsuidList(std::string_view tsuid, std::string* list);

// Takes the first one off the list; borrows from it. False at the end, and where the list is cut.
bool TakeTsuid(std::string_view* list, std::string_view* tsuid);

}  // namespace hourcell
