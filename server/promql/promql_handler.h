// /api/v1/query and /api/v1/query_range: PromQL over a store, answered as Prometheus 2.42 does.
//
//   query              the expression
//   time               of an instant query; default now
//   start, end, step   of a range query: at most kRangePointsMax steps
//   timeout            shortens tsd.query.timeout
//   lookback_delta     how old the last point of a series may be; default 5 minutes
//
// Times and durations as in request_params.h; in the URL or in a form. Queries have the limits, the
// memory, the timeout and the list of running queries of all queries. A response has a producer,
// which borrows `request` and `reader`. Thread-safe.

#pragma once

#include <cstdint>

#include "server/http/http_message.h"
#include "server/inputs/prometheus/prom_series_reader.h"

namespace hourcell {

inline constexpr int64_t kRangePointsMax = 11'000;  // as in Prometheus

// A request that may only be quick must wait: how long an evaluation takes is not known before it.
HttpResponse HandlePromQuery(const HttpRequest& request, const PromSeriesReader& reader);
HttpResponse HandlePromQueryRange(const HttpRequest& request, const PromSeriesReader& reader);

}  // namespace hourcell
