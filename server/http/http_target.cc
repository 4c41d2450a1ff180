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

// Whether a target has escapes; few have.
enum class Escapes : bool { kNone, kSome };

// Most requests have fewer parameters.
constexpr size_t kUsualParams = 8;

Escapes EscapesOf(std::string_view target) {
  return target.find('%') == std::string_view::npos && target.find('+') == std::string_view::npos
             ? Escapes::kNone
             : Escapes::kSome;
}

// Sets `*out` to target[begin, end), decoded.
absl::Status Decode(
    std::string_view target, size_t begin, size_t end, Plus plus, std::string* out) {
  out->assign(target.substr(begin, end - begin));
  if (plus == Plus::kBlank) std::ranges::replace(*out, '+', ' ');
  size_t size = out->find('%');
  if (size == std::string::npos) return absl::OkStatus();
  for (size_t i = begin + size; i < end; ++i) {
    char c = (*out)[i - begin];
    if (c == '%') {
      const int high = i + 2 < end ? HexDigit(target[i + 1]) : -1;
      const int low = i + 2 < end ? HexDigit(target[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return absl::InvalidArgumentError(
            fmt::format("request target {}: bad escape at {}; expected % and two hex digits",
                        QuoteForMessage(target), i));
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    (*out)[size++] = c;
  }
  out->resize(size);
  return absl::OkStatus();
}

absl::Status AppendParam(
    std::string_view target, size_t begin, size_t end, Escapes escapes, HttpRequest* request) {
  if (begin == end) return absl::OkStatus();
  const size_t equals = std::min(target.find('=', begin), end);
  auto& [name, value] = request->params.emplace_back();
  if (escapes == Escapes::kNone) {
    name.assign(target.substr(begin, equals - begin));
    if (equals < end) value.assign(target.substr(equals + 1, end - equals - 1));
    return absl::OkStatus();
  }
  HOURCELL_RETURN_IF_ERROR(Decode(target, begin, equals, Plus::kBlank, &name));
  if (equals == end) return absl::OkStatus();
  return Decode(target, equals + 1, end, Plus::kBlank, &value);
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
  if (!target.starts_with('/')) {
    const std::optional<std::string_view> rest = TakeOrigin(target, request);
    if (!rest.has_value()) {
      return absl::InvalidArgumentError(
          fmt::format("request target {}: does not start with '/'", QuoteForMessage(target)));
    }
    if (!rest->starts_with('/')) origin_form = "/";
    origin_form += *rest;
    target = origin_form;
  }
  const size_t question_mark = std::min(target.find('?'), target.size());
  HOURCELL_RETURN_IF_ERROR(Decode(target, 0, question_mark, Plus::kLiteral, &request->path));
  if (question_mark == target.size()) return absl::OkStatus();
  request->params.reserve(kUsualParams);
  const Escapes escapes = EscapesOf(target);
  for (size_t begin = question_mark + 1; begin < target.size();) {
    const size_t end = std::min(target.find('&', begin), target.size());
    HOURCELL_RETURN_IF_ERROR(AppendParam(target, begin, end, escapes, request));
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
