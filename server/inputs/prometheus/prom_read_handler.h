// PromReadHandler: Prometheus' remote read, so that PromQL is answered over what the store has.
// Answers samples (SAMPLES), as a block of snappy. A series is read as aggregator none reads it,
// with its stale markers, within the limits and the memory of queries. Stored series that remote
// read gives the same labels (prom_labels.h) are one in the answer: of an instant that several of
// them have, the point of the first one counts, by metric and tags. Thread-safe.

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

// The metrics that one query may be answered from, if it names none.
inline constexpr size_t kPromMetricsMax = 1000;

class PromReadHandler {
 public:
  // Both are borrowed and outlive the object.
  PromReadHandler(const QueryService* service, const NameRule* names, const InputSettings& settings)
      : service_(*service), names_(*names), labels_(settings) {}

  // POST /api/v1/read, its body inflated. The response has a producer, which borrows `request` and
  // this object. 400: no such message; else as a query.
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

  // The stored names of a kind that remote read gives as `shown`, or that the rule makes of it.
  absl::StatusOr<std::vector<std::string>> StoredNames(UidKind kind,
                                                       const std::string& shown,
                                                       int64_t deadline_ms,
                                                       QueryControl* control) const;

  const QueryService& service_;
  const NameRule& names_;
  const PromLabels labels_;
};

}  // namespace hourcell
