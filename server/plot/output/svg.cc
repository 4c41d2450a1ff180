#include "server/plot/output/svg.h"

#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/plot/text_width.h"

namespace hourcell::plot {
namespace {

constexpr std::string_view kFonts = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

// A length, with at most two decimals.
std::string Px(double length) {
  std::string text = fmt::format("{:.2f}", length);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string Hex(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

std::string XmlText(std::string_view text) {
  return EscapeMarkup(PrintableText(text));
}

class SvgWriter {
 public:
  explicit SvgWriter(const Scene& scene) : scene_(scene) {}

  std::string Run() {
    Add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"{2}\">\n",
        Px(scene_.width), Px(scene_.height), kFonts);
    for (const Mark& mark : scene_.marks)
      std::visit(*this, mark);
    out_ += "</svg>\n";
    return std::move(out_);
  }

  void operator()(const RectMark& mark) {
    Add("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
        "shape-rendering=\"crispEdges\"",
        mark.role, Px(mark.corner.x), Px(mark.corner.y), Px(mark.width), Px(mark.height),
        Hex(mark.fill));
    End("rect", mark.tip);
  }

  void operator()(const LineMark& mark) {
    std::string places;
    for (const Place& place : mark.places) {
      if (!places.empty()) places += ' ';
      places += Px(place.x) + "," + Px(place.y);
    }
    Add("<polyline class=\"{}\" points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"",
        mark.role, places, Hex(mark.color), Px(mark.width));
    if (!mark.dash.empty()) Add(" stroke-dasharray=\"{}\"", fmt::join(mark.dash, " "));
    End("polyline", mark.tip);
  }

  void operator()(const DotMark& mark) {
    Add("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"", mark.role,
        Px(mark.center.x), Px(mark.center.y), Px(mark.radius), Hex(mark.fill));
    End("circle", mark.tip);
  }

  void operator()(const TextMark& mark) {
    constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
    Add("<text class=\"{}\" x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"", mark.role,
        Px(mark.at.x), Px(mark.at.y), Px(mark.size), Hex(mark.color));
    if (mark.anchor != Anchor::kStart) {
      Add(" text-anchor=\"{}\"", kAnchors[static_cast<size_t>(mark.anchor)]);
    }
    if (mark.is_bold) out_ += " font-weight=\"bold\"";
    if (mark.degrees != 0) {
      Add(" transform=\"rotate({} {} {})\"", Px(mark.degrees), Px(mark.at.x), Px(mark.at.y));
    }
    Add(">{}</text>\n", XmlText(mark.text));
  }

 private:
  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void End(std::string_view element, const std::string& tip) {
    if (tip.empty()) {
      out_ += "/>\n";
    } else {
      Add("><title>{}</title></{}>\n", XmlText(tip), element);
    }
  }

  const Scene& scene_;
  std::string out_;
};

}  // namespace

std::string SvgText(const Scene& scene) {
  return SvgWriter(scene).Run();
}

}  // namespace hourcell::plot
