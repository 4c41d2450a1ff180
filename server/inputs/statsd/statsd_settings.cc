#include "server/inputs/statsd/statsd_settings.h"

#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/rows/layout.h"
#include "codec/text/name.h"
#include "codec/text/number.h"
#include "server/config/setting_list.h"

namespace hourcell {

absl::StatusOr<StatsdSettings> StatsdSettingsOf(const Config& config) {
  StatsdSettings settings{.prefix = config.text("tsd.statsd.prefix"),
                          .series_max = static_cast<size_t>(config.integer("tsd.statsd.series")),
                          .memory_bytes = static_cast<size_t>(config.integer("tsd.statsd.memory")),
                          .flush_s = config.integer("tsd.statsd.flush")};
  const std::string extra_chars = config.text("tsd.core.tag.allow_specialchars");
  if (!settings.prefix.empty() &&
      !NameFault(settings.prefix, NameEncoding::kLatin1, extra_chars).empty()) {
    return absl::InvalidArgumentError(
        fmt::format("tsd.statsd.prefix: expected characters of a metric, got {}",
                    QuoteForMessage(settings.prefix)));
  }
  const std::string percentiles = config.text("tsd.statsd.percentiles");
  for (const std::string_view item : ListItems(percentiles)) {
    const Parsed<double> percent = ParseDouble(item);
    const bool is_plain = item.find_first_not_of("0123456789.") == item.npos;
    if (!is_plain || !percent.ok() || !(*percent > 0 && *percent <= 100)) {
      return absl::InvalidArgumentError(
          fmt::format("tsd.statsd.percentiles: expected numbers above 0 and at most 100, got {}",
                      QuoteForMessage(item)));
    }
    settings.percentiles.push_back({.percent = *percent, .suffix = fmt::format(".p{}", item)});
  }
  return settings;
}

}  // namespace hourcell
