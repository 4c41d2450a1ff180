// /api/suggest and /suggest: names that begin with a prefix. Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// Answers GET (parameters type, q, max) and POST (the same as JSON). Metrics without series are
// left out unless the request has "all". The response has a producer, which borrows both.
HttpResponse HandleSuggest(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
