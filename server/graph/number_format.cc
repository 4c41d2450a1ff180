#include "server/graph/number_format.h"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr int kPrecisionMax = 17;

absl::Status WrongFormat(std::string_view pattern, std::string_view what) {
  return absl::InvalidArgumentError(
      fmt::format("number format: expected one conversion such as %.2f, %g, %e or %s %c, and plain "
                  "text around it, got {}, which {}",
                  QuoteForMessage(pattern), what));
}

struct Conversion {
  char kind = 0;
  int precision = -1;
};

// The conversion at the start of `text`, after its percent sign; removes it from `text`.
std::optional<Conversion> TakeConversion(std::string_view* text) {
  Conversion found;
  const auto take_digits = [text] {
    int number = 0;
    while (!text->empty() && text->front() >= '0' && text->front() <= '9' && number < 100) {
      number = number * 10 + (text->front() - '0');
      text->remove_prefix(1);
    }
    return number;
  };
  if (text->starts_with('-')) text->remove_prefix(1);
  take_digits();  // a width would only pad
  if (text->starts_with('.')) {
    text->remove_prefix(1);
    found.precision = take_digits();
  }
  if (text->starts_with('l')) text->remove_prefix(1);
  if (text->empty() || found.precision > kPrecisionMax) return std::nullopt;
  found.kind = text->front();
  text->remove_prefix(1);
  return found;
}

std::string PrintAs(char kind, int precision, double value) {
  std::string text;
  const auto out = std::back_inserter(text);
  const int digits = precision >= 0 ? precision : 6;
  switch (kind) {
    case 'f':
      fmt::format_to(out, "{:.{}f}", value, digits);
      break;
    case 'e':
      fmt::format_to(out, "{:.{}e}", value, digits);
      break;
    default:
      fmt::format_to(out, "{:.{}g}", value, digits);
  }
  return text;
}

}  // namespace

absl::StatusOr<NumberFormat> NumberFormat::Parse(std::string_view pattern) {
  if (pattern.size() > kNumberFormatBytesMax) return WrongFormat(pattern, "is too long");
  NumberFormat format;
  bool has_number = false;
  std::string* text = &format.prefix_;
  for (std::string_view rest = pattern; !rest.empty();) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '%') {
      *text += c;
      continue;
    }
    if (rest.starts_with('%')) {
      *text += '%';
      rest.remove_prefix(1);
      continue;
    }
    const std::optional<Conversion> found = TakeConversion(&rest);
    if (!found.has_value()) return WrongFormat(pattern, "ends in a conversion or is too precise");
    if (found->kind == 'c' && format.kind_ == 's' && has_number && !format.has_letter_) {
      format.has_letter_ = true;
      text = &format.suffix_;
      continue;
    }
    if (std::string_view("fegs").find(found->kind) == std::string_view::npos) {
      return WrongFormat(pattern, "has an unknown conversion");
    }
    if (has_number) return WrongFormat(pattern, "has two conversions");
    has_number = true;
    format.kind_ = found->kind;
    format.precision_ = found->precision;
    text = &format.between_;
  }
  if (!has_number) return WrongFormat(pattern, "has no conversion");
  return format;
}

std::string NumberFormat::Print(double value) const {
  if (kind_ != 's') return prefix_ + PrintAs(kind_, precision_, value) + between_ + suffix_;
  constexpr std::string_view kLetters[] = {"f", "p", "n", "u", "m", " ",
                                           "k", "M", "G", "T", "P", "E"};
  constexpr int kPlain = 5;
  constexpr int kLast = static_cast<int>(std::size(kLetters)) - 1;
  int power = kPlain;
  double scaled = value;
  while (std::fabs(scaled) >= 1000 && power < kLast) {
    scaled /= 1000;
    ++power;
  }
  while (scaled != 0 && std::fabs(scaled) < 1 && power > 0) {
    scaled *= 1000;
    --power;
  }
  std::string text = prefix_ + PrintAs(precision_ >= 0 ? 'f' : 'g', precision_, scaled) + between_;
  if (has_letter_ && power != kPlain) text += kLetters[power];
  return text + suffix_;
}

}  // namespace hourcell
