// One HTTP request to one response, from the bytes the parser left: target, body, handler.
//
// Thread-safe.

#pragma once

#include <cstddef>

#include "server/api/routes.h"
#include "server/http/http_message.h"
#include "server/http/request_body_budget.h"

namespace hourcell {

// Decodes target and body of `*request` and lets `api` answer. Errors of its own: 400 for a bad
// target or damaged compression, 413 for a body over `body_bytes_max` when inflated, 415 for a
// Content-Encoding that is not known, 503 for a body that `*body`, its share of the memory of
// bodies, cannot grow for when it is inflated. A producer in the response borrows `*request` and
// `api`.
HttpResponse AnswerRequest(size_t body_bytes_max,
                           HttpApi* api,
                           HttpRequest* request,
                           RequestBodyBudget::Hold* body);

// True for what may take long: everything but puts; the list of queries, which must answer and
// cancel while every thread of the pool runs one; and what is the same for all, such as the
// version, by which others see that the server is alive. Judged by the target as sent, since that
// decides on which thread it is decoded.
bool MayTakeLong(const HttpRequest& request);

// True for queries and searches, of those that may take long: what reads the store for a client. A
// target with an escaped path counts as one.
bool IsQuery(const HttpRequest& request);

// The answers to a query and to a login that find too many before them: 503, to come again in a
// second.
HttpResponse TooManyQueries();
HttpResponse TooManyLogins();

}  // namespace hourcell
