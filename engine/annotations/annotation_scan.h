// Scans of the annotation table: the annotations or the histograms of a set of series, or the
// global annotations, by time.
//
// A scan of series walks the keys of their metric and hours. Once it has read many rows of other
// series it seeks from one wanted series to the next. So its work is at most the smaller of the
// rows of the table and series x hours. Rows of the wanted series of the other type are read, too.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/row_key.h"
#include "codec/rows/uid.h"
#include "engine/table/table.h"

namespace hourcell {

// A row of the table. Views live until the visit returns.
struct AnnotationRow {
  std::string_view key;
  std::string_view tsuid;  // bytes; empty: global
  int64_t start_ms = 0;
  std::string_view value;  // input of ParseAnnotationCell, or a histogram's ID and bytes
};

// Called for each row. An error ends the scan, which returns it.
using AnnotationVisit = std::function<absl::Status(const AnnotationRow&)>;

// Visits the rows of the series `tsuids` (bytes, ascending, without repeats; of any metrics) with
// start_ms <= AnnotationRow::start_ms <= end_ms, in key order metric by metric. kDataLoss: a
// damaged key.
absl::Status ScanSeriesAnnotations(const RowKeyCodec& row_keys,
                                   TableView* view,
                                   std::span<const std::string_view> tsuids,
                                   int64_t start_ms,
                                   int64_t end_ms,
                                   const AnnotationVisit& visit);

// The same for histograms.
absl::Status ScanSeriesHistograms(const RowKeyCodec& row_keys,
                                  TableView* view,
                                  std::span<const std::string_view> tsuids,
                                  int64_t start_ms,
                                  int64_t end_ms,
                                  const AnnotationVisit& visit);

// Whether a series of the metric has a histogram, expired ones included.
absl::StatusOr<bool> HasHistograms(const RowKeyCodec& row_keys, TableView* view, Uid metric);

// Visits global annotations, by hour.
absl::Status ScanGlobalAnnotations(const RowKeyCodec& row_keys,
                                   TableView* view,
                                   int64_t start_ms,
                                   int64_t end_ms,
                                   const AnnotationVisit& visit);

}  // namespace hourcell
