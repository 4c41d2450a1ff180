// Endpoints of other systems that this server does not have, answered in words that say what to use
// instead, in the form in which their clients show errors. Pure; thread-safe.

#pragma once

#include "server/http/http_message.h"

namespace hourcell {

// Whether a request of /api/v1/query is PromQL: it has `query`, in its target or as a form, and
// nothing that a query of OpenTSDB needs.
bool IsPromQuery(const HttpRequest& request);

// 400 in Prometheus' form: PromQL is for a Prometheus that reads this server.
HttpResponse RefusePromQuery();

// 404 in the form of InfluxDB 2, which has more than the write that is answered here.
HttpResponse RefuseInflux2();

}  // namespace hourcell
