// Deletes and counts the histograms that a query selects. point_deleter.h and point_counter.h do
// the same with its points. Thread-safe.

#pragma once

#include <cstdint>

#include <absl/status/statusor.h>

#include "codec/rows/row_key.h"
#include "engine/deletion/series_dropper.h"
#include "engine/histograms/histogram_store.h"
#include "engine/query/query_spec.h"
#include "engine/read/query_planner.h"
#include "engine/table/table.h"

namespace hourcell {

// Borrowed.
struct HistogramDeletion {
  const QueryPlanner* planner = nullptr;
  HistogramStore* histograms = nullptr;
  SeriesDropper* dropper = nullptr;  // receives metrics with deleted histograms; null: series stay
  bool sync = false;
};

// Deletes the histograms in [start, end] of the series that the sub queries select, in several
// writes. Returns their number. Errors as Points::DeletePoints.
absl::StatusOr<uint64_t> DeleteHistograms(const HistogramDeletion& parts, const QuerySpec& spec);

// The number that DeleteHistograms would delete, in the rows of `view`.
absl::StatusOr<uint64_t> CountHistograms(const QueryPlanner& planner,
                                         const RowKeyCodec& row_keys,
                                         TableView* view,
                                         const QuerySpec& spec);

}  // namespace hourcell
