// Branch ids, as OpenTSDB computes them, and its stored rows have them:
//
//   bytes  content
//   2      number of the tree
//   4      hash of a name, for each branch below ROOT, from the top
//
// Integers are big-endian. Names with the same hash have the same id, such as "Aa" and "BB".
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

inline constexpr size_t kTreeIdBytes = 2;
inline constexpr size_t kNameHashBytes = 4;

// Java's String.hashCode of UTF-8 text.
uint32_t JavaHash(std::string_view utf8);

// The id of ROOT.
std::string RootBranchId(uint16_t tree);
void AppendNameHash(std::string_view name, std::string* id);
std::string BranchIdOf(uint16_t tree, std::span<const std::string> names);

// The bytes of an id in hex. OpenTSDB puts a 0 before an odd number of digits. kInvalidArgument:
// shorter than a tree's number, or not hex. The size need not be that of an id.
absl::StatusOr<std::string> ParseBranchId(std::string_view hex);

// REQUIRES: the id has a tree's number.
uint16_t TreeOfBranchId(std::string_view id);

}  // namespace hourcell
