// SplitRestriction: rows with one prefix stay in one region. HBase's RegionSplitRestriction
// (HBASE-25766) and the truncation of its KeyPrefix and DelimitedKeyPrefix policies. Pure.
//
// Rows of a group have the same first n bytes, or the same bytes before the first delimiter. A
// point is moved to where its group begins. HBase stops there, which can leave a region that is
// never split (HBASE-23620, HBASE-26996); GroupStart and GroupEnd are the other places between
// groups, which split_point.h tries then.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

enum class RestrictionKind : uint8_t { kNone, kKeyPrefix, kDelimitedKeyPrefix };

struct SplitRestriction {
  RestrictionKind kind = RestrictionKind::kNone;
  uint64_t prefix_length = 0;  // of kKeyPrefix, bytes; 0 = no truncation
  std::string delimiter = {};  // of kDelimitedKeyPrefix; empty = no truncation

  // True if points are truncated at all.
  bool is_active() const;

  // The first min(prefix_length, size) bytes, or the bytes before the first delimiter; without a
  // delimiter, the whole key. Empty if the key begins with the delimiter: not a legal point.
  std::string_view Truncate(std::string_view key) const;

  // The least key of the key's group.
  std::string GroupStart(std::string_view key) const;

  // The least key above the group; empty if the group ends the key space.
  std::string GroupEnd(std::string_view key) const;

  friend bool operator==(const SplitRestriction&, const SplitRestriction&) = default;
};

}  // namespace hourcell
