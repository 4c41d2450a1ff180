#include "server/plot/text_width.h"

#include <cstdint>

#include "codec/base/strings.h"

namespace hourcell::plot {
namespace {

// Relative to the font's size. The widths are those of DejaVu Sans, the widest of the usual fonts.
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

std::string PrintableText(std::string_view text) {
  constexpr uint32_t kReplacement = 0xFFFD;
  std::string printable;
  while (!text.empty()) {
    const size_t length = Utf8SequenceLength(text);
    if (length == 0) {
      AppendUtf8(kReplacement, &printable);
      text.remove_prefix(1);
      continue;
    }
    const std::string_view letter = text.substr(0, length);
    // XML does not allow U+FFFE and U+FFFF.
    const bool is_none = letter == "\xEF\xBF\xBE" || letter == "\xEF\xBF\xBF";
    const bool is_control =
        length == 1 && (static_cast<unsigned char>(letter[0]) < 0x20 || letter[0] == 0x7F);
    printable.append(is_none || is_control ? "?" : letter);
    text.remove_prefix(length);
  }
  return printable;
}

}  // namespace hourcell::plot
