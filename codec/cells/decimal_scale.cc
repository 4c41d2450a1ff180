#include "codec/cells/decimal_scale.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "codec/base/check.h"
#include "codec/cells/integer_column.h"
#include "codec/cells/packed_cell.h"
#include "codec/value_bits.h"

namespace hourcell {
namespace {

// Numbers of more digits than this are as often noise as measurements.
constexpr uint8_t kUsualExponentMax = 9;
// More digits are not worth exceptions.
constexpr uint8_t kExponentWithExceptionsMax = 12;
// The largest divisor of means, such as those of 60 integers or of 6 hundredths.
constexpr uint32_t kMeanDivisorMax = 1024;
// Values that are tried before all: enough to refuse a scale, and to choose one.
constexpr size_t kFewValues = 16;
constexpr size_t kManyValues = 64;

bool NumberOfDouble(const DecimalScale& scale, double value, uint64_t* number) {
  const double scaled = value * scale.double_divisor();
  if (!(std::abs(scaled) < static_cast<double>(kDecimalEnd))) return false;
  // From 2^52 on the added half is lost, and every double is an integer.
  const double half = std::abs(scaled) < 0x1p52 ? std::copysign(0.5, scaled) : 0.0;
  const auto integer = static_cast<int64_t>(scaled + half);
  *number = static_cast<uint64_t>(integer);
  // -0.0 does not have a number.
  return integer < kDecimalEnd && integer > -kDecimalEnd &&
         BitsOf(scale.ValueOf(*number)) == BitsOf(value);
}

// Values spread over a column.
class ValueSample {
 public:
  ValueSample(const CellColumns& columns, size_t most)
      : columns_(columns), size_(std::min(columns.size(), most)), stride_(columns.size() / size_) {}
  size_t size() const { return size_; }
  Value operator[](size_t k) const { return columns_.value(k * stride_); }

  size_t Hits(const DecimalScale& scale) const {
    size_t hits = 0;
    for (size_t k = 0; k < size_; ++k) {
      uint64_t number = 0;
      hits += scale.NumberOf((*this)[k], &number) ? 1U : 0U;
      // A wrong scale is refused after two values, as a rule.
      if ((k == 1 && hits == 0) || (k == 3 && hits < 2)) return 0;
    }
    return hits;
  }

 private:
  const CellColumns& columns_;
  size_t size_;
  size_t stride_;
};

// Scales all values by the least common exponent. False if a value lacks one.
bool ScaleAll(const CellColumns& columns, ScaledColumn* out) {
  // A value with an exponent also has every larger one while its digits fit. Hence one upward
  // search, and one more pass if the first values were scaled by less than the last ones.
  DecimalScale& scale = out->scale;
  scale = {};
  uint8_t exponent_of_first = 0;
  out->exceptions.clear();
  out->numbers.resize(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    while (!scale.NumberOf(columns.value(i), &out->numbers[i])) {
      if (scale.exponent == kExponentMax) return false;
      ++scale.exponent;
    }
    if (i == 0) exponent_of_first = scale.exponent;
  }
  if (scale.exponent == exponent_of_first) return true;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!scale.NumberOf(columns.value(i), &out->numbers[i])) return false;
  }
  return true;
}

// True if many values need the last digit, so that no smaller exponent can be cheaper.
bool NeedsLastDigit(const ScaledColumn& scaled) {
  if (scaled.scale.exponent == 0) return true;
  if (scaled.scale.exponent > kUsualExponentMax) return false;
  const size_t stride = (scaled.numbers.size() + kManyValues - 1) / kManyValues;
  size_t sampled = 0;
  size_t needed = 0;
  for (size_t i = 0; i < scaled.numbers.size(); i += stride) {
    ++sampled;
    needed += static_cast<int64_t>(scaled.numbers[i]) % 10 != 0 ? 1U : 0U;
  }
  return 8 * needed >= sampled;
}

// The exponent of the cheapest division, by the digits of a sample; none if most have too many.
std::optional<DecimalScale> ChooseDivision(const ValueSample& sample) {
  std::array<size_t, kExponentWithExceptionsMax + 2> with_exponent{};
  for (size_t k = 0; k < sample.size(); ++k) {
    DecimalScale scale;
    uint64_t number = 0;
    while (scale.exponent <= kExponentWithExceptionsMax && !scale.NumberOf(sample[k], &number))
      ++scale.exponent;
    ++with_exponent[scale.exponent];
    if (k == 3 && with_exponent.back() > 3) return std::nullopt;
    if (k + 1 == kFewValues && 2 * with_exponent.back() > kFewValues) return std::nullopt;
  }
  // A digit costs each value 3.3 bits, an exception about 3 bytes.
  constexpr double kDigitBits = 3.3;
  constexpr double kExceptionBits = 24;
  std::optional<DecimalScale> best;
  double best_bits = std::numeric_limits<double>::max();
  size_t hits = 0;
  for (uint8_t exponent = 0; exponent <= kExponentWithExceptionsMax; ++exponent) {
    hits += with_exponent[exponent];
    const double bits = kDigitBits * exponent * static_cast<double>(sample.size()) +
                        kExceptionBits * static_cast<double>(sample.size() - hits);
    if (2 * hits >= sample.size() && bits < best_bits) {
      best_bits = bits;
      best = DecimalScale{.exponent = exponent};
    }
  }
  return best;
}

// The least exponent with which a rule gives nearly all values of a sample.
std::optional<DecimalScale> ChooseOfRule(const ValueSample& sample, ScaleRule rule) {
  std::optional<DecimalScale> best;
  size_t best_hits = sample.size() * 3 / 4;
  for (uint8_t exponent = 0; exponent <= kUsualExponentMax; ++exponent) {
    const DecimalScale scale{.rule = rule, .exponent = exponent};
    if (const size_t hits = sample.Hits(scale); hits > best_hits) {
      best_hits = hits;
      best = scale;
    }
  }
  return best;
}

// The least n such that an integer divided by n, correctly rounded, is `value`: a denominator of
// the continued fraction. 0 if it is larger than kMeanDivisorMax.
uint32_t DenominatorOf(Value value) {
  double rest = std::abs(value.ToDouble());
  if (!(rest < static_cast<double>(kDecimalEnd))) return 0;
  rest -= std::floor(rest);
  double before = 0;
  double denominator = 1;
  while (denominator <= kMeanDivisorMax) {
    uint64_t number = 0;
    const DecimalScale scale{.factor = static_cast<uint32_t>(denominator)};
    if (scale.NumberOf(value, &number)) return scale.factor;
    if (rest == 0) return 0;
    rest = 1 / rest;
    const double whole = std::floor(rest);
    rest -= whole;
    denominator = std::exchange(before, denominator) + whole * denominator;
  }
  return 0;
}

// The divisor of means that gives nearly all values of a sample.
std::optional<DecimalScale> ChooseMean(const ValueSample& sample) {
  uint32_t divisor = 1;
  size_t misses = 0;
  for (size_t k = 0; k < sample.size(); ++k) {
    const uint32_t denominator = DenominatorOf(sample[k]);
    if (denominator == 0) {
      if (8 * ++misses > sample.size()) return std::nullopt;
      continue;
    }
    divisor = std::lcm(divisor, denominator);
    if (divisor > kMeanDivisorMax) return std::nullopt;
  }
  DecimalScale scale{.factor = divisor};
  for (; scale.factor % 10 == 0; scale.factor /= 10)
    ++scale.exponent;
  return scale;
}

bool IsBinary32(const ValueSample& sample) {
  for (size_t k = 0; k < sample.size(); ++k) {
    if (sample[k].is_integer()) continue;
    const uint64_t bits = BitsOf(sample[k].floating());
    if (WidenFloatBits(NarrowFloatBits(bits)) != bits) return false;
  }
  return true;
}

// Fills the places of exceptions: with the nearest number, if it is among the others, else with the
// number before.
void FillExceptions(const CellColumns& columns, ScaledColumn* out) {
  std::vector<uint64_t>& numbers = out->numbers;
  int64_t min = std::numeric_limits<int64_t>::max();
  int64_t max = std::numeric_limits<int64_t>::min();
  std::optional<size_t> first;  // that is not an exception
  for (size_t i = 0, next = 0; i < numbers.size(); ++i) {
    if (next < out->exceptions.size() && out->exceptions[next] == i) {
      ++next;
      continue;
    }
    if (!first.has_value()) first = i;
    min = std::min(min, static_cast<int64_t>(numbers[i]));
    max = std::max(max, static_cast<int64_t>(numbers[i]));
  }
  for (const uint32_t i : out->exceptions) {
    const double near = columns.value(i).ToDouble() * out->scale.double_divisor();
    if (near >= static_cast<double>(min) && near <= static_cast<double>(max)) {
      numbers[i] = static_cast<uint64_t>(static_cast<int64_t>(std::nearbyint(near)));
    } else {
      numbers[i] = numbers[i > 0 ? i - 1 : *first];
    }
  }
}

// Scales all values. False if most are exceptions, or an integer is one.
bool ScaleWith(const DecimalScale& scale, const CellColumns& columns, ScaledColumn* out) {
  out->scale = scale;
  out->numbers.assign(columns.size(), 0);
  out->exceptions.clear();
  for (size_t i = 0; i < columns.size(); ++i) {
    if (scale.NumberOf(columns.value(i), &out->numbers[i])) continue;
    if (columns.value(i).is_integer()) return false;
    out->exceptions.push_back(static_cast<uint32_t>(i));
    if (2 * out->exceptions.size() > columns.size()) return false;
  }
  // One value that is an exception leaves none to fill it with.
  if (out->exceptions.size() == columns.size()) return false;
  FillExceptions(columns, out);
  return true;
}

size_t VarintBytes(uint64_t value) {
  return static_cast<size_t>(std::bit_width(value | 1) + 6) / 7;
}

size_t ColumnBytes(std::span<const uint64_t> values) {
  std::string bytes;
  AppendIntegerColumn(ColumnVersion::kSecond, values, &bytes);
  return bytes.size();
}

// The bytes of a column with its numbers in the header, where forms differ.
size_t BytesOfBits(const CellColumns& columns) {
  const size_t numbers = columns.size() == 1 ? 1 : columns.size() > kDecodedSummaryMax ? 5 : 2;
  return ColumnBytes(columns.bits) + numbers * sizeof(uint64_t);
}

size_t BytesOf(const CellColumns& columns, const ScaledColumn& scaled) {
  const std::vector<uint64_t>& numbers = scaled.numbers;
  size_t size = 1 + ColumnBytes(numbers) + VarintBytes(ZigZag(numbers.front())) +
                VarintBytes(ZigZag(numbers.back() - numbers.front()));
  for (const uint32_t i : scaled.exceptions)
    size += 1 + VarintBytes(ZigZag(columns.bits[i] - BitsOf(scaled.scale.ValueOf(numbers[i]))));
  return size;
}

}  // namespace

bool DecimalScale::IsValid() const {
  if (rule > ScaleRule::kDivideToBinary32 || exponent > kExponentMax || factor == 0) return false;
  return factor == 1 || factor <= kDecimalEnd / kIntegerPowersOfTen[exponent];
}

bool DecimalScale::NumberOf(Value value, uint64_t* number) const {
  if (!value.is_integer()) return NumberOfDouble(*this, value.floating(), number);
  const int64_t most = (kDecimalEnd - 1) / divisor();
  if (value.integer() > most || value.integer() < -most) return false;
  *number = static_cast<uint64_t>(value.integer() * divisor());
  return true;
}

bool ScaleColumn(const CellColumns& columns, ScaledColumn* out) {
  HOURCELL_DCHECK(columns.size() > 0);
  const bool has_common = ScaleAll(columns, out);
  if (has_common && NeedsLastDigit(*out)) return true;

  const ValueSample few(columns, kFewValues);
  const ValueSample many(columns, kManyValues);
  std::vector<DecimalScale> scales;
  const auto add = [&](const std::optional<DecimalScale>& scale) {
    if (scale.has_value() && !(has_common && *scale == out->scale)) scales.push_back(*scale);
  };
  add(ChooseDivision(many));
  if (!has_common) {
    add(ChooseOfRule(few, ScaleRule::kMultiply));
    if (IsBinary32(few)) add(ChooseOfRule(few, ScaleRule::kDivideToBinary32));
    add(ChooseMean(few));
  }
  if (scales.empty()) return has_common;

  size_t best = BytesOfBits(columns);
  const size_t common = has_common ? BytesOf(columns, *out) : best;
  bool is_scaled = common < best;
  best = std::min(best, common);
  for (const DecimalScale& scale : scales) {
    ScaledColumn scaled;
    if (!ScaleWith(scale, columns, &scaled)) continue;
    if (const size_t bytes = BytesOf(columns, scaled); bytes < best) {
      best = bytes;
      is_scaled = true;
      *out = std::move(scaled);
    }
  }
  return is_scaled;
}

}  // namespace hourcell
