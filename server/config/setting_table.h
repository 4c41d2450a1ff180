// The table of all settings that have an effect. Thread-safe.
//
// It does not contain the settings of regions (docs/regions.md): the engine has their names, ours
// and HBase's, and checks them together. ignored_settings.h has the settings without effect.

#pragma once

#include <span>
#include <string_view>

#include "server/config/setting.h"

namespace hourcell {

// In the order of help.
std::span<const Setting> SettingTable();

// Null if the table does not have the key.
const Setting* FindSetting(std::string_view key);

// True for settings of the regions of the data table, including those of a whole HBase site; not
// for HBase's attributes of single tables.
bool IsRegionSetting(std::string_view key);

// The accepted key nearest to `key`, to suggest it. Empty if none is near.
std::string_view NearestSetting(std::string_view key);

}  // namespace hourcell
