// The table of settings: every one that means something here. Thread-safe.
//
// Settings of regions (docs/regions.md) are not in it: the engine knows their names, ours and
// HBase's, and checks them together. Those that are accepted and do nothing: ignored_settings.h.

#pragma once

#include <span>
#include <string_view>

#include "server/config/setting.h"

namespace hourcell {

// In the order of help.
std::span<const Setting> SettingTable();

// Null if it has none of that key.
const Setting* FindSetting(std::string_view key);

// True for settings of the regions of the data table, those of a whole HBase site among them; not
// for the attributes that HBase gives to single tables.
bool IsRegionSetting(std::string_view key);

// The key of all that are accepted that `key` is nearest to: what may have been meant. Empty if
// none is near.
std::string_view NearestSetting(std::string_view key);

}  // namespace hourcell
