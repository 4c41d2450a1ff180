// Deletes over /api/query: DELETE, GET with method_override=delete, a body with "delete":true.
// Thread-safe.

#pragma once

#include <cstdint>

#include "server/http/http_message.h"
#include "server/query/query_request.h"
#include "server/query/query_run.h"

namespace hourcell {

// 400, for servers that do not allow it (tsd.http.query.allow_delete).
HttpResponse DeleteRefused();

// 403, for clients that are not admin.
HttpResponse DeleteForbidden();

// Answers with the result of the query, as of what is there before, and then deletes the points:
// when the response has come to its end they are gone. Differently from OpenTSDB no others of their
// hours are. An error of either is QueryError's, and cuts a response that was begun; after one of
// the deletion, as after its client hung up, a part of the points may be gone. `start_ms`: when the
// request came, by the monotonic clock. The response has a producer, which borrows `request` and
// `service`.
HttpResponse AnswerDelete(QueryRequest query,
                          int64_t start_ms,
                          const HttpRequest& request,
                          const QueryService& service);

}  // namespace hourcell
