// Composes a figure into a scene. Pure; thread-safe.

#pragma once

#include <absl/status/statusor.h>

#include "server/plot/figure.h"
#include "server/plot/scene.h"

namespace hourcell::plot {

// kInvalidArgument: as from CheckFigure.
absl::StatusOr<Scene> Compose(const Figure& figure);

}  // namespace hourcell::plot
