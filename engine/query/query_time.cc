#include "engine/query/query_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/time/civil_time.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr size_t kSecondsDigitsMax = 10;  // more digits are milliseconds
constexpr size_t kTimezoneBytesMax = 64;  // IANA names are shorter by far

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

// All of `digits` as a number; nullopt for other text or a number that does not fit.
std::optional<int64_t> NumberOf(std::string_view digits) {
  int64_t number = 0;
  const char* end = digits.data() + digits.size();
  if (!AllDigits(digits)) return std::nullopt;
  const auto parsed = std::from_chars(digits.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

absl::Status BadTime(std::string_view text) {
  return absl::InvalidArgumentError(
      fmt::format("Invalid time: expected now, a relative time such as 1h-ago, Unix seconds or "
                  "milliseconds, or yyyy/MM/dd[-HH:mm[:ss]], got {}",
                  QuoteForMessage(text)));
}

constexpr int64_t kDayMs = 86'400'000;

struct Unit {
  std::string_view name;
  int64_t ms;
};

// In the order of DurationUnit.
constexpr std::array<Unit, 8> kUnits = {{{"ms", 1},
                                         {"s", 1000},
                                         {"m", 60'000},
                                         {"h", 3'600'000},
                                         {"d", kDayMs},
                                         {"w", 7 * kDayMs},
                                         {"n", 30 * kDayMs},
                                         {"y", 365 * kDayMs}}};

// True if `text` has digits where `shape` has 0, a '-' or blank where it has '-', and otherwise its
// characters.
bool HasShape(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool fits = shape[i] == '0'   ? IsDigit(text[i])
                      : shape[i] == '-' ? text[i] == '-' || text[i] == ' '
                                        : text[i] == shape[i];
    if (!fits) return false;
  }
  return true;
}

std::optional<absl::CivilSecond> CivilTimeOf(std::string_view text) {
  constexpr std::string_view kFullShape = "0000/00/00-00:00:00";
  if (!HasShape(text, kFullShape.substr(0, 10)) && !HasShape(text, kFullShape.substr(0, 16)) &&
      !HasShape(text, kFullShape)) {
    return std::nullopt;
  }
  const auto number_at = [&](size_t offset, size_t digits) {
    return offset < text.size() ? *NumberOf(text.substr(offset, digits)) : 0;
  };
  const int64_t month = number_at(5, 2);
  const int64_t day = number_at(8, 2);
  const int64_t hour = number_at(11, 2);
  const int64_t minute = number_at(14, 2);
  const int64_t second = number_at(17, 2);
  const absl::CivilSecond civil(number_at(0, 4), month, day, hour, minute, second);
  // CivilSecond carries over: 2012/02/30 becomes 1 March, which is never the intention.
  const bool is_as_written = civil.month() == month && civil.day() == day && civil.hour() == hour &&
                             civil.minute() == minute && civil.second() == second;
  return is_as_written ? std::optional(civil) : std::nullopt;
}

absl::StatusOr<int64_t> ParseDate(std::string_view text, std::string_view timezone) {
  const auto civil = CivilTimeOf(text);
  if (!civil.has_value()) return BadTime(text);
  HOURCELL_ASSIGN_OR_RETURN(const absl::TimeZone zone, ParseTimezone(timezone));
  // As in Java: a time that a clock change repeats is the second one; a time that it skips moves
  // forward.
  const absl::TimeZone::TimeInfo info = zone.At(*civil);
  const absl::Time time = info.kind == absl::TimeZone::TimeInfo::REPEATED ? info.post : info.pre;
  const int64_t ms = absl::ToUnixMillis(time);
  return ms < 0 ? absl::StatusOr<int64_t>(BadTime(text)) : ms;
}

// dddddddddd.d{1,3}: OpenTSDB deletes the dot, whatever the number of decimals.
bool IsDottedTime(std::string_view text) {
  return text.size() >= 12 && text.size() <= 14 && text[10] == '.' &&
         AllDigits(text.substr(0, 10)) && AllDigits(text.substr(11));
}

}  // namespace

absl::StatusOr<int64_t> ParseQueryTime(std::string_view text,
                                       std::string_view timezone,
                                       int64_t now_ms) {
  if (const auto number = NumberOf(text)) {  // most times of programs
    return text.size() <= kSecondsDigitsMax ? *number * 1000 : *number;
  }
  const std::string lower = LowerCase(text);
  const std::string_view view = lower;
  if (view.empty() || view == "now") return now_ms;
  if (view.ends_with("-ago")) {
    HOURCELL_ASSIGN_OR_RETURN(const int64_t duration_ms,
                              ParseDuration(text.substr(0, text.size() - 4)));
    return duration_ms > now_ms ? absl::StatusOr<int64_t>(BadTime(text)) : now_ms - duration_ms;
  }
  if (view.find_first_of("/:") != std::string_view::npos) return ParseDate(text, timezone);

  std::optional<int64_t> ms;
  if (view.ends_with("ms")) {
    ms = NumberOf(view.substr(0, view.size() - 2));
  } else if (IsDottedTime(view)) {
    ms = NumberOf(fmt::format("{}{}", view.substr(0, 10), view.substr(11)));
  }
  return ms.has_value() ? absl::StatusOr<int64_t>(*ms) : BadTime(text);
}

absl::StatusOr<absl::TimeZone> ParseTimezone(std::string_view name) {
  if (name.empty()) return absl::UTCTimeZone();
  // Abseil also accepts paths of files and names with a scheme, which a client must not choose.
  const auto is_name_char = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '_' || c == '-' ||
           c == '+';
  };
  absl::TimeZone zone;
  if (name.size() > kTimezoneBytesMax || name.front() == '/' ||
      !std::all_of(name.begin(), name.end(), is_name_char) ||
      !absl::LoadTimeZone(std::string(name), &zone)) {
    return absl::InvalidArgumentError("The timezone specification could not be found");
  }
  return zone;
}

absl::StatusOr<Duration> ParseDurationText(std::string_view text) {
  const auto unit_at = std::find_if_not(text.begin(), text.end(), IsDigit);
  const auto digits = static_cast<size_t>(unit_at - text.begin());
  if (digits == text.size()) {
    return absl::InvalidArgumentError(
        fmt::format("Invalid duration, must have an integer and unit: {}", text));
  }
  const auto count = NumberOf(text.substr(0, digits));
  if (!count.has_value()) {
    return absl::InvalidArgumentError(fmt::format("Invalid duration (number): {}", text));
  }
  if (*count == 0) {
    return absl::InvalidArgumentError(fmt::format("Zero or negative duration: {}", text));
  }
  const auto unit = std::ranges::find(kUnits, LowerCase(text.substr(digits)), &Unit::name);
  if (unit == kUnits.end()) {
    return absl::InvalidArgumentError(fmt::format("Invalid duration (suffix): {}", text));
  }
  if (*count > INT64_MAX / unit->ms) {
    return absl::InvalidArgumentError(
        fmt::format("Duration must be < Long.MAX_VALUE ms: {}", text));
  }
  return Duration{.count = *count,
                  .unit = static_cast<DurationUnit>(unit - kUnits.begin()),
                  .ms = *count * unit->ms};
}

std::string_view DurationUnitName(DurationUnit unit) {
  return kUnits[static_cast<size_t>(unit)].name;
}

absl::StatusOr<int64_t> ParseDuration(std::string_view text) {
  HOURCELL_ASSIGN_OR_RETURN(const Duration duration, ParseDurationText(text));
  return duration.ms;
}

}  // namespace hourcell
