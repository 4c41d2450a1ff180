#include "server/promql/request_params.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <absl/time/time.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "promql/text/parser.h"
#include "promql/values/number_text.h"
#include "server/http/http_target.h"

namespace hourcell {
namespace {

constexpr std::string_view kFormType = "application/x-www-form-urlencoded";

// Prometheus' clients send these for the first and the last time that it has.
constexpr std::string_view kFirstTime = "-292273086-05-16T16:47:06Z";
constexpr std::string_view kLastTime = "292277025-08-18T07:12:54.999999999Z";

bool IsForm(const HttpRequest& request) {
  return request.method == "POST" &&
         LowerCase(request.header("content-type")).starts_with(kFormType);
}

int64_t CutTime(double ms) {
  constexpr auto kMax = static_cast<double>(kPromTimeMsMax);
  return static_cast<int64_t>(std::clamp(ms, -kMax, kMax));
}

}  // namespace

absl::StatusOr<PromParams> PromParams::Of(const HttpRequest& request) {
  PromParams params;
  if (IsForm(request)) {
    HttpRequest form;
    form.target = fmt::format("/?{}", request.body);
    HOURCELL_RETURN_IF_ERROR(ParseTarget(&form));
    params.params_ = std::move(form.params);
  }
  params.params_.insert(params.params_.end(), request.params.begin(), request.params.end());
  return params;
}

std::string_view PromParams::Get(std::string_view name) const {
  const auto found =
      std::ranges::find(params_, name, [](const auto& one) { return std::string_view(one.first); });
  return found == params_.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<std::string_view> PromParams::All(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : params_)
    if (key == name) values.push_back(value);
  return values;
}

bool IsPromQuery(const HttpRequest& request) {
  for (const std::string_view needed : {"start", "m", "tsuids", "tsuid"}) {
    if (request.has_param(needed)) return false;
  }
  if (request.has_param("query")) return true;
  // OpenTSDB's body is JSON, whatever its Content-Type.
  const std::string_view body = request.body;
  const bool has_query = body.starts_with("query=") || body.find("&query=") != body.npos;
  return has_query && IsForm(request);
}

absl::StatusOr<int64_t> ParsePromTime(std::string_view text) {
  if (double seconds = 0; promql::ParseNumber(text, &seconds) && std::isfinite(seconds)) {
    return CutTime(std::round(seconds * 1000));
  }
  if (text == kFirstTime) return -kPromTimeMsMax;
  if (text == kLastTime) return kPromTimeMsMax;
  absl::Time time;
  std::string error;
  // absl also takes blanks and "infinite-future".
  const bool begins_so = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (begins_so && absl::ParseTime(absl::RFC3339_full, {text.data(), text.size()}, &time, &error)) {
    return std::clamp(absl::ToUnixMillis(time), -kPromTimeMsMax, kPromTimeMsMax);
  }
  return absl::InvalidArgumentError(
      fmt::format("cannot parse {} to a valid timestamp", QuoteForMessage(text)));
}

absl::StatusOr<int64_t> PromTimeOf(const PromParams& params,
                                   std::string_view name,
                                   int64_t absent_ms) {
  const std::string_view text = params.Get(name);
  if (text.empty()) return absent_ms;
  absl::StatusOr<int64_t> ms = ParsePromTime(text);
  if (ms.ok()) return ms;
  return absl::InvalidArgumentError(
      fmt::format("Invalid time value for '{}': {}", name, MessageOf(ms.status())));
}

absl::StatusOr<int64_t> ParsePromDuration(std::string_view text) {
  const auto refuse = [text](std::string_view why) {
    return absl::InvalidArgumentError(
        fmt::format("cannot parse {} to a valid duration{}", QuoteForMessage(text), why));
  };
  if (double seconds = 0; promql::ParseNumber(text, &seconds)) {
    constexpr double kSecondsMax = 9'223'372'036;  // in nanoseconds, 64 bits
    if (!(std::abs(seconds) <= kSecondsMax)) return refuse(". It overflows int64");
    return static_cast<int64_t>(seconds * 1000);
  }
  const absl::StatusOr<int64_t> ms = promql::ParseDuration(text);
  return ms.ok() ? ms : refuse("");
}

}  // namespace hourcell
