// PromReadHandler: Prometheus' remote read, so that PromQL can query all points in the store.
// Responds with samples (SAMPLES) as a snappy block. Series are read as with the aggregator `none`,
// including stale markers, within the limits and the memory of queries. Stored series with the same
// labels in remote read (prom_labels.h) are one series in the response: if several have a point at
// the same time, the first one in the order of metric and tags wins. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query.h"
#include "server/http/http_message.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/prometheus/prom_labels.h"
#include "server/inputs/prometheus/prom_read_request.h"
#include "server/inputs/prometheus/prom_selection.h"
#include "server/query/query_run.h"

namespace hourcell {

// Limit of the metrics that match a query without a metric name.
inline constexpr size_t kPromMetricsMax = 1000;

class PromReadHandler {
 public:
  // Both are borrowed and outlive the object.
  PromReadHandler(const QueryService* service, const NameRule* names, const InputSettings& settings)
      : service_(*service), names_(*names), labels_(settings) {}

  // POST /api/v1/read, with an inflated body. The response has a producer, which borrows `request`
  // and this object. 400: the body is malformed; other errors as for a query.
  HttpResponse Read(const HttpRequest& request) const;

 private:
  class Sink;

  absl::Status Answer(std::span<const PromReadQuery> queries,
                      int64_t deadline_ms,
                      QueryControl* control,
                      std::string* body) const;
  absl::StatusOr<std::vector<PromSelection>> SelectionsOf(std::span<const PromReadQuery> queries,
                                                          int64_t deadline_ms,
                                                          const QueryControl& control,
                                                          MemoryHold* memory) const;
  absl::Status AnswerQuery(const PromReadQuery& query,
                           const PromSelection& selection,
                           int64_t deadline_ms,
                           QueryControl* control,
                           Sink* sink) const;
  absl::StatusOr<std::vector<std::string>> MetricsOf(const PromSelection& selection,
                                                     int64_t deadline_ms,
                                                     QueryControl* control) const;

  // The stored names of a kind that remote read returns as `shown`, or that the rule maps it to.
  absl::StatusOr<std::vector<std::string>> StoredNames(UidKind kind,
                                                       const std::string& shown,
                                                       int64_t deadline_ms,
                                                       QueryControl* control) const;

  const QueryService& service_;
  const NameRule& names_;
  const PromLabels labels_;
};

}  // namespace hourcell
