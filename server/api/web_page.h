// WebPage: the Explorer, the page at /, and the files it consists of. They are compiled into the
// program (server/web/dist, embedded by cmake/hourcell_web.cmake), so that the page needs no
// directory, no network and no Node.
//
//   /                         index.html, to be asked for again each time (ETag)
//   /assets/index-<hash>.js   never changes under its name: may be kept for ever
//
// Thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/http/http_message.h"

namespace hourcell {

struct WebFile {
  std::string_view path;  // "/assets/index-abc.js"; of index.html "/"
  std::string_view bytes;
  std::string_view hash;  // of the bytes, in hex: its ETag
};

// The files of the program, index.html first. Generated.
std::span<const WebFile> EmbeddedWebFiles();

// The answer to a GET or HEAD of such a path: 200, or 304 if the client has it; 404 if there is no
// such file. Compressed if the client accepts gzip; each file is compressed once.
HttpResponse AnswerWebPage(const HttpRequest& request);

}  // namespace hourcell
