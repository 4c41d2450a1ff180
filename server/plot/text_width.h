// How wide a text will be, estimated from its letters in a usual sans-serif font: to a tenth or so,
// rather too wide than too narrow. No font is asked, so a figure is composed alike everywhere.
// Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>

namespace hourcell::plot {

// Pixels of `text`, UTF-8, in a font of `size` pixels.
double TextWidth(std::string_view text, double size);

// `text` as pictures can have it: control characters become question marks, bytes that are not
// UTF-8 U+FFFD.
std::string PrintableText(std::string_view text);

}  // namespace hourcell::plot
