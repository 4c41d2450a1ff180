// StoreSource: the series of a store as PromQL reads them.
//
// Labels are those of remote read (prom_labels.h), and matchers select as there. Stored series with
// equal labels are one series: if several have a point at one time, the first one in the order of
// metric and tags wins.
//
// Most series go to the visitor as they are read. Those that may have the labels of another are
// kept, and counted in `memory`, until all of the request are read: which ones can be is known from
// the names of the store (SeriesMayMeet).
//
// If a request allows it, whole rows are read by the summaries of their cells, in place of their
// points.
//
// Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query/memory_account.h"
#include "promql/columns.h"
#include "promql/labels.h"
#include "promql/series_source.h"
#include "promql/text/expression.h"
#include "server/inputs/prometheus/prom_labels.h"
#include "server/inputs/prometheus/prom_read_request.h"
#include "server/inputs/prometheus/prom_series_reader.h"

namespace hourcell {

class StoreSource final : public promql::SeriesSource {
 public:
  // All are borrowed, and outlive the object.
  StoreSource(const PromSeriesReader* reader, PromReadWork work, MemoryHold* memory)
      : reader_(*reader), work_(work), memory_(*memory) {}

  // Errors as PromSeriesReader's: kInvalidArgument for a regular expression, those of a query.
  absl::Status Read(
      const promql::SeriesRequest& request,
      absl::FunctionRef<absl::Status(const promql::Labels&, promql::PointsView)> visit) override;

 private:
  class Sink;
  enum class Taken : uint8_t;

  absl::StatusOr<bool> SeriesMayMeet(const PromReadPlan& plan);
  absl::StatusOr<bool> KeysMayMeet();

  const PromSeriesReader& reader_;
  const PromReadWork work_;
  MemoryHold& memory_;
  std::optional<bool> keys_may_meet_;  // after the first request
};

// The labels of a series that remote read gives these.
promql::Labels PromqlLabels(std::string metric, std::vector<PromLabel> labels);

// The matchers in the form of remote read.
std::vector<PromMatcher> PromMatchersOf(std::span<const promql::LabelMatcher> matchers);

}  // namespace hourcell
