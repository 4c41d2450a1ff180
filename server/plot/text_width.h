// Estimates the width of a text from its letters in a usual sans-serif font, to about a tenth, and
// rather too wide than too narrow. It uses no font, so a figure looks the same on every machine.
// Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>

namespace hourcell::plot {

// Pixels of `text`, UTF-8, in a font of `size` pixels.
double TextWidth(std::string_view text, double size);

// `text` for a picture: control characters become question marks, bytes that are not UTF-8 U+FFFD.
std::string PrintableText(std::string_view text);

}  // namespace hourcell::plot
