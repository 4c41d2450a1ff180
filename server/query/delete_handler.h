// Deletes over /api/query: DELETE, GET with method_override=delete, a body with "delete":true.
// Thread-safe.

#pragma once

#include <cstdint>

#include "server/http/http_message.h"
#include "server/query/query_request.h"
#include "server/query/query_run.h"

namespace hourcell {

// 400: this server does not allow deletes (tsd.http.query.allow_delete). Dry runs are allowed.
HttpResponse DeleteRefused();

// 403: the client does not have the role admin.
HttpResponse DeleteForbidden();

// Runs the query, deletes its points, and then ends the response with the result from before the
// deletion. Unlike OpenTSDB, it keeps the other points of the same hours. An error of the query or
// the deletion becomes QueryError, and cuts a response that has begun. After an error of the
// deletion, or if the client hangs up, a part of the points may be deleted. `start_ms`: time of the
// request's arrival, by the monotonic clock. The response has a producer, which borrows `request`
// and `service`.
HttpResponse AnswerDelete(QueryRequest query,
                          int64_t start_ms,
                          const HttpRequest& request,
                          const QueryService& service);

// Deletes the points of the query, or only counts them (QueryRequest::dry_run), and answers
// {"metrics":1,"series":2,"points":3,"dryRun":false}, with "undoId" if the delete can be undone.
// Borrows and errors as AnswerDelete.
HttpResponse AnswerDeleteCounts(QueryRequest query,
                                const HttpRequest& request,
                                const QueryService& service);

}  // namespace hourcell
