// Figures to files. Thread-safe.

#pragma once

#include <string>

#include <absl/status/status.h>

#include "server/plot/figure.h"

namespace hourcell::plot {

// Replaces the file at `path`, of which the directory exists. kInvalidArgument: what CheckFigure
// says. kUnavailable: the file cannot be written; with its path and why.
absl::Status WriteSvg(const Figure& figure, const std::string& path);
absl::Status WritePng(const Figure& figure, const std::string& path);

}  // namespace hourcell::plot
