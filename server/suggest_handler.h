// /api/suggest and /suggest: names that begin with a prefix. Thread-safe.

#pragma once

#include "engine/tsdb.h"
#include "server/http_message.h"

namespace hourcell {

// Answers GET (parameters type, q, max) and POST (the same as JSON).
HttpResponse HandleSuggest(const HttpRequest& request, Tsdb* tsdb);

}  // namespace hourcell
