// A matrix as colours, the first row on top, with a colour scale on the right. Neighbours of one
// colour in a row are one RectMark of the role "cell", so that a large sparse map stays small;
// cells without a value keep the grey of the ground. Pure; thread-safe.

#pragma once

#include "server/plot/figure.h"
#include "server/plot/scene.h"

namespace hourcell::plot {

// REQUIRES: CheckFigure(figure) is OK, and it is of kHeatMap.
void DrawHeatMap(const Figure& figure, Scene* scene);

}  // namespace hourcell::plot
