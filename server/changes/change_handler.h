// /api/query/changes: which metrics of the series with a tag moved most in a range against the
// range before. /api/query/churn: which series of a metric started or ended.
// docs/query-language.md has their parameters and answers. Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// Answers a GET or POST. The response borrows `request` and `service`.
HttpResponse HandleChanges(const HttpRequest& request, const QueryService& service);

// As above, of a GET.
HttpResponse HandleChurn(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
