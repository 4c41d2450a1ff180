// One HTTP request to one response, from what the parser left: body, handler.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <optional>

#include "server/api/routes.h"
#include "server/http/http_message.h"
#include "server/http/request_body_budget.h"

namespace hourcell {

// Decodes the body of `*request` and lets `api` answer. Errors of its own: 400 for damaged
// compression, 413 for a body over `body_bytes_max` when inflated, 415 for a
// Content-Encoding that is not known, 503 for a body that `*body`, its share of the memory of
// bodies, cannot grow for when it is inflated. A request that may not wait whose body is larger
// than kSmallBodyBytesMax when inflated must wait. A producer in the response borrows `*request`
// and `api`. REQUIRES: the request's target was parsed.
HttpResponse AnswerRequest(size_t body_bytes_max,
                           Routes* api,
                           HttpRequest* request,
                           RequestBodyBudget::Hold* body);

// Decodes the target of `*request`, unless that is done. The answer to one that cannot be decoded:
// 400.
std::optional<HttpResponse> ReadTarget(HttpRequest* request);

// The answers to a query and to a login that find too many before them: 503, to come again in a
// second.
HttpResponse TooManyQueries();
HttpResponse TooManyLogins();

}  // namespace hourcell
