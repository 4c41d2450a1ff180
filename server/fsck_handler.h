// /api/admin/fsck: checks of the store while it is in use. Nothing is repaired.
//
//   POST    begins one, ?examples=<n> findings kept of each kind (10; 10,000 at most), and answers
//           with what it is at
//   GET     what the one under way is at, or what the last one found
//   DELETE  ends the one under way
//
// All answer with an object as server/fsck_json.h has it. 400: examples that are no such number.
// 503 with Retry-After: one is under way. 500: the store is closed. Thread-safe.

#pragma once

#include "engine/tsdb.h"
#include "server/http_message.h"

namespace hourcell {

HttpResponse HandleFsck(const HttpRequest& request, Tsdb* tsdb);

}  // namespace hourcell
