// /api/views and /api/views/<name>: the saved views of the store (docs/views.md).
//
//   GET     without a name: {"limit":1000,"views":[...]}, the title, range, number of graphs, last
//           change and entity tag of each. With one: its document as it was written, and ETag
//   PUT     replaces a view by the document of the body (200), or creates it (201), and answers
//           with its entry in the list. 400: the document is refused, with line and character
//   POST    the same, for a new view. 409: there is one of that name
//   DELETE  204
//
// So that editors do not overwrite each other, PUT and DELETE with If-Match: TAG change only that
// state, else 412. 409 and 412 have the present ETag, the user who changed the view, and the time.
// 404: no view has that name. 409: the store has its maximum number of views.
//
// Thread-safe.

#pragma once

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleViews(const HttpRequest& request, Tsdb* tsdb, WallClock* clock);

}  // namespace hourcell
