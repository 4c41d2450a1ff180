// Settings of OpenTSDB that mean nothing here (HBase, gnuplot, static files ...): accepted, so that
// its files can be used as they are, and named in a warning. Pure.

#pragma once

#include <span>
#include <string_view>

namespace hourcell {

// True for the keys below, and for all of HBase and its client, which come in any number.
bool IsIgnoredSetting(std::string_view key);

// Those that are known by name, sorted.
std::span<const std::string_view> IgnoredSettingKeys();

}  // namespace hourcell
