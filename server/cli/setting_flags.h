// Settings as flags: `--tsd.x.y=value` and `--tsd.x.y value`, for every setting. Pure.

#pragma once

#include <string>
#include <vector>

namespace hourcell {

// `args` with each such flag before a `--` replaced by `--set tsd.x.y=value`. A flag without a
// value is unchanged; the parser refuses it.
std::vector<std::string> RewriteSettingFlags(const std::vector<std::string>& args);

}  // namespace hourcell
