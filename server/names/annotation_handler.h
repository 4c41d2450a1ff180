// /api/annotation, /api/annotation/bulk and /api/annotations: reading and writing annotations.
//
//   GET            one: tsuid (none = global), start_time; of /api/annotations the global ones from
//                  start_time to end_time (the present without one). 404: there is none
//   POST, PUT      merges or replaces, and answers the annotation; 304 if nothing is set. Of bulk
//                  an array, all or none; those that set nothing are left out of the answer
//   DELETE         204, even if there is none. Of bulk those that start from startTime to endTime,
//                  answered with totalDeleted
//
// Each from the query string (start_time, end_time, tsuid, description, notes) or, if there is a
// body, from JSON (annotation_json.h), which has custom entries too. method_override works.
// 400: what OpenTSDB refuses; a tsuid that no series of this store can have.
//
// Thread-safe.

#pragma once

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleAnnotation(const HttpRequest& request, Tsdb* tsdb, Clock* clock);

}  // namespace hourcell
