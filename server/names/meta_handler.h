// /api/uid/uidmeta and /api/uid/tsmeta: the names and texts of a UID and of a series.
//
//   GET     uid=000001&type=metric: one object. tsuid=000001...: one object; m=cpu{host=web01}: an
//           array of all series that match. 404: no such UID; no such series
//   POST    the fields that change, as JSON or as parameters; PUT resets the others. The object
//           after it; 304: nothing is set. A series that the store does not have needs m= and
//           create=true, else 400
//   DELETE  removes the fields that were set; 204
//
// The names come from the index: nothing has to be tracked. totalDatapoints is 0.
// Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

HttpResponse HandleUidMeta(const HttpRequest& request, const QueryService& service);

// The response may have a producer, which borrows both.
HttpResponse HandleSeriesMeta(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
