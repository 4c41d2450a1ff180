// /s/<path>: the files of tsd.http.staticroot, for pages that an operator adds to the server.
//
// Reads files; thread-safe.

#pragma once

#include <cstddef>
#include <string>

#include "server/http/http_message.h"

namespace hourcell {

inline constexpr size_t kStaticFileBytesMax = size_t{16} << 20;

// The response to a GET or HEAD of a path /s/<path>: the file of that path below `root`, with a
// Content-Type by the end of its name, and a year's Cache-Control unless the target has "nocache".
// 400: no path, or one with "..". 404: no such regular file, one outside `root` (a link leads
// there), or an empty `root`. 413: it is larger than kStaticFileBytesMax.
HttpResponse AnswerStaticFile(const HttpRequest& request, const std::string& root);

}  // namespace hourcell
