// HiddenPoints: the deletes that hide points, in memory (engine/rows/deletion_row.h has their
// rows). Finds the deletes that hide points of a row by the row's key. The table shows which
// deletes have taken their points out of the row already (hidden_rows.h).
//
// Immutable; thread-safe. A change makes a new object.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "codec/rows/row_key.h"
#include "codec/rows/uid.h"
#include "engine/hidden/tags_set.h"

namespace hourcell {

// The hidden series of one delete and metric.
struct HiddenSeries {
  uint64_t id = 0;
  Uid metric = kNoUid;
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
  TagsSet tags;
};

// The part of a row that one delete hides: points with begin <= offset < end from the row's base
// time.
struct HiddenPart {
  uint64_t id = 0;
  uint32_t begin_ms = 0;
  uint32_t end_ms = 0;
  bool is_whole = false;  // all points that the row may have
  friend bool operator==(const HiddenPart&, const HiddenPart&) = default;

  bool Has(uint32_t offset_ms) const { return offset_ms >= begin_ms && offset_ms < end_ms; }
};

class HiddenPoints {
 public:
  using List = std::vector<std::shared_ptr<const HiddenSeries>>;

  // `row_keys` is borrowed.
  HiddenPoints(const RowKeyCodec* row_keys, List list);

  bool empty() const { return list_.empty(); }
  // Whether the delete hides anything.
  bool Has(uint64_t id) const;
  const List& list() const { return list_; }

  // Sets `*parts` to the hidden parts of a stored row, of an hour or a day, ascending by id.
  // Nothing for bytes that are not a row key.
  void FindParts(std::string_view row_key, std::vector<HiddenPart>* parts) const;

 private:
  // The range of one delete: of many deletes, most are of other times than a row.
  struct Range {
    int64_t start_ms = 0;
    int64_t end_ms = 0;
    const HiddenSeries* series = nullptr;
  };

  const RowKeyCodec& row_keys_;
  const List list_;
  absl::flat_hash_map<Uid, std::vector<Range>> by_metric_;  // ascending by id
};

}  // namespace hourcell
