// /api/admin/ttl: how long points are kept. Thread-safe.
//
//   GET    {"store":<seconds>,"metrics":{"<metric>":<seconds>,...}}, 0 = for ever
//   POST   {"metric":"<metric>","ttl":<seconds, or text as ParseTtl takes it>}; null = as the
//          store's setting. Answers as GET, once the change has been written
//
// 400: a body that says something else; 403: a TTL shorter than the metric's present one, which
// would remove points, without `allow_shorter`; 404: no such metric.

#pragma once

#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleTtl(const HttpRequest& request, bool allow_shorter, Tsdb* tsdb);

}  // namespace hourcell
