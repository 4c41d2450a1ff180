// StoredHistograms: the native histograms of a selector, by the labels of their series, and merged
// with the numbers of these.
//
// Unlike numbers, the histograms of all series of a selector are read before the first series goes
// to the evaluation: they are stored by hours, and not by series. Of stored series with equal
// labels, the first one in the order of metric and tags wins, as for numbers; a number wins over a
// histogram of its time. OpenTSDB's histograms are left out. Thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include "codec/histograms/exponential_histogram.h"
#include "engine/append.h"
#include "engine/query/memory_account.h"
#include "promql/columns.h"
#include "promql/labels.h"
#include "server/inputs/prometheus/prom_selection.h"
#include "server/inputs/prometheus/prom_series_reader.h"

namespace hourcell {

class StoredHistograms final {
 public:
  // All are borrowed.
  StoredHistograms(const PromSeriesReader* reader, PromReadWork work, MemoryAccount* memory)
      : reader_(*reader), work_(work), hold_(memory) {}

  // Errors: those of a query; kResourceExhausted of the memory.
  absl::Status Read(const PromSelection& selection,
                    const PromReadPlan& plan,
                    const PromReadRange& range);

  bool empty() const { return series_.empty(); }

  // Adds the histograms of the series to its numbers, and forgets them. The result is `numbers`, or
  // lives until the next call.
  promql::PointsView TakeWith(const promql::Labels& labels, promql::PointsView numbers);

  // Visits the series whose histograms were not taken.
  absl::Status VisitRest(
      absl::FunctionRef<absl::Status(const promql::Labels&, promql::PointsView)> visit);

 private:
  // The metric and tags of a stored series.
  using StoredName = std::pair<std::string, std::vector<std::pair<std::string, std::string>>>;
  using ByTime = std::map<int64_t, promql::HistogramPointer>;

  absl::Status Add(const PromSelection& selection, const HistogramPoint& point);
  // Null: the selection does not take the series.
  absl::StatusOr<ByTime*> SeriesOf(const PromSelection& selection, StoredName name);

  const PromSeriesReader& reader_;
  const PromReadWork work_;
  MemoryHold hold_;
  std::map<promql::Labels, std::map<StoredName, ByTime>> series_;
  // Of the point before: those of a series follow each other.
  StoredName last_name_;
  ByTime* last_ = nullptr;
  promql::SeriesPoints merged_;  // of the last TakeWith
};

// A stored histogram as PromQL calculates with it. Without a sum, the sum is NaN.
promql::NativeHistogram NativeHistogramOf(const ExponentialHistogram& stored);

}  // namespace hourcell
