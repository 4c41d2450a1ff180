// /api/metrics: finds metrics by a part of their name, with their numbers of series. Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// Answers GET with the parameters find (a part of the names), order (name, series, newest) and
// limit (1 to 10,000; 100). The response has a producer, which borrows both.
HttpResponse HandleMetrics(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
