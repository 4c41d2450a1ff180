#include "engine/rollups/marks/rollup_rows.h"

#include <charconv>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr uint64_t kHourOfMarkS = 3600;

// Takes a number up to `end` from the text, and `end`, which the last number lacks.
bool TakeRowNumber(int base, char end, std::string_view* text, uint64_t* number) {
  const char* const last = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), last, *number, base);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(stop - text->data()));
  if (end == '\0') return text->empty();
  if (text->empty() || text->front() != end) return false;
  text->remove_prefix(1);
  return true;
}

absl::Status DamagedRollupRow(std::string_view key, std::string_view value) {
  return absl::DataLossError(
      fmt::format("meta {}: expected a watermark or a mark of rollups, got {}",
                  QuoteForMessage(key), QuoteForMessage(value)));
}

}  // namespace

std::string RollupUntilKey(Uid metric) {
  return fmt::format("{}{:x}", kRollupUntilPrefix, metric);
}

std::string RollupUntilValue(const RollupUntil& until) {
  return fmt::format("{} {}", until.until_s, until.fingerprint);
}

absl::StatusOr<RollupUntil> ParseRollupUntil(std::string_view key, std::string_view value) {
  RollupUntil until;
  std::string_view uid = key;
  std::string_view rest = value;
  if (!key.starts_with(kRollupUntilPrefix)) return DamagedRollupRow(key, value);
  uid.remove_prefix(kRollupUntilPrefix.size());
  if (!TakeRowNumber(16, '\0', &uid, &until.metric) ||
      !TakeRowNumber(10, ' ', &rest, &until.until_s) || until.until_s % kHourOfMarkS != 0) {
    return DamagedRollupRow(key, value);
  }
  until.fingerprint = rest;
  return until;
}

std::string RollupMarkKey(Uid metric, const RollupMark& mark) {
  return fmt::format("{}{:x}/{}/{}/{}", kRollupMarkPrefix, metric, mark.begin_s, mark.end_s,
                     mark.series);
}

absl::StatusOr<RollupMark> ParseRollupMarkKey(std::string_view key, Uid* metric) {
  RollupMark mark;
  std::string_view rest = key;
  if (!key.starts_with(kRollupMarkPrefix)) return DamagedRollupRow(key, {});
  rest.remove_prefix(kRollupMarkPrefix.size());
  if (!TakeRowNumber(16, '/', &rest, metric) || !TakeRowNumber(10, '/', &rest, &mark.begin_s) ||
      !TakeRowNumber(10, '/', &rest, &mark.end_s) ||
      !TakeRowNumber(10, '\0', &rest, &mark.series) || mark.begin_s >= mark.end_s ||
      mark.begin_s % kHourOfMarkS != 0 || mark.end_s % kHourOfMarkS != 0) {
    return DamagedRollupRow(key, {});
  }
  return mark;
}

}  // namespace hourcell
