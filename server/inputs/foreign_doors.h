// Answers to endpoints of Prometheus and InfluxDB that this server does not implement. Each names
// the alternative, in the error format of that system. Pure; thread-safe.

#pragma once

#include "server/http/http_message.h"

namespace hourcell {

// Whether a request of /api/v1/query is PromQL: it has the parameter `query`, in its target or in a
// form, and none of the parameters of OpenTSDB.
bool IsPromQuery(const HttpRequest& request);

// 400 in Prometheus' format.
HttpResponse RefusePromQuery();

// 404 in InfluxDB 2's format.
HttpResponse RefuseInflux2();

}  // namespace hourcell
