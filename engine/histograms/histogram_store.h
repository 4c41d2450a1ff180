// HistogramStore: the histograms of series, as rows of the annotation table: one row for each
// instant, whose key is the series' row key with the qualifier of the instant (annotation_key.h),
// and whose value is OpenTSDB's (histogram_cell.h).
//
// A histogram replaces an earlier one of its instant. The first one of a store raises the store's
// format before it is written (store_format.h). A write is one group of the storage: all or none,
// logged by the storage and not by the journal.
//
// Reads are scans of the table (engine/annotations/annotation_scan.h). Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/row_key.h"
#include "engine/annotations/annotation_store.h"
#include "engine/table/tables.h"

namespace hourcell {

// The place and the stored form of a histogram.
struct HistogramRow {
  std::string tsuid;  // bytes
  int64_t time_ms = 0;
  std::string cell;  // as histogram_cell.h
};

class HistogramStore {
 public:
  // Borrowed. Histograms and annotations are written one group at a time, and not while the salt of
  // rows changes: `annotations` has the lock.
  HistogramStore(const RowKeyCodec* row_keys, Tables* tables, AnnotationStore* annotations)
      : row_keys_(*row_keys), tables_(*tables), annotations_(*annotations) {}

  // Writes the rows; of two at one place, the later one stays. With `sync` they survive a power
  // failure when it returns; they survive the end of the process in any case. Errors are storage's.
  absl::Status Write(std::span<const HistogramRow> rows, bool sync);

  // Deletes the histograms of the series (bytes, ascending, without repeats) in [start_ms, end_ms],
  // in several writes. Returns their number.
  absl::StatusOr<uint64_t> Delete(std::span<const std::string_view> tsuids,
                                  int64_t start_ms,
                                  int64_t end_ms,
                                  bool sync);

 private:
  const RowKeyCodec& row_keys_;
  Tables& tables_;
  AnnotationStore& annotations_;
  std::atomic<bool> format_is_raised_{false};
};

}  // namespace hourcell
