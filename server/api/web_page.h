// WebPage: the Explorer, the page at /, and its files. They are compiled into the program
// (server/web/dist, embedded by cmake/hourcell_web.cmake), so the page needs neither a directory, a
// network nor Node.
//
//   /                         index.html, to be revalidated each time (ETag)
//   /assets/index-<hash>.js   never changes under its name: clients may keep it without a limit
//
// Thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/http/http_message.h"

namespace hourcell {

struct WebFile {
  std::string_view path;  // "/assets/index-abc.js"; for index.html "/"
  std::string_view bytes;
  std::string_view hash;  // of the bytes, in hex: its ETag
};

// The embedded files, index.html first. Generated.
std::span<const WebFile> EmbeddedWebFiles();

// The response to a GET or HEAD of a path: 200, or 304 if the client has the file; 404 if the path
// is unknown. Compressed if the client accepts gzip; each file is compressed once.
HttpResponse AnswerWebPage(const HttpRequest& request);

// /favicon.ico: the icon of the page, as SVG, for the pages that do not name it.
HttpResponse AnswerIcon();

}  // namespace hourcell
