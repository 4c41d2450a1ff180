// /api/annotation, /api/annotation/bulk and /api/annotations: reading and writing annotations.
//
//   GET            one annotation by tsuid (without it: global) and start_time; 404: not found.
//                  /api/annotations: the global annotations from start_time to end_time (default:
//                  the present)
//   POST, PUT      merges or replaces, and answers with the annotation; 304 if nothing is set.
//                  bulk: an array, all or none; annotations that set nothing are omitted from the
//                  answer
//   DELETE         204, also without such an annotation. bulk: annotations that start from
//                  startTime to endTime, answered with totalDeleted
//
// Fields come from the query string (start_time, end_time, tsuid, description, notes) or, with a
// body, from JSON (annotation_json.h), which also has custom entries. method_override works.
// 400: the request errors of OpenTSDB; a tsuid that series of this store cannot have.
//
// Thread-safe.

#pragma once

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleAnnotation(const HttpRequest& request, Tsdb* tsdb, WallClock* clock);

}  // namespace hourcell
