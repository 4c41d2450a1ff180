// ExplainedKey: what a key of a table says, field by field: where a region begins, for people.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hourcell {

// The fields of a key that are whole, and what follows them. Names are UTF-8.
struct ExplainedKey {
  std::optional<uint64_t> salt = {};       // bucket
  std::optional<std::string> metric = {};  // the UID in hex if it has no name
  std::optional<uint32_t> time_s = {};     // seconds since 1970; of an annotation its own
  // A key without its value, at the end of the list, has an empty one.
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::string rest = {};  // bytes, in hex

  friend bool operator==(const ExplainedKey&, const ExplainedKey&) = default;
};

// The fields in one line, times in UTC, in the order of the default layout; empty for no field.
std::string KeyText(const ExplainedKey& key);

}  // namespace hourcell
