#include "server/http/http_target.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

enum class Plus : bool { kLiteral, kBlank };

// Decodes target[begin, end).
absl::StatusOr<std::string> Decode(std::string_view target, size_t begin, size_t end, Plus plus) {
  std::string out;
  out.reserve(end - begin);
  for (size_t i = begin; i < end; ++i) {
    const char c = target[i];
    if (c == '+' && plus == Plus::kBlank) {
      out.push_back(' ');
    } else if (c != '%') {
      out.push_back(c);
    } else {
      const int high = i + 2 < end ? HexDigit(target[i + 1]) : -1;
      const int low = i + 2 < end ? HexDigit(target[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return absl::InvalidArgumentError(
            fmt::format("request target {}: bad escape at {}; expected % and two hex digits",
                        QuoteForMessage(target), i));
      }
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return out;
}

absl::Status AppendParam(std::string_view target, size_t begin, size_t end, HttpRequest* request) {
  if (begin == end) return absl::OkStatus();
  const size_t equals = std::min(target.find('=', begin), end);
  HOURCELL_ASSIGN_OR_RETURN(std::string name, Decode(target, begin, equals, Plus::kBlank));
  std::string value;
  if (equals < end) {
    HOURCELL_ASSIGN_OR_RETURN(value, Decode(target, equals + 1, end, Plus::kBlank));
  }
  request->params.emplace_back(std::move(name), std::move(value));
  return absl::OkStatus();
}

// Removes "http://host:port" from a target that begins with it; its host replaces the header Host.
std::optional<std::string_view> TakeOrigin(std::string_view target, HttpRequest* request) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!EqualsIgnoringCase(target.substr(0, scheme.size()), scheme)) continue;
    const std::string_view rest = target.substr(scheme.size());
    const std::string_view host = rest.substr(0, rest.find_first_of("/?"));
    if (host.empty()) break;
    std::erase_if(request->headers, [](const auto& header) { return header.first == "host"; });
    request->headers.emplace_back("host", host);
    return rest.substr(host.size());
  }
  return std::nullopt;
}

absl::Status ParseParts(std::string_view target, HttpRequest* request) {
  std::string origin_form;  // converted from an absolute form
  if (const std::optional<std::string_view> rest = TakeOrigin(target, request)) {
    if (!rest->starts_with('/')) origin_form = "/";
    origin_form += *rest;
    target = origin_form;
  }
  if (!target.starts_with('/')) {
    return absl::InvalidArgumentError(
        fmt::format("request target {}: does not start with '/'", QuoteForMessage(target)));
  }
  const size_t question_mark = std::min(target.find('?'), target.size());
  HOURCELL_ASSIGN_OR_RETURN(request->path, Decode(target, 0, question_mark, Plus::kLiteral));
  for (size_t begin = question_mark + 1; begin < target.size();) {
    const size_t end = std::min(target.find('&', begin), target.size());
    HOURCELL_RETURN_IF_ERROR(AppendParam(target, begin, end, request));
    begin = end + 1;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseTarget(HttpRequest* request) {
  request->path.clear();
  request->params.clear();
  absl::Status status = ParseParts(request->target, request);
  if (!status.ok()) {
    request->path.clear();
    request->params.clear();
  }
  return status;
}

}  // namespace hourcell
