// Scene: marks in drawing order, later ones on top. It separates composing a figure from writing
// it, so that each is tested alone. Lengths are pixels; y grows downwards.

#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace hourcell::plot {

struct Color {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;

  friend bool operator==(const Color&, const Color&) = default;
};

struct Place {
  double x = 0;
  double y = 0;
};

// The kind of a mark: the class of its SVG element, for tests and style sheets.
using Role = const char*;  // a literal

struct RectMark {
  Place corner = {};  // upper left
  double width = 0;
  double height = 0;
  Color fill = {};
  Role role = "";
  std::string tip = {};  // shown under the pointer; may be empty
};

struct LineMark {
  std::vector<Place> places = {};
  Color color = {};
  double width = 1;
  std::vector<double> dash = {};  // lengths drawn and left out in turn; empty = solid
  Role role = "";
  std::string tip = {};
};

struct DotMark {
  Place center = {};
  double radius = 3;
  Color fill = {};
  Role role = "";
  std::string tip = {};
};

enum class Anchor : uint8_t { kStart, kMiddle, kEnd };

struct TextMark {
  Place at = {};  // of the anchor, on the base line
  std::string text = {};
  double size = 12;
  Anchor anchor = Anchor::kStart;
  double degrees = 0;  // turned clockwise around the anchor
  bool is_bold = false;
  Color color = {};
  Role role = "";
};

using Mark = std::variant<RectMark, LineMark, DotMark, TextMark>;

struct Scene {
  double width = 0;
  double height = 0;
  std::vector<Mark> marks = {};
};

}  // namespace hourcell::plot
