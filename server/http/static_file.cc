#include "server/http/static_file.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "server/http/http_router.h"

namespace hourcell {
namespace {

namespace fs = std::filesystem;

struct TypeOfEnd {
  std::string_view end;
  std::string_view type;
};

// OpenTSDB's, which compares the last letters without the dot.
constexpr TypeOfEnd kStaticTypes[] = {
    {"png", "image/png"}, {"html", "text/html; charset=UTF-8"},
    {"css", "text/css"},  {"js", "text/javascript"},
    {"gif", "image/gif"}, {"ico", "image/x-icon"},
};

std::string_view StaticTypeOf(std::string_view name) {
  for (const TypeOfEnd& known : kStaticTypes) {
    if (name.ends_with(known.end)) return known.type;
  }
  return "text/plain; charset=UTF-8";
}

// The real path of `root`/`name`, where it is a regular file below `root`.
std::optional<fs::path> FindBelow(const std::string& root, std::string_view name) {
  if (root.empty()) return std::nullopt;
  std::error_code error;
  const fs::path top = fs::canonical(root, error);
  if (error) return std::nullopt;
  const fs::path path = fs::canonical(fmt::format("{}/{}", root, name), error);
  if (error || !fs::is_regular_file(path, error)) return std::nullopt;
  const auto [top_end, path_at] = std::mismatch(top.begin(), top.end(), path.begin(), path.end());
  if (top_end != top.end()) return std::nullopt;
  return path;
}

}  // namespace

HttpResponse AnswerStaticFile(const HttpRequest& request, const std::string& root) {
  constexpr std::string_view kSpace = "/s/";
  const std::string_view path = request.path;
  if (path.size() < kSpace.size()) return PageError(request, 400, "Missing file name");
  const std::string_view name = path.substr(kSpace.size());
  if (name.find("..") != std::string_view::npos || name.find('\0') != std::string_view::npos) {
    return PageError(request, 400, "Malformed path");
  }
  const std::optional<fs::path> file = FindBelow(root, name);
  if (!file.has_value()) return PageError(request, 404, "File not found");
  std::error_code error;
  const uintmax_t bytes = fs::file_size(*file, error);
  if (error) return PageError(request, 404, "File not found");
  if (bytes > kStaticFileBytesMax) {
    return PageError(request, 413,
                     fmt::format("File too long: expected at most {} bytes, got {}",
                                 kStaticFileBytesMax, bytes));
  }
  HttpResponse response;
  response.body.resize(bytes);
  std::ifstream stream(*file, std::ios::binary);
  if (!stream.read(response.body.data(), static_cast<std::streamsize>(bytes))) {
    return PageError(request, 404, "File not found");
  }
  response.content_type = StaticTypeOf(name);
  const bool may_keep = request.target.find("nocache") == std::string::npos;
  response.headers.emplace_back("Cache-Control", may_keep ? "max-age=31536000" : "max-age=0");
  return response;
}

}  // namespace hourcell
