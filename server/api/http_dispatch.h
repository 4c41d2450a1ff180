// Turns one parsed HTTP request into a response: decodes the body and calls the handler.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <optional>

#include "server/api/routes.h"
#include "server/http/http_message.h"
#include "server/http/request_body_budget.h"

namespace hourcell {

// Decodes the body of `*request` and lets `api` answer. Own errors: 400 for damaged compression,
// 413 for a body over `body_bytes_max` when inflated, 415 for an unknown Content-Encoding, 503 if
// `*body`, its share of the memory of bodies, cannot grow for the inflated body. A request that may
// not wait must wait if its inflated body is larger than kSmallBodyBytesMax. A producer in the
// response borrows `*request` and `api`. REQUIRES: the request's target was parsed.
HttpResponse AnswerRequest(size_t body_bytes_max,
                           Routes* api,
                           HttpRequest* request,
                           RequestBodyBudget::Hold* body);

// Decodes the target of `*request`, unless decoded already. Returns 400 if it cannot be decoded.
std::optional<HttpResponse> ReadTarget(HttpRequest* request);

// 503 with a Retry-After of a second, for a query and for a login over their limits.
HttpResponse TooManyQueries();
HttpResponse TooManyLogins();

}  // namespace hourcell
