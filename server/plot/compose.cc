#include "server/plot/compose.h"

#include "codec/base/status_macros.h"
#include "server/plot/bar_chart.h"
#include "server/plot/heat_map.h"
#include "server/plot/line_chart.h"

namespace hourcell::plot {

absl::StatusOr<Scene> Compose(const Figure& figure) {
  HOURCELL_RETURN_IF_ERROR(CheckFigure(figure));
  Scene scene;
  switch (figure.kind) {
    case FigureKind::kBars:
      DrawBars(figure, &scene);
      break;
    case FigureKind::kLines:
      DrawLines(figure, &scene);
      break;
    case FigureKind::kHeatMap:
      DrawHeatMap(figure, &scene);
      break;
  }
  return scene;
}

}  // namespace hourcell::plot
