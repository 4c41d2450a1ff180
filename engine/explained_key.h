// ExplainedKey: the fields of a table's key, for people: for example the start of a region.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hourcell {

// The complete fields of a key, and the remaining bytes. Names are UTF-8.
struct ExplainedKey {
  std::optional<uint64_t> salt = {};       // bucket
  std::optional<std::string> metric = {};  // or its UID in hex, without a name
  std::optional<uint32_t> time_s = {};     // seconds since 1970; of an annotation its own
  // A key without its value, at the end of the list, has an empty one.
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::string rest = {};  // bytes, in hex

  friend bool operator==(const ExplainedKey&, const ExplainedKey&) = default;
};

// The fields in one line, times in UTC, in the order of the default layout; empty for no field.
std::string KeyText(const ExplainedKey& key);

}  // namespace hourcell
