// A scene as PNG, by cairo. Thread-safe as far as cairo's fonts are: it locks them itself.

#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <absl/status/statusor.h>

#include "server/plot/scene.h"

namespace hourcell::plot {

// Pixels of the picture for one of the scene, in each direction: sharp on dense screens and in
// print.
inline constexpr int kPngScale = 2;

struct PngOptions {
  int scale = kPngScale;
  bool has_alpha = false;              // what no mark covers is transparent, else black
  std::function<bool()> goes_on = {};  // false: stop; asked now and then
};

// The bytes of the file. kResourceExhausted: cairo has no memory for it; kCancelled: by `goes_on`.
absl::StatusOr<std::string> RenderPng(const Scene& scene, const PngOptions& options = {});

// What a picture takes while it is rendered, without its file.
size_t PngBytes(double width, double height, int scale);

}  // namespace hourcell::plot
