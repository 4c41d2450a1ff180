// Responses for endpoints of Prometheus and InfluxDB that this server does not implement. Each
// names the alternative, in the error format of that system. No I/O; thread-safe.

#pragma once

#include "server/http/http_message.h"

namespace hourcell {

// True if a request of /api/v1/query is PromQL: its target or form has the parameter `query`, and
// it lacks the parameters of OpenTSDB.
bool IsPromQuery(const HttpRequest& request);

// 400 in Prometheus' format.
HttpResponse RefusePromQuery();

// 404 in InfluxDB 2's format.
HttpResponse RefuseInflux2();

}  // namespace hourcell
