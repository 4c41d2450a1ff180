// Deletes over /api/query: DELETE, GET with method_override=delete, a body with "delete":true.
// Thread-safe.

#pragma once

#include <cstdint>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/http_message.h"
#include "server/query_request.h"

namespace hourcell {

// 400, for servers that do not allow it (tsd.http.query.allow_delete).
HttpResponse DeleteRefused();

// 403, for clients that are not admin.
HttpResponse DeleteForbidden();

// Answers with the result of the query, as of what is there before, and then deletes the points:
// when the response is made they are gone. Differently from OpenTSDB no others of their hours are.
// An error of either is QueryError's; after one of the deletion a part of the points may be gone.
// `start_ms`: when the request came.
HttpResponse AnswerDelete(const QueryRequest& query, int64_t start_ms, Tsdb* tsdb, Clock* clock);

}  // namespace hourcell
