// The other endpoints of Prometheus' API, which read no points.
//
//   /api/v1/format_query       the expression in Prometheus' form, in one line
//   /api/v1/query_exemplars    [], after a check of the parameters: exemplars are not stored
//   /api/v1/rules, /alerts     none: rules are Prometheus' own
//   /api/v1/status/buildinfo   the version of Prometheus' API, and of this program
//   /api/v1/status/tsdb        the number of series; the metrics with the most series
//
// Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

HttpResponse HandleFormatQuery(const HttpRequest& request);
HttpResponse HandleQueryExemplars(const HttpRequest& request);
HttpResponse NoPromRules();
HttpResponse NoPromAlerts();
HttpResponse PromBuildInfoResponse();
// The response has a producer, which borrows `request` and `service`.
HttpResponse HandlePromTsdb(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
