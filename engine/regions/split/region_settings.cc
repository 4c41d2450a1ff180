#include "engine/regions/split/region_settings.h"

#include <fmt/format.h>

#include "codec/base/status_macros.h"

// Why all settings are read in one place: the server, the tool and the simulator take the same
// texts, and a name that one program does not know would be accepted by the other two in silence.

namespace hourcell {
namespace {

// Policies and restrictions that would silently do nothing.
absl::Status CheckPrefixes(const SplitSettings& split) {
  const bool wants_restriction = split.restriction.kind != RestrictionKind::kNone;
  if (wants_restriction && !split.restriction.is_active()) {
    const bool is_prefix = split.restriction.kind == RestrictionKind::kKeyPrefix;
    return absl::InvalidArgumentError(fmt::format(
        "tsd.region.split.restriction.{}: expected {} for restriction {}, got none",
        is_prefix ? "prefix_length" : "delimiter", is_prefix ? "a length from 1" : "a delimiter",
        is_prefix ? "KeyPrefix" : "DelimitedKeyPrefix"));
  }
  const bool is_prefix = split.policy == SplitPolicyKind::kKeyPrefix;
  const bool is_delimited = split.policy == SplitPolicyKind::kDelimitedKeyPrefix;
  if ((is_prefix || is_delimited) && !RestrictionOf(split).is_active()) {
    return absl::InvalidArgumentError(
        fmt::format("tsd.region.split.{}: expected {} for policy {}, got none",
                    is_prefix ? "prefix_length" : "delimiter",
                    is_prefix ? "a length from 1" : "a delimiter", SplitPolicyName(split.policy)));
  }
  return absl::OkStatus();
}

}  // namespace

RegionSettings HBaseRegionSettings() {
  return {.split = HBaseSplitSettings(), .normalizer = HBaseNormalizerSettings()};
}

absl::StatusOr<RegionSettings> ParseRegionSettings(const SettingMap& settings,
                                                   const RegionSettings& defaults) {
  RegionSettings parsed = defaults;
  SettingReader reader(settings);
  ReadSplitSettings(&reader, &parsed.split);
  ReadNormalizerSettings(&reader, &parsed.normalizer);
  reader.RefuseUnknown("tsd.region.split.");
  reader.RefuseUnknown("tsd.region.normalizer.");
  HOURCELL_RETURN_IF_ERROR(reader.status());
  HOURCELL_RETURN_IF_ERROR(CheckPrefixes(parsed.split));
  return parsed;
}

const std::set<std::string, std::less<>>& RegionSettingNames() {
  static const std::set<std::string, std::less<>> names = [] {
    const SettingMap none;
    RegionSettings settings;
    SettingReader reader(none);
    ReadSplitSettings(&reader, &settings.split);
    ReadNormalizerSettings(&reader, &settings.normalizer);
    return reader.asked();
  }();
  return names;
}

}  // namespace hourcell
