// Scene: what is to be drawn, mark after mark, later ones on top. Between composing a figure and
// writing it, so that both are tested without the other. Lengths are pixels; y grows downwards.

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

// What a mark is: the class of its SVG element, by which tests and style sheets find it.
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
