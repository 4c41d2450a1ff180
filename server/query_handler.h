// /api/query: a query from the query string or a JSON body, its result as JSON. Also /q, whose
// answers are query_page.h's.
//
// Thread-safe.

#pragma once

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/http_message.h"

namespace hourcell {

class QueryHandler {
 public:
  // Both are borrowed and outlive the object.
  QueryHandler(Tsdb* tsdb, Clock* clock) : tsdb_(tsdb), clock_(clock) {}

  // Answers GET, POST and DELETE of /api/query, GET of /q. Deletes are refused.
  HttpResponse Handle(const HttpRequest& request);

 private:
  Tsdb* const tsdb_;
  Clock* const clock_;
};

// The response for a query that failed: 400 for what the client got wrong (unknown names too), 413
// for limits and timeouts, 503 for a store that is away, else 500.
HttpResponse QueryError(const absl::Status& status);

}  // namespace hourcell
