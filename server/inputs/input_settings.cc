#include "server/inputs/input_settings.h"

#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/rows/layout.h"
#include "codec/text/name.h"
#include "codec/text/point_text.h"
#include "server/config/setting_list.h"

namespace hourcell {
namespace {

constexpr std::string_view kDefaultTag = "tsd.inputs.default_tag";
constexpr std::string_view kExponential = "tsd.inputs.exponential_histograms";
constexpr std::string_view kPrometheusNames = "tsd.prometheus.names";
constexpr std::string_view kSeparator = "tsd.influx.separator";
constexpr std::string_view kResourceAttributes = "tsd.otlp.resource_attributes";

bool IsName(std::string_view text, const std::string& extra_chars) {
  return NameFault(text, NameEncoding::kLatin1, extra_chars).empty();
}

}  // namespace

absl::StatusOr<InputSettings> InputSettingsOf(const Config& config) {
  const std::string extra_chars = config.text("tsd.core.tag.allow_specialchars");
  const std::string default_tag = config.text(kDefaultTag);
  InputSettings settings{.prometheus_utf8_names = config.text(kPrometheusNames) == "utf8",
                         .influx_separator = config.text(kSeparator)};
  settings.has_whole_histograms = config.text(kExponential) == "whole";
  settings.tags_max = static_cast<size_t>(config.integer("tsd.storage.max_tags"));
  const std::string attributes = config.text(kResourceAttributes);
  for (const std::string_view attribute : ListItems(attributes))
    settings.otlp_resource_attributes.emplace_back(attribute);
  const Parsed<TagView> tag = ParseTagWord(default_tag);
  if (!tag.ok() || !IsName(tag->key, extra_chars) || !IsName(tag->value, extra_chars)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected tagk=tagv, got {}", kDefaultTag, QuoteForMessage(default_tag)));
  }
  settings.default_tag_key = tag->key;
  settings.default_tag_value = tag->value;
  settings.default_tag = fmt::format("{0}{1}{0}{2}", kTagSeparator, tag->key, tag->value);
  if (!settings.influx_separator.empty() && !IsName(settings.influx_separator, extra_chars)) {
    return absl::InvalidArgumentError(fmt::format("{}: expected characters of a metric, got {}",
                                                  kSeparator,
                                                  QuoteForMessage(settings.influx_separator)));
  }
  return settings;
}

}  // namespace hourcell
