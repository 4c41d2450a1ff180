// /api/query/changes: which metrics of the series with a tag moved most in a range against the
// range before. docs/query-language.md has its parameters and its answer. Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// Answers a GET. The response borrows `request` and `service`.
HttpResponse HandleChanges(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
