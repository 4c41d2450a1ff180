// A scene as PNG, by cairo. Thread-safe as far as cairo's fonts are: it locks them itself.

#pragma once

#include <string>

#include <absl/status/statusor.h>

#include "server/plot/scene.h"

namespace hourcell::plot {

// Pixels of the picture for one of the scene, in each direction: sharp on dense screens and in
// print.
inline constexpr int kPngScale = 2;

// The bytes of the file. kResourceExhausted: cairo has no memory for it.
absl::StatusOr<std::string> RenderPng(const Scene& scene);

}  // namespace hourcell::plot
