#include <algorithm>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/graph/graph_look.h"
#include "server/plot/compose.h"
#include "tests/fuzz/fuzz_input.h"

// Any parameters "name=value&..." of a graph are refused, or a figure that looks so can be drawn.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  HttpRequest request;
  request.method = "POST";
  for (std::string_view rest = InputText(data, size); !rest.empty();) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    const size_t equals = std::min(pair.find('='), pair.size());
    request.params.emplace_back(pair.substr(0, equals),
                                pair.substr(std::min(equals + 1, pair.size())));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const absl::StatusOr<GraphLook> look = ParseGraphLook(request, "");
  if (!look.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(look.status()));
    return 0;
  }
  plot::Figure figure{.kind = plot::FigureKind::kLines,
                      .title = look->title,
                      .y = {.title = look->y.label,
                            .is_log = look->y.is_log,
                            .min = look->y.min,
                            .max = look->y.max,
                            .is_exact = true},
                      .series = {{.name = "line", .x = {1, 2}, .y = {-1e308, 1e308}}},
                      .width_px = look->width_px,
                      .height_px = look->height_px,
                      .theme = look->theme,
                      .legend = look->legend,
                      .has_legend_box = look->has_legend_box};
  if (look->y.format.has_value()) {
    figure.y.label = [format = *look->y.format](double value) { return format.Print(value); };
  }
  HOURCELL_CHECK(plot::Compose(figure).ok());
  return 0;
}
