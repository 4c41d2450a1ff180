// PromReadHandler: Prometheus' remote read, so that PromQL can query all points in the store.
// Responds with samples (SAMPLES) as a snappy block. Series are read as with the aggregator `none`,
// including stale markers, within the limits and the memory of queries. Stored series with the same
// labels in remote read (prom_labels.h) are one series in the response: if several have a point at
// the same time, the first one in the order of metric and tags wins. Thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <absl/status/status.h>

#include "engine/query.h"
#include "server/http/http_message.h"
#include "server/inputs/prometheus/prom_read_request.h"
#include "server/inputs/prometheus/prom_series_reader.h"

namespace hourcell {

class PromReadHandler {
 public:
  // Borrowed, and outlives the object.
  explicit PromReadHandler(const PromSeriesReader* reader) : reader_(*reader) {}

  // POST /api/v1/read, with an inflated body. The response has a producer, which borrows `request`
  // and this object. 400: the body is malformed; other errors as for a query.
  HttpResponse Read(const HttpRequest& request) const;

 private:
  class Sink;

  absl::Status Answer(std::span<const PromReadQuery> queries,
                      int64_t deadline_ms,
                      QueryControl* control,
                      std::string* body) const;

  const PromSeriesReader& reader_;
};

}  // namespace hourcell
