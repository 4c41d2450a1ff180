// All settings of a table's regions, from texts by name: HBase's names, the attributes of HBase's
// tables, and ours (tsd.region.*). The list is in docs/regions.md. Pure.

#pragma once

#include <functional>
#include <set>
#include <string>

#include <absl/status/statusor.h>

#include "engine/regions/setting_reader.h"
#include "engine/regions/split/normalizer.h"
#include "engine/regions/split/split_settings.h"

namespace hourcell {

struct RegionSettings {
  SplitSettings split = {};
  NormalizerSettings normalizer = {};
};

// HBase 2.x's defaults, for comparison.
RegionSettings HBaseRegionSettings();

// `defaults` changed by `settings`. Unknown names are ignored, because a site file has many; but
// names that begin with tsd.region.split. or tsd.region.normalizer. must be known. kInvalidArgument
// with the name, the value and the expected form; also for a prefix policy or restriction without
// its delimiter or length, which HBase accepts and ignores.
absl::StatusOr<RegionSettings> ParseRegionSettings(const SettingMap& settings,
                                                   const RegionSettings& defaults = {});

// All names that ParseRegionSettings looks up, HBase's and ours.
const std::set<std::string, std::less<>>& RegionSettingNames();

}  // namespace hourcell
