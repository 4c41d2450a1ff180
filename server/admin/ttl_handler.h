// /api/admin/ttl: the time to live of points. Thread-safe.
//
//   GET    {"store":<seconds>,"metrics":{"<metric>":<seconds>,...}}, 0 = forever
//   POST   {"metric":"<metric>","ttl":<seconds, or text in the syntax of ParseTtl>}; null = as the
//          store's setting. Answers as GET, once the change is stored
//
// 400: an invalid body; 403: without `allow_shorter`, a TTL shorter than the metric's present one,
// which would remove points; 404: no such metric.

#pragma once

#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleTtl(const HttpRequest& request, bool allow_shorter, Tsdb* tsdb);

}  // namespace hourcell
