// RowGroups: the totals of one worker's rows, by group, for Queries::AggregateRows.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/parallel_scan.h"
#include "engine/query.h"

namespace hourcell {

class alignas(128) RowGroups {  // no two workers write to one cache line
 public:
  // Both are borrowed. `memory`: for the groups; may be null; thread-safe.
  RowGroups(const ScanSpec& rows, const RowAggregateSpec& spec, MemoryAccount* memory)
      : start_ms_(rows.start_ms), end_ms_(rows.end_ms), spec_(&spec), memory_(memory) {}

  // Adds the points of a row that count. kResourceExhausted: too many groups, or no memory left.
  absl::Status Add(const ScannedRow& row);

  // Adds another worker's groups. Errors as Add's.
  absl::Status Merge(const RowGroups& from);

  // Of all rows.
  RowTotals Total() const;
  // Ascending by the values of the first grouping, then the next; a missing tag comes first. Empty
  // without groupings.
  std::vector<RowGroup> Groups() const;

 private:
  bool Counts(int64_t ms, Value value) const;
  // The key of a row's group: for each grouping the name and a 0, or the base time, big-endian.
  void SetKey(const ScannedRow& row);
  // The group of key_, which is made if it is not there.
  absl::Status FindGroup(std::string_view key, RowTotals** totals);
  RowGroup GroupOf(std::string_view key, const RowTotals& totals) const;

  int64_t start_ms_;
  int64_t end_ms_;
  const RowAggregateSpec* spec_;
  MemoryAccount* memory_;
  std::map<std::string, RowTotals, std::less<>> groups_;
  std::string key_;
};

}  // namespace hourcell
