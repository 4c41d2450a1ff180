// Settings as flags: `--tsd.x.y=value` and `--tsd.x.y value`, for every setting there is. Pure.

#pragma once

#include <string>
#include <vector>

namespace hourcell {

// `args` with each such flag as `--set tsd.x.y=value`, up to a `--`. A flag without a value stays
// as it is, for the parser to refuse.
std::vector<std::string> RewriteSettingFlags(const std::vector<std::string>& args);

}  // namespace hourcell
