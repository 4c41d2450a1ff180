#include "server/api/web_page.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "server/http/http_response.h"
#include "server/http/http_router.h"

namespace hourcell {
namespace {

constexpr std::string_view kAssets = "/assets/";

// Allows only the server's own files, without inline scripts or styles and without frames around
// the page. data: is for the page's icon, blob: for the pictures that it saves.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

// As in index.html.
constexpr std::string_view kIcon =
    R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">)"
    R"(<rect width="16" height="16" rx="4" fill="#2f6fde"/>)"
    R"(<path d="M3 11l3-5 3 3 4-6" stroke="white" stroke-width="1.8" fill="none" )"
    R"(stroke-linecap="round" stroke-linejoin="round"/></svg>)";

struct TypeOf {
  std::string_view end;
  std::string_view type;
};

constexpr TypeOf kTypes[] = {
    {".js", "text/javascript; charset=UTF-8"},
    {".css", "text/css; charset=UTF-8"},
    {".svg", "image/svg+xml"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=UTF-8"},
};

std::string_view ContentTypeOf(std::string_view path) {
  for (const TypeOf& known : kTypes) {
    if (path.ends_with(known.end)) return known.type;
  }
  return "text/html; charset=UTF-8";
}

const WebFile* FindFile(std::string_view path) {
  const auto files = EmbeddedWebFiles();
  const auto it = std::ranges::find(files, path, &WebFile::path);
  return it == files.end() ? nullptr : &*it;
}

// All files, compressed at the first request, once per process. The build does not compress them,
// because its tools would write the time of day into the bytes.
const std::string& CompressedOf(const WebFile& file) {
  static const std::map<std::string_view, std::string> compressed = [] {
    std::map<std::string_view, std::string> all;
    for (const WebFile& each : EmbeddedWebFiles())
      all.emplace(each.path, GzipForKeeps(each.bytes));
    return all;
  }();
  return compressed.at(file.path);
}

bool HasIt(const HttpRequest& request, std::string_view etag) {
  const std::string_view known = request.header("if-none-match");
  return known == "*" || known.find(etag) != std::string_view::npos;
}

}  // namespace

HttpResponse AnswerWebPage(const HttpRequest& request) {
  const WebFile* const file = FindFile(request.path);
  if (file == nullptr) return PageError(request, 404, "Page Not Found");
  const std::string etag = fmt::format("\"{}\"", file->hash);
  HttpResponse response;
  response.content_type = ContentTypeOf(file->path);
  response.headers = {
      {"ETag", etag},
      {"Cache-Control",
       file->path.starts_with(kAssets) ? "public, max-age=31536000, immutable" : "no-cache"},
      {"Vary", "Accept-Encoding"},
      {"Content-Security-Policy", std::string(kPolicy)},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
  };
  if (HasIt(request, etag)) {
    response.status = 304;
    return response;
  }
  if (AcceptsGzip(request.header("accept-encoding"))) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = CompressedOf(*file);
  } else {
    response.body = file->bytes;
  }
  return response;
}

HttpResponse AnswerIcon() {
  HttpResponse response;
  response.content_type = "image/svg+xml";
  response.headers = {{"Cache-Control", "public, max-age=86400"},
                      {"Content-Security-Policy", std::string(kPolicy)}};
  response.body = kIcon;
  return response;
}

}  // namespace hourcell
