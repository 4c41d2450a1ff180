// A scene as PNG, rendered with cairo. Thread-safe: cairo locks its fonts.

#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <absl/status/statusor.h>

#include "server/plot/scene.h"

namespace hourcell::plot {

// Pixels of the picture per pixel of the scene, in each direction: sharp on dense screens and in
// print.
inline constexpr int kPngScale = 2;

struct PngOptions {
  int scale = kPngScale;
  bool has_alpha = false;              // pixels without a mark are transparent, else black
  std::function<bool()> goes_on = {};  // called now and then; false: stop
};

// The bytes of the file. kResourceExhausted: cairo is out of memory; kCancelled: by `goes_on`.
absl::StatusOr<std::string> RenderPng(const Scene& scene, const PngOptions& options = {});

// Memory for rendering a picture, without its file.
size_t PngBytes(double width, double height, int scale);

}  // namespace hourcell::plot
