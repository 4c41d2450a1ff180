#include "server/text/salt_text.h"

#include <charconv>

#include <absl/status/status.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/query_time.h"

namespace hourcell {
namespace {

constexpr int64_t kHourMs = 3600 * 1000;

}  // namespace

absl::StatusOr<uint64_t> ParseEpochStart(std::string_view text, int64_t now_ms) {
  HOURCELL_ASSIGN_OR_RETURN(const int64_t ms, ParseQueryTime(text, "", now_ms));
  if (!text.empty() && ms >= 0 && ms % kHourMs == 0) return static_cast<uint64_t>(ms / 1000);
  return absl::InvalidArgumentError(
      fmt::format("from: expected a whole hour, as 2026/01/01-00:00 or in seconds, got {}",
                  QuoteForMessage(text)));
}

absl::StatusOr<uint32_t> ParseBuckets(std::string_view text) {
  uint32_t buckets = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, buckets);
  if (error == std::errc() && stop == end && buckets > 0) return buckets;
  return absl::InvalidArgumentError(
      fmt::format("buckets: expected a number above 0, got {}", QuoteForMessage(text)));
}

std::string EpochStartText(uint64_t from_s) {
  const auto text =
      absl::FormatTime("%Y/%m/%d-%H:%M:%S", absl::FromUnixSeconds(static_cast<int64_t>(from_s)),
                       absl::UTCTimeZone());
  return std::string(text.data(), text.size());
}

std::string SaltEpochsJson(std::span<const SaltEpoch> epochs) {
  std::string object;
  JsonWriter json(&object);
  json.OpenObject();
  json.Key("epochs");
  json.OpenArray();
  for (const SaltEpoch& epoch : epochs) {
    json.OpenObject();
    json.Field("from", epoch.from_s);
    json.Field("buckets", epoch.buckets);
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
  return object;
}

}  // namespace hourcell
