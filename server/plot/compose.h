// A figure becomes a scene. Pure; thread-safe.

#pragma once

#include <absl/status/statusor.h>

#include "server/plot/figure.h"
#include "server/plot/scene.h"

namespace hourcell::plot {

// kInvalidArgument: what CheckFigure says.
absl::StatusOr<Scene> Compose(const Figure& figure);

}  // namespace hourcell::plot
