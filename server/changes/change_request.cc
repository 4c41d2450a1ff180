#include "server/changes/change_request.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/query_time.h"
#include "server/query/query_string.h"
#include "server/text/json_fields.h"
#include "server/text/series_text.h"

namespace hourcell {
namespace {

constexpr uint64_t kChangesDefault = 20;
constexpr uint64_t kChangesMax = 100;
constexpr uint64_t kComparedDefault = 5'000;
constexpr uint64_t kComparedMax = 50'000;
constexpr uint64_t kChangeSecondsDefault = 10;
constexpr uint64_t kChangeSecondsMax = 60;
constexpr uint64_t kChurnedDefault = 60;
constexpr uint64_t kChurnedMax = 1'000;

constexpr int64_t kStepSecond = 1'000;
constexpr int64_t kStepMinute = 60 * kStepSecond;
constexpr int64_t kStepHour = 60 * kStepMinute;
constexpr int64_t kStepDay = 24 * kStepHour;
constexpr int64_t kChangeSteps[] = {
    kStepSecond,      2 * kStepSecond,  5 * kStepSecond,  10 * kStepSecond, 15 * kStepSecond,
    20 * kStepSecond, 30 * kStepSecond, kStepMinute,      2 * kStepMinute,  3 * kStepMinute,
    5 * kStepMinute,  10 * kStepMinute, 15 * kStepMinute, 20 * kStepMinute, 30 * kStepMinute,
    kStepHour,        2 * kStepHour,    3 * kStepHour,    4 * kStepHour,    6 * kStepHour,
    8 * kStepHour,    12 * kStepHour,   kStepDay,         2 * kStepDay,     4 * kStepDay,
};

int64_t BeginOfStep(int64_t ms, int64_t step_ms) {
  const int64_t rest = ms % step_ms;
  return ms - (rest < 0 ? rest + step_ms : rest);
}

ChangeTimes TimesInSteps(int64_t start_ms, int64_t end_ms, int64_t step_ms) {
  return {.start_ms = BeginOfStep(start_ms, step_ms),
          .end_ms = BeginOfStep(end_ms + step_ms - 1, step_ms),
          .step_ms = step_ms};
}

std::string_view ChangeParam(const HttpRequest& request, std::string_view name) {
  const std::string* const text = request.param(name);
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

absl::StatusOr<uint64_t> ParseChangeCount(const HttpRequest& request,
                                          std::string_view name,
                                          uint64_t usual,
                                          uint64_t max) {
  const std::string_view text = ChangeParam(request, name);
  if (text.empty()) return usual;
  const std::optional<uint64_t> count = ParseUnsigned(text);
  if (count.has_value() && *count > 0 && *count <= max) return *count;
  return absl::InvalidArgumentError(
      fmt::format("{}: expected 1 to {}, got {}", name, max, QuoteForMessage(text)));
}

absl::StatusOr<ChangeTimes> ParseChangeTimes(const HttpRequest& request,
                                             int64_t now_ms,
                                             std::string_view default_timezone) {
  HOURCELL_RETURN_IF_ERROR(CheckHasStart(request));
  std::string_view timezone = ChangeParam(request, "timezone");
  if (timezone.empty()) timezone = ChangeParam(request, "tz");
  if (timezone.empty()) timezone = default_timezone;
  HOURCELL_RETURN_IF_ERROR(ParseTimezone(timezone).status());
  HOURCELL_ASSIGN_OR_RETURN(const int64_t start_ms,
                            ParseQueryTime(ChangeParam(request, "start"), timezone, now_ms));
  HOURCELL_ASSIGN_OR_RETURN(const int64_t asked_end_ms,
                            ParseQueryTime(ChangeParam(request, "end"), timezone, now_ms));
  // Later steps are empty yet: each series would end.
  const int64_t end_ms = std::min(asked_end_ms, now_ms);
  if (end_ms <= start_ms) {
    return absl::InvalidArgumentError(
        fmt::format("End time [{}] must be greater than the start time [{}]", end_ms, start_ms));
  }
  return ChangeTimesOf(start_ms, end_ms);
}

// The fields of a body as the parameters of a GET.
absl::StatusOr<HttpRequest> ChangeParamsOfJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseJsonObject(body, &parser));
  HttpRequest request;
  const auto add = [&request](std::string_view key, simdjson::dom::element value) -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(std::string text, JsonText(key, value));
    request.params.emplace_back(key, std::move(text));
    return absl::OkStatus();
  };
  for (const auto [key, value] : object) {
    simdjson::dom::array tags;
    if (key == "tag" && !value.get(tags)) {
      for (const simdjson::dom::element tag : tags)
        HOURCELL_RETURN_IF_ERROR(add(key, tag));
    } else if (!value.is_object() && !value.is_array()) {
      HOURCELL_RETURN_IF_ERROR(add(key, value));
    } else {
      return WrongJsonType(key, "a text");
    }
  }
  return request;
}

absl::StatusOr<ChangeRequest> ParseChangeParams(const HttpRequest& request,
                                                int64_t now_ms,
                                                std::string_view default_timezone) {
  ChangeRequest parsed;
  HOURCELL_ASSIGN_OR_RETURN(parsed.times, ParseChangeTimes(request, now_ms, default_timezone));
  for (const auto& [name, value] : request.params) {
    if (name == "tag") HOURCELL_RETURN_IF_ERROR(AppendTagMatches(value, &parsed.tags));
  }
  if (parsed.tags.empty()) return absl::InvalidArgumentError("Missing parameter <code>tag</code>");
  parsed.metric = ChangeParam(request, "metric");
  HOURCELL_ASSIGN_OR_RETURN(parsed.limit,
                            ParseChangeCount(request, "limit", kChangesDefault, kChangesMax));
  HOURCELL_ASSIGN_OR_RETURN(parsed.series,
                            ParseChangeCount(request, "series", kComparedDefault, kComparedMax));
  HOURCELL_ASSIGN_OR_RETURN(
      parsed.seconds,
      ParseChangeCount(request, "seconds", kChangeSecondsDefault, kChangeSecondsMax));
  return parsed;
}

}  // namespace

ChangeTimes ChangeTimesOf(int64_t start_ms, int64_t end_ms) {
  HOURCELL_DCHECK(start_ms < end_ms);
  for (const int64_t step_ms : kChangeSteps) {
    const ChangeTimes times = TimesInSteps(start_ms, end_ms, step_ms);
    if ((times.end_ms - times.start_ms) / step_ms <= kChangeStepsMax) return times;
  }
  // One step less than allowed, for the rounding of both ends.
  const int64_t days = (end_ms - start_ms) / kStepDay / (kChangeStepsMax - 1) + 1;
  return TimesInSteps(start_ms, end_ms, days * kStepDay);
}

absl::StatusOr<ChangeRequest> ParseChangeRequest(const HttpRequest& request,
                                                 int64_t now_ms,
                                                 std::string_view default_timezone) {
  if (request.method != "POST") return ParseChangeParams(request, now_ms, default_timezone);
  HOURCELL_ASSIGN_OR_RETURN(const HttpRequest fields, ChangeParamsOfJson(request.body));
  return ParseChangeParams(fields, now_ms, default_timezone);
}

absl::StatusOr<ChurnRequest> ParseChurnRequest(const HttpRequest& request,
                                               int64_t now_ms,
                                               std::string_view default_timezone) {
  ChurnRequest parsed;
  HOURCELL_ASSIGN_OR_RETURN(parsed.times, ParseChangeTimes(request, now_ms, default_timezone));
  parsed.metric = ChangeParam(request, "metric");
  if (parsed.metric.empty()) {
    return absl::InvalidArgumentError("Missing parameter <code>metric</code>");
  }
  HOURCELL_ASSIGN_OR_RETURN(parsed.limit,
                            ParseChangeCount(request, "limit", kChurnedDefault, kChurnedMax));
  return parsed;
}

}  // namespace hourcell
