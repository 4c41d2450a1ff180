// Figures to files. Thread-safe.

#pragma once

#include <string>

#include <absl/status/status.h>

#include "server/plot/figure.h"

namespace hourcell::plot {

// Replaces the file at `path`; its directory must exist. kInvalidArgument: as from CheckFigure.
// kUnavailable: the file cannot be written; with its path and the cause.
absl::Status WriteSvg(const Figure& figure, const std::string& path);
absl::Status WritePng(const Figure& figure, const std::string& path);

}  // namespace hourcell::plot
