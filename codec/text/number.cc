#include "codec/text/number.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/limits.h"

namespace hourcell {
namespace {

PointError InvalidValue(std::string text) {
  return {.kind = PointErrorKind::kInvalidValue, .text = std::move(text)};
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// ParseInteger's slow path: the text is wrong, and Java checks for these faults in this order.
PointError IntegerError(std::string_view text) {
  if (text.empty()) return InvalidValue("Empty string");
  const bool is_signed = text.front() == '+' || text.front() == '-';
  if (is_signed && text.size() == 1) {
    return InvalidValue(fmt::format("Just a sign, no value: {}", TextForMessage(text)));
  }
  const std::string_view digits = text.substr(is_signed ? 1 : 0);
  if (digits.size() > kIntegerDigitsMax) {
    return InvalidValue(fmt::format("Value too long: {}", TextForMessage(text)));
  }
  const auto bad = std::find_if_not(digits.begin(), digits.end(), IsDigit);
  if (bad == digits.end()) return InvalidValue(fmt::format("Overflow in {}", text));
  // Shows a character of several bytes as a whole.
  auto end = bad + 1;
  while (end != digits.end() && (*end & 0xC0) == 0x80)
    ++end;
  return InvalidValue(fmt::format("Invalid character '{}' in {}",
                                  TextForMessage(std::string_view(bad, end)),
                                  TextForMessage(text)));
}

std::string_view StripBlanks(std::string_view text) {
  // Java's String.trim: everything up to U+0020.
  const auto is_blank = [](char c) { return static_cast<uint8_t>(c) <= 0x20; };
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

// A floating-point literal taken apart: [sign] digits [. digits] [exponent] [fFdD].
struct Literal {
  bool negative = false;
  bool hex = false;
  std::string_view number;  // without sign, 0x and suffix: what std::from_chars reads
  bool above_one = false;   // about 1 or more: distinguishes overflow from underflow
};

// Takes characters of `is_member` off the front of `*text`.
template <typename Predicate>
std::string_view TakeWhile(std::string_view* text, Predicate is_member) {
  const auto end = std::find_if_not(text->begin(), text->end(), is_member);
  const std::string_view taken(text->begin(), end);
  text->remove_prefix(taken.size());
  return taken;
}

// Takes an exponent, `marker` in lower case, off `*text`. False without a complete one.
bool TakeExponent(char marker, std::string_view* text, int64_t* exponent) {
  if (text->empty() || (text->front() | 0x20) != marker) return false;
  std::string_view rest = text->substr(1);
  const bool negative = !rest.empty() && rest.front() == '-';
  if (!rest.empty() && (negative || rest.front() == '+')) rest.remove_prefix(1);
  const std::string_view digits = TakeWhile(&rest, IsDigit);
  if (digits.empty()) return false;
  int64_t magnitude = 0;
  for (const char digit : digits) {
    // Far above the length of any text, so that saturating does not change a result.
    magnitude = std::min<int64_t>(magnitude * 10 + (digit - '0'), int64_t{1} << 40);
  }
  *exponent = negative ? -magnitude : magnitude;
  *text = rest;
  return true;
}

// Java's grammar, without NaN, Infinity and blanks.
std::optional<Literal> SplitLiteral(std::string_view text) {
  Literal literal;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    literal.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  literal.hex = text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == 'x';
  if (literal.hex) text.remove_prefix(2);
  const char* const start = text.data();

  const auto is_digit = literal.hex ? IsHexDigit : IsDigit;
  const std::string_view whole = TakeWhile(&text, is_digit);
  std::string_view fraction;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    fraction = TakeWhile(&text, is_digit);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;

  int64_t exponent = 0;
  if (!text.empty() && (text.front() | 0x20) == (literal.hex ? 'p' : 'e')) {
    if (!TakeExponent(literal.hex ? 'p' : 'e', &text, &exponent)) return std::nullopt;
  } else if (literal.hex) {
    return std::nullopt;  // Java requires the exponent there
  }
  literal.number = {start, static_cast<size_t>(text.data() - start)};
  if (!text.empty() && ((text.front() | 0x20) == 'f' || (text.front() | 0x20) == 'd')) {
    text.remove_prefix(1);
  }
  if (!text.empty()) return std::nullopt;

  const size_t whole_zeros = std::min(whole.find_first_not_of('0'), whole.size());
  const size_t fraction_zeros = std::min(fraction.find_first_not_of('0'), fraction.size());
  const auto digits_before_point = whole_zeros < whole.size()
                                       ? static_cast<int64_t>(whole.size() - whole_zeros)
                                       : -static_cast<int64_t>(fraction_zeros);
  literal.above_one = digits_before_point * (literal.hex ? 4 : 1) + exponent > 0;
  return literal;
}

double LiteralValue(const Literal& literal) {
  double value = 0;
  const char* const end = literal.number.data() + literal.number.size();
  const auto [parsed_end, error] =
      std::from_chars(literal.number.data(), end, value,
                      literal.hex ? std::chars_format::hex : std::chars_format::general);
  if (error == std::errc::result_out_of_range) {
    // std::from_chars does not report the direction. Java gives infinity and zero.
    value = literal.above_one ? std::numeric_limits<double>::infinity() : 0;
  } else {
    HOURCELL_CHECK(error == std::errc{} && parsed_end == end);
  }
  return literal.negative ? -value : value;
}

// The powers of ten that a double holds exactly.
constexpr double kExactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kExactPowerMax = 22;
// Up to this value every integer is a double.
constexpr uint64_t kExactMantissaMax = uint64_t{1} << 53;
static_assert(FLT_EVAL_METHOD == 0, "one operation on two exact doubles must round once");

// Reads digits into `*magnitude`, which wraps if they are too many. Returns their end.
const char* ScanDigits(const char* at, const char* end, uint64_t* magnitude) {
  for (; at < end; ++at) {
    const unsigned digit = static_cast<uint8_t>(*at) - unsigned{'0'};
    if (digit > 9) break;
    *magnitude = *magnitude * 10 + digit;
  }
  return at;
}

// Reads the exponent after the e of a decimal, at most three digits. Null if it is not one.
const char* ScanExponent(const char* at, const char* end, int* exponent) {
  const bool negative = at < end && *at == '-';
  if (at < end && (negative || *at == '+')) ++at;
  uint64_t magnitude = 0;
  const char* const digits_end = ScanDigits(at, at + std::min<ptrdiff_t>(4, end - at), &magnitude);
  if (digits_end == at || digits_end - at > 3) return nullptr;
  *exponent = negative ? -static_cast<int>(magnitude) : static_cast<int>(magnitude);
  return digits_end;
}

// Double.toString is plain in this range, and scientific outside it.
constexpr double kJavaPlainMin = 1e-3;
constexpr double kJavaPlainEnd = 1e7;

char* WriteText(std::string_view text, char* out) {
  return std::ranges::copy(text, out).out;
}

// Decimals of at most eight places, as most measurements are. The decimal n / 10^8 has at most 15
// digits, so no other decimal as short reads as the same double. n and 10^8 are exact, so the
// division rounds as reading does: if it gives `value`, the digits of n are right. nullptr if it
// does not. REQUIRES: kJavaPlainMin <= value < kJavaPlainEnd.
char* WriteShortDecimal(double value, char* out) {
  constexpr size_t kPlaces = 8;
  constexpr double kScale = 1e8;
  const int64_t scaled = std::llrint(value * kScale);
  if (static_cast<double>(scaled) / kScale != value) return nullptr;
  auto fraction = static_cast<uint32_t>(scaled % static_cast<int64_t>(kScale));
  out = std::to_chars(out, out + kPlaces, scaled / static_cast<int64_t>(kScale)).ptr;
  *out++ = '.';
  if (fraction == 0) {
    *out++ = '0';
    return out;
  }
  size_t places = kPlaces;
  for (; fraction % 10 == 0; fraction /= 10)
    --places;
  for (size_t i = places; i > 0; --i, fraction /= 10)
    out[i - 1] = static_cast<char>('0' + fraction % 10);
  return out + places;
}

// The shortest digits that read back, for any value. REQUIRES: value > 0 and finite.
char* WriteShortest(double value, char* out) {
  char text[32];
  char* end = std::to_chars(text, std::end(text), value, std::chars_format::scientific).ptr;
  // Where one digit is enough, Java takes the nearest two-digit number; it differs only for the
  // subnormal: 4.9E-324, not 5.0E-324.
  if (text[1] == 'e' && value < std::numeric_limits<double>::min()) {
    end = std::to_chars(text, std::end(text), value, std::chars_format::scientific, 1).ptr;
  }

  // d[.ddd]e(+|-)xx -> the digits and the power of ten of the first.
  char* const mark = std::find(text, end, 'e');
  int exponent = 0;
  std::from_chars(mark + (mark[1] == '+' ? 2 : 1), end, exponent);
  std::string_view fraction(text + 1, mark);
  if (!fraction.empty()) fraction.remove_prefix(1);
  const char first = text[0];

  if (exponent < -3 || exponent >= 7) {
    *out++ = first;
    *out++ = '.';
    out = WriteText(fraction.empty() ? "0" : fraction, out);
    *out++ = 'E';
    return std::to_chars(out, out + 4, exponent).ptr;
  }
  if (exponent < 0) {
    out = std::fill_n(WriteText("0.", out), -exponent - 1, '0');
    *out++ = first;
    return WriteText(fraction, out);
  }
  const auto whole = static_cast<size_t>(exponent);
  *out++ = first;
  out = WriteText(fraction.substr(0, whole), out);
  if (fraction.size() < whole) out = std::fill_n(out, whole - fraction.size(), '0');
  *out++ = '.';
  return WriteText(fraction.size() > whole ? fraction.substr(whole) : "0", out);
}

}  // namespace

namespace {

// The parts of a float during its scan.
struct ScannedFloat {
  bool negative = false;
  uint64_t magnitude = 0;  // of all digits, with or without a point
  ptrdiff_t digits = 0;
  ptrdiff_t fraction_digits = 0;
  int exponent = 0;  // as written
};

// The value of the float, if one exact operation gives it.
std::optional<double> ExactValue(const ScannedFloat& scanned) {
  const int exponent = scanned.exponent - static_cast<int>(std::min<ptrdiff_t>(
                                              scanned.fraction_digits, kExactPowerMax + 1));
  // 19 digits fit 64 bits, so `magnitude` has not wrapped.
  const bool is_exact = scanned.digits <= ptrdiff_t{kIntegerDigitsMax} &&
                        scanned.magnitude <= kExactMantissaMax && exponent >= -kExactPowerMax &&
                        exponent <= kExactPowerMax;
  if (!is_exact) return std::nullopt;
  const auto mantissa = static_cast<double>(scanned.magnitude);
  const double number =
      exponent < 0 ? mantissa / kExactPowers[-exponent] : mantissa * kExactPowers[exponent];
  return scanned.negative ? -number : number;
}

}  // namespace

const char* ScanPlainValue(const char* begin, const char* end, Value* value) {
  const bool negative = begin < end && *begin == '-';
  const char* const whole = begin + (negative ? 1 : 0);
  uint64_t magnitude = 0;
  const char* at = ScanDigits(whole, end, &magnitude);
  const ptrdiff_t digits = at - whole;
  if (digits == 0) return nullptr;
  if (at == end || (*at != '.' && *at != 'e' && *at != 'E')) {
    const uint64_t limit = (uint64_t{1} << 63) - (negative ? 0 : 1);
    if (digits > ptrdiff_t{kIntegerDigitsMax} || magnitude > limit) return nullptr;
    *value = Value::Integer(static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
    return at;
  }

  ScannedFloat scanned;
  scanned.negative = negative;
  scanned.magnitude = magnitude;
  scanned.digits = digits;
  if (*at == '.') {
    const char* const fraction = at + 1;
    at = ScanDigits(fraction, end, &scanned.magnitude);
    scanned.fraction_digits = at - fraction;
    scanned.digits += scanned.fraction_digits;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at = ScanExponent(at + 1, end, &scanned.exponent);
    if (at == nullptr) return nullptr;
  }
  if (const std::optional<double> exact = ExactValue(scanned)) {
    *value = Value::Float(*exact);
    return at;
  }
  double number = 0;
  const auto [parsed_end, error] = std::from_chars(begin, at, number);
  if (error != std::errc{} || parsed_end != at) return nullptr;
  *value = Value::Float(number);
  return at;
}

bool LooksLikeInteger(std::string_view text) {
  for (const char c : text) {
    if (c == '.' || c == 'e' || c == 'E') return false;
  }
  return true;
}

Parsed<int64_t> ParseInteger(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  const bool is_signed = negative || (!text.empty() && text.front() == '+');
  const std::string_view digits = text.substr(is_signed ? 1 : 0);
  if (digits.empty() || digits.size() > kIntegerDigitsMax) return IntegerError(text);

  // 19 digits fit 64 bits without a sign, so one check at the end finds every fault.
  uint64_t magnitude = 0;
  unsigned beyond_nine = 0;
  for (const char c : digits) {
    const unsigned digit = static_cast<uint8_t>(c) - unsigned{'0'};
    beyond_nine |= static_cast<unsigned>(digit > 9);
    magnitude = magnitude * 10 + digit;
  }
  const uint64_t limit = uint64_t{1} << 63;
  if (beyond_nine != 0 || magnitude > limit - (negative ? 0 : 1)) return IntegerError(text);
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

Parsed<double> ParseDouble(std::string_view text) {
  // std::from_chars reads most texts; it also accepts words ("inf"), which Java rejects.
  const size_t first = text.starts_with('-') ? 1 : 0;
  if (text.size() > first && IsDigit(text[first])) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [parsed_end, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc{} && parsed_end == end) return value;
  }

  text = StripBlanks(text);
  if (text.empty()) return InvalidValue("empty String");
  if (const std::optional<Literal> literal = SplitLiteral(text)) return LiteralValue(*literal);

  const bool negative = text.front() == '-';
  const std::string_view word = text.substr(negative || text.front() == '+' ? 1 : 0);
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (word == "Infinity") {
    const double infinity = std::numeric_limits<double>::infinity();
    return negative ? -infinity : infinity;
  }
  return InvalidValue(fmt::format("For input string: \"{}\"", text));
}

Parsed<Value> ParseValueText(std::string_view text) {
  const char* const end = text.data() + text.size();
  if (Value plain; !text.empty() && ScanPlainValue(text.data(), end, &plain) == end) return plain;
  if (text.empty()) {
    return PointError{.kind = PointErrorKind::kIllegalArgument, .text = "empty value"};
  }
  if (LooksLikeInteger(text)) {
    const Parsed<int64_t> number = ParseInteger(text);
    if (!number.ok()) return number.error();
    return Value::Integer(*number);
  }
  const Parsed<double> number = ParseDouble(text);
  if (!number.ok()) return number.error();
  if (!std::isfinite(*number)) {
    return PointError{.kind = PointErrorKind::kIllegalArgument,
                      .text = fmt::format("value is NaN or Infinite: {}", text)};
  }
  return Value::Float(*number);
}

bool FitsInFloat(std::string_view text) {
  const Parsed<double> number = ParseDouble(text);
  return number.ok() && static_cast<double>(static_cast<float>(*number)) == *number;
}

char* WriteJavaDouble(double value, char* out) {
  if (std::isnan(value)) return WriteText("NaN", out);
  if (std::signbit(value)) *out++ = '-';
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return WriteText("Infinity", out);
  if (magnitude == 0) return WriteText("0.0", out);
  if (magnitude >= kJavaPlainMin && magnitude < kJavaPlainEnd) {
    if (char* const end = WriteShortDecimal(magnitude, out); end != nullptr) return end;
  }
  return WriteShortest(magnitude, out);
}

void AppendJavaDouble(double value, std::string* out) {
  char text[kJavaDoubleBytesMax];
  out->append(text, WriteJavaDouble(value, text));
}

std::string JavaDouble(double value) {
  std::string text;
  AppendJavaDouble(value, &text);
  return text;
}

}  // namespace hourcell
