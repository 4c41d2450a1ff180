// MemberReader: the first stage of a sub-query. It reads the points of the members of all groups,
// in batches that fit the memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <absl/container/inlined_vector.h>
#include <absl/status/status.h>

#include "codec/rows/row_key.h"
#include "engine/query.h"
#include "engine/query/stages/group_by.h"
#include "engine/read/query_planner.h"
#include "engine/read/read_cost.h"
#include "engine/read/span_reader.h"

namespace hourcell {

// Thread-compatible.
class MemberReader {
 public:
  struct Settings {
    uint64_t block_cache_bytes = 0;
    size_t buckets = 0;  // of a downsampled member; 0: any number of points
  };

  // Whole hours in bounds; 0 if the bounds are empty.
  static uint64_t HoursOf(const ScanBounds& bounds);

  // All are borrowed.
  MemberReader(const SpanReader::Parts& parts,
               const QuerySpec& spec,
               const SubQuery& query,
               const SubQueryPlan& plan,
               const SeriesGroups& groups);

  // Finds the hours with rows, and chooses the method of reading. Call it once, before Read.
  absl::Status Begin(const Settings& settings);

  // True once all members were read.
  bool is_done() const { return next_ == groups_.members().size(); }
  // Reads the next batch. REQUIRES: Begin; not is_done; the batch before was released.
  absl::Status Read();
  // The members of the current batch, in the order of their groups; empty after the last batch.
  std::span<const uint32_t> batch() const { return batch_; }
  // The spans of a member of the batch.
  SeriesSpan* SpanOf(uint32_t member);
  // Gives back the memory of the batch. REQUIRES: a batch.
  void Release();

  // From the first to the last that may have stored points.
  uint64_t hours() const { return HoursOf({stored_.begin_s(), stored_.end_s()}); }
  // Of all members, as estimated.
  const ReadCost& cost() const { return cost_; }
  uint64_t expected_bytes() const;

 private:
  ReadCost EstimateFor(std::span<const uint32_t> sorted) const;
  size_t BatchSize() const;
  void Sort(std::span<const uint32_t> members);  // into sorted_

  const SpanReader::Parts& parts_;
  const QuerySpec& spec_;
  const SubQuery& query_;
  const SubQueryPlan& plan_;
  const SeriesGroups& groups_;
  Settings settings_;
  StoredRows stored_;
  ReadCost cost_;
  std::optional<SpanReader> reader_;

  std::span<const uint32_t> batch_;
  absl::InlinedVector<uint32_t, 8> sorted_;  // the batch, ascending: the order of their keys
  SpanBatch spans_;                          // of each of `sorted_`
  size_t at_ = 0;                            // in sorted_, after the last SpanOf
  size_t span_bytes_ = 0;                    // of the lease
  size_t next_ = 0;                          // members read so far
  size_t bytes_of_read_ = 0;                 // of memory, that those took
};

}  // namespace hourcell
