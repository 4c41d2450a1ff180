// Responses for endpoints of InfluxDB 2 that this server does not implement. They name the
// alternative, in its error format. No I/O; thread-safe.

#pragma once

#include "server/http/http_message.h"

namespace hourcell {

// 404 in InfluxDB 2's format.
HttpResponse RefuseInflux2();

}  // namespace hourcell
