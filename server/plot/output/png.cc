#include "server/plot/output/png.h"

#include <cmath>
#include <memory>

#include <cairo.h>
#include <fmt/format.h>

#include "server/plot/text_width.h"

namespace hourcell::plot {
namespace {

struct SurfaceCloser {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct ContextCloser {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceCloser>;
using Context = std::unique_ptr<cairo_t, ContextCloser>;

constexpr double kTurn = 2 * 3.14159265358979323846;

class PngPainter {
 public:
  explicit PngPainter(cairo_t* cairo) : cairo_(cairo) {}

  void operator()(const RectMark& mark) {
    SetColor(mark.fill);
    // Otherwise the ground shows between neighbours through their soft edges.
    cairo_set_antialias(cairo_, CAIRO_ANTIALIAS_NONE);
    cairo_rectangle(cairo_, mark.corner.x, mark.corner.y, mark.width, mark.height);
    cairo_fill(cairo_);
    cairo_set_antialias(cairo_, CAIRO_ANTIALIAS_DEFAULT);
  }

  void operator()(const LineMark& mark) {
    SetColor(mark.color);
    cairo_set_line_width(cairo_, mark.width);
    cairo_set_dash(cairo_, mark.dash.data(), static_cast<int>(mark.dash.size()), 0);
    cairo_new_path(cairo_);  // a text leaves its end as the current point
    for (const Place& place : mark.places)
      cairo_line_to(cairo_, place.x, place.y);
    cairo_stroke(cairo_);
  }

  void operator()(const DotMark& mark) {
    SetColor(mark.fill);
    cairo_new_path(cairo_);
    cairo_arc(cairo_, mark.center.x, mark.center.y, mark.radius, 0, kTurn);
    cairo_fill(cairo_);
  }

  void operator()(const TextMark& mark) {
    SetColor(mark.color);
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           mark.is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_, mark.size);
    // Cairo draws nothing more after a text that is not UTF-8.
    const std::string text = PrintableText(mark.text);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, text.c_str(), &extents);
    const double shift = mark.anchor == Anchor::kStart    ? 0
                         : mark.anchor == Anchor::kMiddle ? extents.x_advance / 2
                                                          : extents.x_advance;
    cairo_save(cairo_);
    cairo_translate(cairo_, mark.at.x, mark.at.y);
    cairo_rotate(cairo_, mark.degrees * kTurn / 360);
    cairo_move_to(cairo_, -shift, 0);
    cairo_show_text(cairo_, text.c_str());
    cairo_restore(cairo_);
  }

 private:
  void SetColor(Color color) {
    cairo_set_source_rgb(cairo_, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
  }

  cairo_t* const cairo_;
};

cairo_status_t AppendBytes(void* out, const unsigned char* bytes, unsigned int size) {
  static_cast<std::string*>(out)->append(bytes, bytes + size);
  return CAIRO_STATUS_SUCCESS;
}

absl::Status FromCairo(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format("cairo: {}", cairo_status_to_string(status)));
}

}  // namespace

size_t PngBytes(double width, double height, int scale) {
  constexpr double kPixelBytes = 4;
  return static_cast<size_t>(width * height * scale * scale * kPixelBytes);
}

absl::StatusOr<std::string> RenderPng(const Scene& scene, const PngOptions& options) {
  const int width = static_cast<int>(std::lround(scene.width)) * options.scale;
  const int height = static_cast<int>(std::lround(scene.height)) * options.scale;
  const Surface surface(cairo_image_surface_create(
      options.has_alpha ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24, width, height));
  const Context context(cairo_create(surface.get()));
  cairo_scale(context.get(), options.scale, options.scale);
  PngPainter painter(context.get());
  constexpr size_t kMarksAtOnce = 256;
  for (size_t i = 0; i < scene.marks.size(); ++i) {
    if (i % kMarksAtOnce == 0 && options.goes_on && !options.goes_on()) {
      return absl::CancelledError("The picture was cancelled");
    }
    std::visit(painter, scene.marks[i]);
  }
  if (absl::Status drawn = FromCairo(cairo_status(context.get())); !drawn.ok()) return drawn;
  std::string bytes;
  const absl::Status written =
      FromCairo(cairo_surface_write_to_png_stream(surface.get(), &AppendBytes, &bytes));
  if (!written.ok()) return written;
  return bytes;
}

}  // namespace hourcell::plot
