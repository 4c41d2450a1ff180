// /api/query/exp: formulas over metrics, joined by their tags, from a JSON body (exp_request.h).
// The answer is that of exp_writer.h. Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// Answers a POST. The response borrows `request` and `service`.
HttpResponse HandleExp(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
