#include "server/graph/graph_look.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "engine/query/query_time.h"

namespace hourcell {
namespace {

using plot::LegendPlace;
using plot::LineStyle;

absl::Status WrongParam(std::string_view name, std::string_view got, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("{}: expected {}, got {}", name, want, QuoteForMessage(got)));
}

std::optional<uint32_t> SideOf(std::string_view text) {
  const std::optional<uint64_t> side = ParseUnsigned(text);
  if (!side.has_value() || *side < kGraphPxMin || *side > kGraphPxMax) return std::nullopt;
  return static_cast<uint32_t>(*side);
}

absl::Status TakeSize(std::string_view name, std::string_view text, GraphLook* look) {
  const size_t times = text.find('x');
  const std::optional<uint32_t> width = SideOf(text.substr(0, times));
  const std::optional<uint32_t> height =
      times == std::string_view::npos ? std::nullopt : SideOf(text.substr(times + 1));
  if (!width.has_value() || !height.has_value()) {
    return WrongParam(name, text,
                      fmt::format("WIDTHxHEIGHT in pixels, each {} to {}, such as 1024x768",
                                  kGraphPxMin, kGraphPxMax));
  }
  look->width_px = *width;
  look->height_px = *height;
  return absl::OkStatus();
}

// Parses an end of "[a:b]"; an empty one leaves `end` empty. False: not a number, or too large.
bool TakeEnd(std::string_view text, std::optional<double>* end) {
  end->reset();
  if (text.empty()) return true;
  const Parsed<double> number = ParseDouble(text);
  if (!number.ok() || !(std::fabs(*number) <= plot::kAxisMax)) return false;
  *end = *number;
  return true;
}

absl::Status TakeRange(std::string_view name, std::string_view text, GraphAxisLook* axis) {
  constexpr std::string_view kWant = "[LOW:HIGH], either of which may be left out, such as [0:100]";
  const size_t colon = text.find(':');
  if (!text.starts_with('[') || !text.ends_with(']') || colon == std::string_view::npos) {
    return WrongParam(name, text, kWant);
  }
  const std::string_view low = text.substr(1, colon - 1);
  const std::string_view high = text.substr(colon + 1, text.size() - colon - 2);
  if (!TakeEnd(low, &axis->min) || !TakeEnd(high, &axis->max)) {
    return WrongParam(name, text, kWant);
  }
  if (axis->min.has_value() && axis->max.has_value() && *axis->min >= *axis->max) {
    return WrongParam(name, text, "the lower end first");
  }
  return absl::OkStatus();
}

absl::Status TakeText(std::string_view name, std::string_view text, std::string* out) {
  if (text.size() > kGraphTextBytesMax) {
    return absl::InvalidArgumentError(fmt::format("{}: expected at most {} bytes, got {}", name,
                                                  kGraphTextBytesMax, text.size()));
  }
  *out = text;
  return absl::OkStatus();
}

absl::Status TakeNumberFormat(std::string_view name,
                              std::string_view text,
                              std::optional<NumberFormat>* out) {
  if (text.empty()) return absl::OkStatus();
  absl::StatusOr<NumberFormat> format = NumberFormat::Parse(text);
  if (!format.ok()) return WrongParam(name, text, MessageOf(format.status()));
  *out = *std::move(format);
  return absl::OkStatus();
}

absl::Status TakeTimeFormat(std::string_view name, std::string_view text, std::string* out) {
  constexpr std::string_view kOthers = "% :/.-";
  const bool is_plain = std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  });
  if (!is_plain || text.size() > kNumberFormatBytesMax) {
    return WrongParam(name, text, "a format of strftime, such as %H:%M, of at most 40 characters");
  }
  *out = text;
  return absl::OkStatus();
}

std::optional<plot::Color> ColorOf(std::string_view text) {
  constexpr size_t kDigits = 6;
  if (text.size() != kDigits + 1 || text.front() != 'x') return std::nullopt;
  uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 1, end, number, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return plot::Color{static_cast<uint8_t>(number >> 16), static_cast<uint8_t>(number >> 8 & 0xFF),
                     static_cast<uint8_t>(number & 0xFF)};
}

plot::Color Mix(plot::Color a, plot::Color b, double share) {
  const auto mix = [share](uint8_t from, uint8_t to) {
    return static_cast<uint8_t>(std::lround(from + share * (to - from)));
  };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

absl::Status TakeGround(std::string_view name, std::string_view text, GraphLook* look) {
  if (text == "transparent") {
    look->theme.ground.reset();
    return absl::OkStatus();
  }
  look->theme.ground = ColorOf(text);
  if (look->theme.ground.has_value()) return absl::OkStatus();
  return WrongParam(name, text, "xRRGGBB, or transparent");
}

absl::Status TakeInk(std::string_view name, std::string_view text, GraphLook* look) {
  const std::optional<plot::Color> ink = ColorOf(text);
  if (!ink.has_value()) return WrongParam(name, text, "xRRGGBB");
  look->theme.ink = *ink;
  return absl::OkStatus();
}

absl::Status TakeStyle(std::string_view name, std::string_view text, GraphLook* look) {
  static constexpr std::pair<std::string_view, LineStyle> kStyles[] = {
      {"lines", LineStyle::kLines},
      {"points", LineStyle::kPoints},
      {"linespoints", LineStyle::kLinesPoints},
      {"linespoint", LineStyle::kLinesPoints},
      {"dots", LineStyle::kDots},
      {"circles", LineStyle::kPoints},
      {"impulses", LineStyle::kImpulses},
      {"boxes", LineStyle::kImpulses},
      {"steps", LineStyle::kSteps},
      {"fsteps", LineStyle::kSteps},
      {"histeps", LineStyle::kSteps}};
  for (const auto& [word, style] : kStyles) {
    if (text != word) continue;
    look->style = style;
    return absl::OkStatus();
  }
  return WrongParam(name, text,
                    "lines, points, linespoints, dots, impulses or steps, or gnuplot's linespoint, "
                    "circles, boxes, fsteps or histeps");
}

absl::Status TakeSmooth(std::string_view name, std::string_view text, GraphLook* look) {
  constexpr std::string_view kCurves[] = {"csplines", "acsplines", "mcsplines", "bezier",
                                          "sbezier"};
  constexpr std::string_view kStraight[] = {"", "unique", "frequency"};
  look->is_smooth = std::ranges::find(kCurves, text) != std::end(kCurves);
  if (look->is_smooth || std::ranges::find(kStraight, text) != std::end(kStraight)) {
    return absl::OkStatus();
  }
  return WrongParam(name, text, "csplines, acsplines, mcsplines, bezier, sbezier or unique");
}

struct KeyWords {
  bool is_outside = false;
  bool is_left = false;
  bool is_low = false;
  bool is_right = false;
};

LegendPlace PlaceOf(const KeyWords& words) {
  if (words.is_outside) return words.is_right ? LegendPlace::kRight : LegendPlace::kAbove;
  if (words.is_low) return words.is_left ? LegendPlace::kBottomLeft : LegendPlace::kBottomRight;
  return words.is_left ? LegendPlace::kTopLeft : LegendPlace::kTopRight;
}

absl::Status TakeKey(std::string_view name, std::string_view text, GraphLook* look) {
  KeyWords words;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    constexpr std::string_view kNoMatter[] = {"",           "in",       "inside", "center",
                                              "top",        "horiz",    "vert",   "width",
                                              "horizontal", "vertical", "opaque", "noopaque"};
    if (word == "out" || word == "outside") {
      words.is_outside = true;
    } else if (word == "left") {
      words.is_left = true;
    } else if (word == "right") {
      words.is_right = true;
    } else if (word == "bottom") {
      words.is_low = true;
    } else if (word == "box") {
      look->has_legend_box = true;
    } else if (std::ranges::find(kNoMatter, word) == std::end(kNoMatter)) {
      return WrongParam(name, text, "words of out, in, left, right, center, top, bottom and box");
    }
  }
  look->legend = PlaceOf(words);
  return absl::OkStatus();
}

absl::Status TakeOption(std::string_view name, std::string_view text, GraphLook* look) {
  constexpr std::string_view kRight = "axis x1y2";
  if (!text.empty() && text != kRight && text != "axis x1y1") {
    return WrongParam(name, text, "axis x1y2, axis x1y1 or nothing");
  }
  look->is_right.push_back(text == kRight);
  return absl::OkStatus();
}

absl::Status TakeAxisParam(std::string_view name,
                           std::string_view rest,
                           std::string_view value,
                           GraphAxisLook* axis) {
  if (rest == "range") return TakeRange(name, value, axis);
  if (rest == "label") return TakeText(name, value, &axis->label);
  if (rest == "format") return TakeNumberFormat(name, value, &axis->format);
  if (rest == "log") axis->is_log = true;
  return absl::OkStatus();
}

absl::Status TakeParam(std::string_view name, std::string_view value, GraphLook* look) {
  if (name.starts_with("y2")) return TakeAxisParam(name, name.substr(2), value, &look->y2);
  if (name.starts_with("y")) return TakeAxisParam(name, name.substr(1), value, &look->y);
  if (name == "wxh") return TakeSize(name, value, look);
  if (name == "title") return TakeText(name, value, &look->title);
  if (name == "xformat") return TakeTimeFormat(name, value, &look->x_format);
  if (name == "key") return TakeKey(name, value, look);
  if (name == "bgcolor") return TakeGround(name, value, look);
  if (name == "fgcolor") return TakeInk(name, value, look);
  if (name == "style") return TakeStyle(name, value, look);
  if (name == "smooth") return TakeSmooth(name, value, look);
  if (name == "o") return TakeOption(name, value, look);
  return absl::OkStatus();
}

absl::Status CheckLogRange(std::string_view name, const GraphAxisLook& axis) {
  if (!axis.is_log) return absl::OkStatus();
  for (const std::optional<double>& end : {axis.min, axis.max}) {
    if (end.has_value() && *end < 1 / plot::kAxisMax) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: expected a positive number, as the axis is logarithmic, got an end of {}", name,
          *end));
    }
  }
  return absl::OkStatus();
}

// The grid and notes get colours between the two, so that they are visible on any ground.
void CompleteTheme(plot::Theme* theme) {
  const plot::Color ground = theme->ground.value_or(plot::kWhite);
  theme->grid = Mix(ground, theme->ink, 0.15);
  theme->note = Mix(ground, theme->ink, 0.7);
}

}  // namespace

absl::StatusOr<GraphLook> ParseGraphLook(const HttpRequest& request, std::string_view timezone) {
  HOURCELL_RETURN_IF_ERROR(CheckGraphOptions(request));
  GraphLook look;
  for (const auto& [name, value] : request.params)
    HOURCELL_RETURN_IF_ERROR(TakeParam(name, value, &look));
  if (request.has_param("nokey")) look.legend = LegendPlace::kNone;
  HOURCELL_RETURN_IF_ERROR(CheckLogRange("yrange", look.y));
  HOURCELL_RETURN_IF_ERROR(CheckLogRange("y2range", look.y2));
  for (const std::string_view name : {"tz", "timezone"}) {
    if (const std::string* const zone = request.param(name); zone != nullptr) timezone = *zone;
  }
  HOURCELL_ASSIGN_OR_RETURN(look.zone, ParseTimezone(timezone));
  CompleteTheme(&look.theme);
  return look;
}

absl::Status CheckGraphOptions(const HttpRequest& request) {
  const auto count = [&](std::string_view name) {
    return std::ranges::count(request.params, name, &std::pair<std::string, std::string>::first);
  };
  if (count("o") == 0 || count("o") == count("m") || request.method == "POST") {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("{} `o' parameters, but {} `m' parameters.", count("o"), count("m")));
}

}  // namespace hourcell
