// Bars in groups: a group for each category, in it a bar for each series. A bar is a RectMark of
// the role "bar"; if it is wide enough, its value is above it. Pure; thread-safe.

#pragma once

#include "server/plot/figure.h"
#include "server/plot/scene.h"

namespace hourcell::plot {

// REQUIRES: CheckFigure(figure) is OK, and it is of kBars.
void DrawBars(const Figure& figure, Scene* scene);

}  // namespace hourcell::plot
