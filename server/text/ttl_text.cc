#include "server/text/ttl_text.h"

#include <charconv>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "engine/query/query_time.h"

namespace hourcell {
namespace {

absl::Status Refuse(std::string_view text) {
  return absl::InvalidArgumentError(
      fmt::format("ttl: expected seconds, a duration of at least a second as 30d or 12h, forever, "
                  "or default, got {}",
                  QuoteForMessage(text)));
}

}  // namespace

absl::StatusOr<std::optional<int64_t>> ParseTtl(std::string_view text) {
  if (text == "default") return std::optional<int64_t>();
  if (text == "forever") return std::optional<int64_t>(0);
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || seconds < 0) return Refuse(text);
  if (end == text.data() + text.size()) return std::optional<int64_t>(seconds);
  const absl::StatusOr<int64_t> ms = ParseDuration(text);
  if (!ms.ok() || *ms < 1000) return Refuse(text);
  return std::optional<int64_t>(*ms / 1000);
}

std::string TtlText(int64_t ttl_s) {
  struct Unit {
    int64_t seconds;
    char letter;
  };
  if (ttl_s == 0) return "forever";
  for (const Unit unit : {Unit{86400, 'd'}, Unit{3600, 'h'}, Unit{60, 'm'}}) {
    if (ttl_s % unit.seconds == 0) return fmt::format("{}{}", ttl_s / unit.seconds, unit.letter);
  }
  return fmt::format("{}s", ttl_s);
}

}  // namespace hourcell
