#include "codec/rollups/rollup_duration.h"

#include <optional>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr int64_t kCountMax = 1'000'000;
constexpr int64_t kSecondsOfDay = 86'400;

}  // namespace

absl::StatusOr<CountAndUnit> SplitRollupDuration(std::string_view field, std::string_view text) {
  const size_t digits = text.find_first_not_of("0123456789");
  const std::optional<uint64_t> count = ParseUnsigned(text.substr(0, digits));
  if (digits == std::string_view::npos || !count.has_value() || *count == 0 || *count > kCountMax) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected a duration such as 10m, got {}", field, QuoteForMessage(text)));
  }
  return CountAndUnit{.count = static_cast<int64_t>(*count), .unit = text.substr(digits)};
}

absl::StatusOr<int64_t> RollupDurationSeconds(std::string_view field, std::string_view text) {
  HOURCELL_ASSIGN_OR_RETURN(const CountAndUnit duration, SplitRollupDuration(field, text));
  if (duration.unit == "ms") return duration.count / 1000;
  int64_t seconds = 0;
  if (duration.unit == "s") seconds = 1;
  if (duration.unit == "m") seconds = 60;
  if (duration.unit == "h") seconds = 3600;
  if (duration.unit == "d") seconds = kSecondsOfDay;
  if (duration.unit == "w") seconds = 7 * kSecondsOfDay;
  if (duration.unit == "n") seconds = 30 * kSecondsOfDay;
  if (duration.unit == "y") seconds = 365 * kSecondsOfDay;
  if (seconds != 0) return duration.count * seconds;
  return absl::InvalidArgumentError(
      fmt::format("{}: expected a unit of ms s m h d w n y, got {}", field, QuoteForMessage(text)));
}

}  // namespace hourcell
