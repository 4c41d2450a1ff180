// Lines through points. A line is a LineMark of the role "line" for each stretch without a gap; a
// series of few points has a DotMark of the role "dot" on each. Pure; thread-safe.

#pragma once

#include "server/plot/figure.h"
#include "server/plot/scene.h"

namespace hourcell::plot {

// REQUIRES: CheckFigure(figure) is OK, and it is of kLines.
void DrawLines(const Figure& figure, Scene* scene);

}  // namespace hourcell::plot
