#include "engine/regions/split/split_restriction.h"

#include "codec/base/bytes.h"

// Why the places between groups are given and not only the one before the point: HBase stops at
// the beginning of the group, which is the region's own start if the group is large, and such a
// region is never split (HBASE-23620, HBASE-26996).

namespace hourcell {
namespace {

// The least key after all keys that begin with `prefix`; empty if no key is above them.
std::string AfterPrefix(std::string prefix) {
  while (!prefix.empty() && static_cast<uint8_t>(prefix.back()) == 0xFF)
    prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<uint8_t>(prefix.back()) + 1);
  return prefix;
}

}  // namespace

bool SplitRestriction::is_active() const {
  switch (kind) {
    case RestrictionKind::kKeyPrefix:
      return prefix_length > 0;
    case RestrictionKind::kDelimitedKeyPrefix:
      return !delimiter.empty();
    case RestrictionKind::kNone:
      break;
  }
  return false;
}

std::string_view SplitRestriction::Truncate(std::string_view key) const {
  if (!is_active()) return key;
  return key.substr(0, kind == RestrictionKind::kKeyPrefix ? prefix_length : key.find(delimiter));
}

std::string SplitRestriction::GroupStart(std::string_view key) const {
  const std::string_view prefix = Truncate(key);
  // Rows that begin with the delimiter are the group of the empty prefix.
  return std::string(prefix.empty() && !key.empty() ? std::string_view(delimiter) : prefix);
}

std::string SplitRestriction::GroupEnd(std::string_view key) const {
  const std::string_view prefix = Truncate(key);
  if (kind == RestrictionKind::kDelimitedKeyPrefix && prefix.size() < key.size()) {
    return AfterPrefix(std::string(prefix) + delimiter);
  }
  const bool is_whole_prefix =
      kind == RestrictionKind::kKeyPrefix && is_active() && prefix.size() == prefix_length;
  return is_whole_prefix ? AfterPrefix(std::string(prefix)) : AfterKey(key);
}

}  // namespace hourcell
