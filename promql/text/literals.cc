#include "promql/text/literals.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "promql/text/parser.h"
#include "promql/text/quoting.h"

namespace hourcell::promql {
namespace {

struct DurationUnit {
  std::string_view name;
  int64_t ms;
  bool is_exact;  // printed only if nothing is left: 90d, not 12w6d
};
constexpr int64_t kSecondMs = 1000;
constexpr int64_t kDayMs = 86'400 * kSecondMs;
constexpr DurationUnit kDurationUnits[] = {
    {"y", 365 * kDayMs, true},
    {"w", 7 * kDayMs, true},
    {"d", kDayMs, false},
    {"h", 3600 * kSecondMs, false},
    {"m", 60 * kSecondMs, false},
    {"s", kSecondMs, false},
    {"ms", 1, false},
};
// Prometheus' durations are of 64 bits in nanoseconds.
constexpr int64_t kDurationMsMax = std::numeric_limits<int64_t>::max() / 1'000'000;

absl::StatusOr<double> NumberError(std::string_view text, std::string_view problem) {
  return absl::InvalidArgumentError(fmt::format(
      "error parsing number: strconv.ParseFloat: parsing {}: {}", Quoted(text), problem));
}

// Go's ParseInt: a leading 0 is octal. Other texts may still be decimal numbers.
std::optional<int64_t> IntegerOf(std::string_view text) {
  int base = 10;
  if (text.size() >= 2 && text[0] == '0') {
    const bool is_hex = text[1] == 'x' || text[1] == 'X';
    base = is_hex ? 16 : 8;
    text.remove_prefix(is_hex ? 2 : 1);
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

size_t DigitsOf(std::string_view text) {
  const size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

// The unit at the front of `text`. Its name ends before a digit or with the text.
const DurationUnit* UnitOf(std::string_view text) {
  size_t size = 0;
  while (size < text.size() && (text[size] < '0' || text[size] > '9'))
    ++size;
  for (const DurationUnit& unit : kDurationUnits)
    if (unit.name == text.substr(0, size)) return &unit;
  return nullptr;
}

}  // namespace

absl::StatusOr<double> ParseNumberLiteral(std::string_view text) {
  const std::string lower = LowerCase(text);
  if (lower == "inf") return std::numeric_limits<double>::infinity();
  if (lower == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (const auto integer = IntegerOf(text)) return static_cast<double>(*integer);
  const bool is_decimal = text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
  const auto number = ParseDouble(text);
  if (!is_decimal || !number.ok()) return NumberError(text, "invalid syntax");
  if (std::isinf(*number)) return NumberError(text, "value out of range");
  return *number;
}

void AppendNumberLiteral(double value, std::string* out) {
  if (std::isnan(value)) {
    *out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    *out += value > 0 ? "+Inf" : "-Inf";
    return;
  }
  char text[64];
  auto end = std::to_chars(text, std::end(text), value, std::chars_format::scientific).ptr;
  // Go prints 0.0001 to 999999 without an exponent.
  constexpr int kPlainPowerMax = 6;
  const std::string_view scientific(text, static_cast<size_t>(end - text));
  const std::string_view exponent = scientific.substr(scientific.find('e') + 1);
  int power = 0;
  std::from_chars(exponent.data() + 1, exponent.data() + exponent.size(), power);
  if (exponent.front() == '-') power = -power;
  if (power >= -4 && power < kPlainPowerMax)
    end = std::to_chars(text, std::end(text), value, std::chars_format::fixed).ptr;
  out->append(text, end);
}

int64_t AtTimeMs(double seconds) {
  const double ms = std::round(seconds * 1000);
  const bool fits = ms >= -0x1p63 && ms < 0x1p63;
  return fits ? static_cast<int64_t>(ms) : std::numeric_limits<int64_t>::min();
}

void AppendAtTime(int64_t ms, std::string* out) {
  // Beyond 2^53 the quotient can be the neighbor of the number that gives `ms`.
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double quotient = static_cast<double>(ms) / 1000;
  double seconds = quotient;
  for (const double candidate :
       {std::nextafter(quotient, -kInf), std::nextafter(quotient, kInf), quotient})
    if (AtTimeMs(candidate) == ms) seconds = candidate;
  fmt::format_to(std::back_inserter(*out), "{:.3f}", seconds);
}

void AppendDuration(int64_t ms, std::string* out) {
  HOURCELL_DCHECK(ms >= 0);
  if (ms == 0) *out += "0s";
  for (const DurationUnit& unit : kDurationUnits) {
    if (ms < unit.ms || (unit.is_exact && ms % unit.ms != 0)) continue;
    fmt::format_to(std::back_inserter(*out), "{}{}", ms / unit.ms, unit.name);
    ms %= unit.ms;
  }
}

absl::StatusOr<int64_t> ParseDuration(std::string_view text) {
  if (text.empty()) return absl::InvalidArgumentError("empty duration string");
  if (text == "0") return 0;
  std::string_view rest = text;
  const DurationUnit* last = nullptr;
  bool fits = true;
  int64_t sum = 0;
  while (!rest.empty()) {
    const size_t digits = DigitsOf(rest);
    const DurationUnit* unit = UnitOf(rest.substr(digits));
    if (digits == 0 || unit == nullptr || (last != nullptr && unit <= last)) {
      return absl::InvalidArgumentError(
          fmt::format("not a valid duration string: {}", Quoted(text)));
    }
    int64_t count = 0;
    const auto error = std::from_chars(rest.data(), rest.data() + digits, count).ec;
    fits = fits && error == std::errc() && count <= (kDurationMsMax - sum) / unit->ms;
    if (fits) sum += count * unit->ms;
    last = unit;
    rest.remove_prefix(digits + unit->name.size());
  }
  if (!fits) return absl::InvalidArgumentError("duration out of range");
  return sum;
}

}  // namespace hourcell::promql
