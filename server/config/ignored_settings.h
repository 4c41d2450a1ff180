// Settings of OpenTSDB without effect here (HBase, gnuplot, static files ...). They are accepted,
// so that OpenTSDB's files work unchanged, and named in a warning. Pure.

#pragma once

#include <span>
#include <string_view>

namespace hourcell {

// True for the keys below, and for all keys of HBase and its client, which are not listed.
bool IsIgnoredSetting(std::string_view key);

// The listed keys, sorted.
std::span<const std::string_view> IgnoredSettingKeys();

}  // namespace hourcell
