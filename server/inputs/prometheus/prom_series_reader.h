// PromSeriesReader: the series of a store as Prometheus sees them, by matchers: for remote read and
// for PromQL (server/promql).
//
//   const auto selection = reader.SelectionOf(matchers, work, &memory);
//   const auto plan = reader.PlanOf(*selection, work);
//   reader.Read(*plan, {.start_ms = a, .end_ms = b}, work, &sink);
//
// Series are read as with the aggregator `none`, including special values, within the limits of
// queries. The sink gets all series that pass the filters; it leaves out those that the selection
// does not take (PromSelection::TakesTags). It may get a series twice if the plan has several lists
// of filters. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/prometheus/prom_labels.h"
#include "server/inputs/prometheus/prom_read_request.h"
#include "server/inputs/prometheus/prom_selection.h"
#include "server/query/query_run.h"

namespace hourcell {

// Limit of the metrics that match a query without a metric name.
inline constexpr size_t kPromMetricsMax = 1000;

// The work of one request. Borrows.
struct PromReadWork {
  int64_t deadline_ms = 0;  // by MonotonicClock; 0 = none
  QueryControl* control = nullptr;
};

// Unix milliseconds, both inclusive.
struct PromReadRange {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  // If set, the sink may get points with weights (QuerySpec::windows).
  std::optional<WindowSpec> windows = {};
};

// The reads of a selection: each metric with each list of filters.
struct PromReadPlan {
  std::vector<std::string> metrics;  // as stored
  std::vector<PromSelection::Filters> filters;
};

class PromSeriesReader {
 public:
  // Both are borrowed and outlive the object.
  PromSeriesReader(const QueryService* service,
                   const NameRule* names,
                   const InputSettings& settings)
      : service_(*service), names_(*names), labels_(settings) {}

  const QueryService& service() const { return service_; }
  const PromLabels& labels() const { return labels_; }

  // Compiling counts as query work, within the query's time and memory: `memory` then holds
  // kPromRegexpBytes for each regular expression. kInvalidArgument as PromSelection::Create; errors
  // of a query.
  absl::StatusOr<PromSelection> SelectionOf(std::span<const PromMatcher> matchers,
                                            const PromReadWork& work,
                                            MemoryHold* memory) const;

  // The metrics of levels of rollups are among them only if they are named by `=`.
  // kResourceExhausted: more than `metrics_max` metrics match, and none is named.
  absl::StatusOr<PromReadPlan> PlanOf(const PromSelection& selection,
                                      const PromReadWork& work,
                                      size_t metrics_max = kPromMetricsMax) const;

  // Reads the points of `range`, cut to the times of a store. Errors of a query and of `sink`; a
  // name that the store does not know has no series.
  absl::Status Read(const PromReadPlan& plan,
                    const PromReadRange& range,
                    const PromReadWork& work,
                    QuerySink* sink) const;

  // The tag keys that may become the label.
  absl::StatusOr<std::vector<std::string>> KeysOf(const std::string& label,
                                                  const PromReadWork& work) const {
    return StoredNames(UidKind::kTagk, label, work);
  }

 private:
  absl::StatusOr<std::vector<std::string>> MetricsOf(const PromSelection& selection,
                                                     const PromReadWork& work,
                                                     size_t metrics_max) const;
  absl::StatusOr<bool> IsTagValue(const std::string& value, const PromReadWork& work) const;

  // The stored names of a kind that are returned as `shown`, or that the rule maps it to.
  absl::StatusOr<std::vector<std::string>> StoredNames(UidKind kind,
                                                       const std::string& shown,
                                                       const PromReadWork& work) const;

  const QueryService& service_;
  const NameRule& names_;
  const PromLabels labels_;
};

}  // namespace hourcell
