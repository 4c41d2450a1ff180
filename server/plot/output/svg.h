// A scene as SVG 1.1: texts stay texts, each mark has its role as class, and its tip as <title>,
// which browsers show under the pointer. The same scene gives the same bytes. Pure; thread-safe.

#pragma once

#include <string>

#include "server/plot/scene.h"

namespace hourcell::plot {

std::string SvgText(const Scene& scene);

}  // namespace hourcell::plot
