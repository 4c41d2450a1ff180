#include "server/plot/text_width.h"

#include <algorithm>

namespace hourcell::plot {
namespace {

// Of the font's size. The widths are those of DejaVu Sans, the widest of the usual ones.
double LetterWidth(char c) {
  constexpr std::string_view kNarrow = " .,:;'|!()[]/iljftI-";
  constexpr std::string_view kWide = "mwMW%@";
  if (kNarrow.find(c) != kNarrow.npos) return 0.37;
  if (kWide.find(c) != kWide.npos) return 0.95;
  return c >= 'A' && c <= 'Z' ? 0.70 : 0.62;
}

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

double TextWidth(std::string_view text, double size) {
  double width = 0;
  for (const char c : text) {
    if (!IsContinuation(c)) width += LetterWidth(c);
  }
  return width * size;
}

}  // namespace hourcell::plot
