#include "promql/values/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <absl/strings/charconv.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell::promql {
namespace {

// The fewest digits that read back as a finite number: 0.digits * 10 ^ point.
struct Decimal {
  bool is_negative = false;
  std::string digits;
  int point = 0;
  int exponent() const { return point - 1; }  // with one digit before the point
};

Decimal ToDecimal(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const size_t e = text.find('e');
  Decimal decimal;
  decimal.is_negative = std::signbit(value);
  for (const char c : text.substr(0, e)) {
    if (c != '.') decimal.digits += c;
  }
  const size_t exponent_at = text[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(text.data() + exponent_at, end, decimal.point);
  ++decimal.point;
  return decimal;
}

void AppendWithoutExponent(const Decimal& decimal, std::string* out) {
  if (decimal.is_negative) *out += '-';
  const auto size = static_cast<int>(decimal.digits.size());
  if (decimal.point <= 0) {
    *out += "0.";
    out->append(static_cast<size_t>(-decimal.point), '0');
    *out += decimal.digits;
  } else if (decimal.point >= size) {
    *out += decimal.digits;
    out->append(static_cast<size_t>(decimal.point - size), '0');
  } else {
    const auto point = static_cast<size_t>(decimal.point);
    out->append(decimal.digits, 0, point);
    *out += '.';
    out->append(decimal.digits, point);
  }
}

void AppendWithExponent(const Decimal& decimal, std::string* out) {
  if (decimal.is_negative) *out += '-';
  *out += decimal.digits[0];
  if (decimal.digits.size() > 1) {
    *out += '.';
    out->append(decimal.digits, 1);
  }
  fmt::format_to(std::back_inserter(*out), "e{}{:02}", decimal.exponent() < 0 ? '-' : '+',
                 std::abs(decimal.exponent()));
}

// Most values: they need no exponent, and their fewest digits are those of the fixed notation.
// False: another value.
bool AppendUsual(double value, std::string* out) {
  constexpr double kLeast = 1e-6;
  constexpr double kGreatest = 1e15;
  const double size = std::abs(value);
  if (!(size < kGreatest) || (size < kLeast && size != 0)) return false;
  std::array<char, 32> buffer;
  const auto integer = static_cast<int64_t>(value);
  char* const begin = buffer.data();
  char* const limit = begin + buffer.size();
  const bool is_integer = static_cast<double>(integer) == value && value != 0;  // not -0
  char* const end = is_integer ? std::to_chars(begin, limit, integer).ptr
                               : std::to_chars(begin, limit, value, std::chars_format::fixed).ptr;
  out->append(begin, end);
  return true;
}

// False: the value is finite.
bool AppendNotFinite(double value, std::string* out) {
  if (std::isfinite(value)) return false;
  if (std::isnan(value)) {
    *out += "NaN";
  } else {
    *out += value > 0 ? "+Inf" : "-Inf";
  }
  return true;
}

// Null: the text is neither an infinity nor NaN.
std::optional<double> ParseNotFinite(std::string_view text) {
  const std::string lower = LowerCase(text);
  if (lower == "nan") return std::numeric_limits<double>::quiet_NaN();
  const bool is_signed = lower.starts_with('+') || lower.starts_with('-');
  const std::string_view word = std::string_view(lower).substr(is_signed ? 1 : 0);
  if (word != "inf" && word != "infinity") return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return lower.front() == '-' ? -infinity : infinity;
}

char DigitOf(int digit) {
  return static_cast<char>('0' + digit);
}

bool IsDigit(char c, bool is_hexadecimal) {
  if (c >= '0' && c <= '9') return true;
  const char lower = static_cast<char>(c | 0x20);
  return is_hexadecimal && lower >= 'a' && lower <= 'f';
}

// Go's literals of floats, without sign: digits with one point, and an exponent, which hexadecimal
// ones need; an underscore between two digits, or between 0x and a digit.
class NumberScanner final {
 public:
  explicit NumberScanner(std::string_view text) : rest_(text) {
    if (text.size() >= 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
      is_hexadecimal_ = true;
      follows_digit_ = true;  // 0x_1 is allowed
      rest_.remove_prefix(2);
    }
  }

  bool Scan() {
    size_t digits = TakeDigits(is_hexadecimal_);
    if (Take('.')) digits += TakeDigits(is_hexadecimal_);
    if (digits == 0) return false;
    const bool has_exponent = TakeLetter(is_hexadecimal_ ? 'p' : 'e');
    if (has_exponent) {
      if (!rest_.empty() && (rest_[0] == '+' || rest_[0] == '-')) Take(rest_[0]);
      if (TakeDigits(/*is_hexadecimal=*/false) == 0) return false;
    }
    return rest_.empty() && !is_bad_ && (has_exponent || !is_hexadecimal_);
  }

  bool is_hexadecimal() const { return is_hexadecimal_; }
  // The text without underscores and 0x.
  const std::string& plain() const { return plain_; }

 private:
  size_t TakeDigits(bool is_hexadecimal) {
    size_t digits = 0;
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      if (rest_[0] == '_') {
        const bool precedes_digit = rest_.size() > 1 && IsDigit(rest_[1], is_hexadecimal);
        if (!follows_digit_ || !precedes_digit) is_bad_ = true;
        follows_digit_ = false;
        continue;
      }
      if (!IsDigit(rest_[0], is_hexadecimal)) break;
      plain_ += rest_[0];
      follows_digit_ = true;
      ++digits;
    }
    follows_digit_ = false;
    return digits;
  }

  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    plain_ += c;
    rest_.remove_prefix(1);
    return true;
  }

  bool TakeLetter(char lower) {
    return !rest_.empty() && (rest_[0] | 0x20) == lower && Take(rest_[0]);
  }

  std::string_view rest_;
  std::string plain_;
  bool is_hexadecimal_ = false;
  bool follows_digit_ = false;
  bool is_bad_ = false;
};

}  // namespace

std::string NumberText(double value) {
  std::string text;
  AppendNumber(value, &text);
  return text;
}

void AppendNumber(double value, std::string* out) {
  if (!AppendUsual(value, out) && !AppendNotFinite(value, out))
    AppendWithoutExponent(ToDecimal(value), out);
}

void AppendPointValue(double value, std::string* out) {
  if (AppendUsual(value, out) || AppendNotFinite(value, out)) return;
  const double size = std::abs(value);
  const Decimal decimal = ToDecimal(value);
  if (size != 0 && (size < 1e-6 || size >= 1e21)) {
    AppendWithExponent(decimal, out);
  } else {
    AppendWithoutExponent(decimal, out);
  }
}

std::string LiteralText(double value) {
  std::string text;
  if (AppendNotFinite(value, &text)) return text;
  const Decimal decimal = ToDecimal(value);
  if (decimal.exponent() < -4 || decimal.exponent() >= 6) {
    AppendWithExponent(decimal, &text);
  } else {
    AppendWithoutExponent(decimal, &text);
  }
  return text;
}

void AppendSeconds(int64_t ms, std::string* out) {
  // Unsigned, because -ms overflows for the least int64_t.
  uint64_t size = static_cast<uint64_t>(ms);
  if (ms < 0) {
    *out += '-';
    size = 0 - size;
  }
  const fmt::format_int seconds(size / 1000);
  out->append(seconds.data(), seconds.size());
  const auto rest = static_cast<int>(size % 1000);
  if (rest == 0) return;
  const char digits[] = {'.', DigitOf(rest / 100), DigitOf(rest / 10 % 10), DigitOf(rest % 10)};
  out->append(digits, sizeof(digits));
}

bool ParseNumber(std::string_view text, double* value) {
  if (const auto not_finite = ParseNotFinite(text)) {
    *value = *not_finite;
    return true;
  }
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  NumberScanner scanner(text);
  if (!scanner.Scan()) return false;
  const std::string& plain = scanner.plain();
  double size = 0;
  const auto format =
      scanner.is_hexadecimal() ? absl::chars_format::hex : absl::chars_format::general;
  const auto result = absl::from_chars(plain.data(), plain.data() + plain.size(), size, format);
  // A number too small for a double is 0. One that is too large is refused.
  const bool is_too_large = result.ec == std::errc::result_out_of_range && size > 1;
  if (result.ec == std::errc::invalid_argument || is_too_large) return false;
  *value = is_negative ? -size : size;
  return true;
}

}  // namespace hourcell::promql
