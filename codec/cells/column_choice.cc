#include "codec/cells/column_choice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "codec/base/check.h"
#include "codec/cells/token_model.h"

namespace hourcell {
namespace {

// A column up to this many values has the cost of more than one predictor computed.
constexpr size_t kExactValuesMax = 512;
constexpr uint64_t kBit = 1 << 8;  // of costs

// std::bit_width, which branches on 0 where the processor lacks an instruction for it.
constexpr uint32_t WidthOf(uint64_t value) {
  return static_cast<uint32_t>(63 - std::countl_zero(value | 1)) + (value != 0 ? 1 : 0);
}

constexpr uint64_t Magnitude(uint64_t value) {
  return value >> 63 != 0 ? 0 - value : value;
}

struct Prediction {
  Predictor predictor = Predictor::kDelta;
  uint64_t slope = 0;
  uint64_t centre = 0;
  uint64_t bits = ~uint64_t{0};  // estimated, of a sample
};

// The residual of values[i], 1 <= i.
uint64_t ResidualAt(std::span<const uint64_t> values, size_t i, const Prediction& prediction) {
  const uint64_t value = values[i] - prediction.centre;
  switch (prediction.predictor) {
    case Predictor::kLevel:
    case Predictor::kChord:
      return value - values[0] - i * prediction.slope;
    case Predictor::kSecondDelta:
      return value - values[i - 1] - (i > 1 ? values[i - 1] - values[i - 2] : prediction.slope);
    default:
      return value - values[i - 1] - prediction.slope;
  }
}

// Positions spread over a column, its first value excepted.
class Sample {
 public:
  Sample(size_t values, size_t most)
      : size_(std::min(values - 1, most)), stride_((values - 1) / size_) {}
  size_t size() const { return size_; }
  size_t operator[](size_t k) const { return 1 + k * stride_; }

 private:
  size_t size_;
  size_t stride_;
};

// The median of some residuals: the usual value where a few differ, and the middle of noise.
uint64_t MedianResidual(std::span<const uint64_t> values, const Prediction& prediction) {
  std::array<int64_t, 31> residuals{};
  const Sample sample(values.size(), residuals.size());
  for (size_t k = 0; k < sample.size(); ++k)
    residuals[k] = static_cast<int64_t>(ResidualAt(values, sample[k], prediction));
  const auto middle = residuals.begin() + static_cast<ptrdiff_t>(sample.size() / 2);
  std::nth_element(residuals.begin(), middle,
                   residuals.begin() + static_cast<ptrdiff_t>(sample.size()));
  return static_cast<uint64_t>(*middle);
}

// Approximate number of bits of a sample of the residuals, signs included.
uint64_t SampledBits(std::span<const uint64_t> values, const Prediction& prediction) {
  const Sample sample(values.size(), 128);
  uint64_t bits = HasCentre(prediction.predictor) ? 8 + WidthOf(ZigZag(prediction.centre)) : 0;
  for (size_t k = 0; k < sample.size(); ++k)
    bits += WidthOf(Magnitude(ResidualAt(values, sample[k], prediction)) << 1);
  return bits;
}

// The predictors whose residuals have the fewest significant bits, estimated from a sample: the
// best and the second.
std::array<Prediction, 2> ChoosePredictions(std::span<const uint64_t> values, uint64_t divisor) {
  const uint64_t slope = SlopeOf(values, divisor);
  // The simplest first: it wins ties.
  std::array<Prediction, 6> candidates = {{{.predictor = Predictor::kDelta},
                                           {.predictor = Predictor::kLevel},
                                           {.predictor = Predictor::kSecondDelta, .slope = slope},
                                           {.predictor = Predictor::kSlope, .slope = slope},
                                           {.predictor = Predictor::kCentred},
                                           {.predictor = Predictor::kChord, .slope = slope}}};
  std::array<Prediction, 2> best;
  for (Prediction& candidate : candidates) {
    const bool is_sloped = HasSlope(candidate.predictor);
    if (is_sloped && slope == 0 && candidate.predictor != Predictor::kSecondDelta) continue;
    if (HasCentre(candidate.predictor)) {
      candidate.centre = MedianResidual(values, candidate);
      const bool is_delta = candidate.predictor == Predictor::kCentred;
      if (is_delta && (candidate.centre == 0 || candidate.centre == slope)) continue;
    }
    candidate.bits = SampledBits(values, candidate);
    if (candidate.bits < best[0].bits) {
      best[1] = std::exchange(best[0], candidate);
    } else if (candidate.bits < best[1].bits) {
      best[1] = candidate;
    }
  }
  return best;
}

// The greatest common divisor of the deltas; 1 if it would not fit a signed division.
uint64_t CommonDivisor(std::span<const uint64_t> values) {
  uint64_t divisor = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    const uint64_t magnitude = Magnitude(values[i] - values[i - 1]);
    if (divisor > 1 && magnitude % divisor == 0) continue;
    divisor = std::gcd(divisor, magnitude);
    if (divisor == 1) return 1;
  }
  return divisor == 0 || divisor >> 63 != 0 ? 1 : divisor;
}

// Fills `*numbers` with the first residuals, as they are coded. False if one is
// not a multiple of the divisor, which happens where residuals wrap around.
bool MakeNumbers(std::span<const uint64_t> values,
                 const Prediction& prediction,
                 uint64_t divisor,
                 std::vector<uint64_t>* numbers) {
  for (size_t i = 1; i <= numbers->size(); ++i)
    (*numbers)[i - 1] = ResidualAt(values, i, prediction);
  if (divisor != 1) {
    for (uint64_t& number : *numbers) {
      const auto residual = static_cast<int64_t>(number);
      const int64_t quotient = residual / static_cast<int64_t>(divisor);
      if (quotient * static_cast<int64_t>(divisor) != residual) return false;
      number = static_cast<uint64_t>(quotient);
    }
  }
  for (uint64_t& number : *numbers)
    number = ZigZag(number);
  return true;
}

// Counts of each token in a sample of shifted numbers.
struct TokenCounts {
  std::array<int16_t, kTokens> of{};
  uint64_t other_bits = 0;  // below the tokens, and of escaped numbers
};

struct Coding {
  uint32_t shift = 0;
  size_t model = 0;
  uint64_t cost = ~uint64_t{0};
  TokenCounts counts;
};

template <bool kHasZeroToken>
TokenCounts CountTokens(std::span<const uint64_t> numbers, uint32_t shift) {
  constexpr size_t kSampleMax = 16384;  // so that costs add up in 32 bits
  const TokenForm form{.shift = shift, .has_zero_token = kHasZeroToken};
  const std::array<TokenBits, kTokens> bits = form.Bits();
  TokenCounts counts;
  const size_t stride = (numbers.size() + kSampleMax - 1) / kSampleMax;
  for (size_t i = 0; i < numbers.size(); i += stride) {
    const uint32_t token = form.TokenOf(numbers[i]);
    ++counts.of[token];
    if (token == kEscapeToken) [[unlikely]] {
      counts.other_bits += kEscapeWidthBits + WidthOf(numbers[i]);
    }
  }
  for (uint32_t token = 0; token < kEscapeToken; ++token)
    counts.other_bits += static_cast<uint64_t>(counts.of[token]) * bits[token].extra_bits;
  return counts;
}

int32_t CostOfModel(const TokenCounts& counts, const ModelTables& tables) {
  int32_t cost = 0;
  for (size_t token = 0; token < kTokens; ++token)
    cost += counts.of[token] * tables.cost[token];
  return cost;
}

// The best plain or zero model for the numbers with the shift, and its cost.
template <bool kHasZeroToken>
Coding ChooseModel(std::span<const uint64_t> numbers, uint32_t shift) {
  const std::array<ModelTables, kModels>& tables = AllTables();
  Coding coding{.shift = shift, .counts = CountTokens<kHasZeroToken>(numbers, shift)};
  int32_t best = std::numeric_limits<int32_t>::max();
  constexpr size_t kBegin = kHasZeroToken ? kPlainModels : 0;
  for (size_t model = kBegin; model < kBegin + kPlainModels; ++model) {
    const int32_t cost = CostOfModel(coding.counts, tables[model]);
    if (cost < best) {
      best = cost;
      coding.model = model;
    }
  }
  coding.cost = static_cast<uint64_t>(best) + coding.counts.other_bits * kBit;
  return coding;
}

// The best of three shifts around the mean width.
Coding ChooseCoding(std::span<const uint64_t> numbers) {
  uint64_t bits = 0;
  for (const uint64_t number : numbers)
    bits += WidthOf(number);
  const auto width = static_cast<uint32_t>((bits + numbers.size() / 2) / numbers.size());
  Coding best;
  for (uint32_t shift = width > 3 ? width - 3 : 0; shift == 0 || shift < width; ++shift) {
    const Coding coding = ChooseModel<false>(numbers, shift);
    if (coding.cost < best.cost) best = coding;
  }
  return best;
}

// The best of the models with a token for zero alone, if there are enough zeros for one: three
// shifts around the mean width of the others.
Coding ChooseZeroCoding(std::span<const uint64_t> numbers) {
  uint64_t bits = 0;
  size_t others = 0;
  for (const uint64_t number : numbers) {
    bits += WidthOf(number);
    others += number != 0 ? 1U : 0U;
  }
  if (others == 0 || others > numbers.size() - numbers.size() / 8) return {};
  // Plain models have one for most mixtures of zeros and small numbers.
  const auto width = static_cast<uint32_t>((bits + others / 2) / others);
  if (width < 4) return {};
  Coding best;
  const uint32_t first = width > 5 ? width - 5 : 0;
  for (uint32_t shift = first; shift <= first + 2; ++shift) {
    const Coding coding = ChooseModel<true>(numbers, shift);
    if (coding.cost < best.cost) best = coding;
  }
  return best;
}

ColumnHead HeadOf(const Prediction& prediction, const Coding& coding, uint64_t divisor) {
  return {.predictor = prediction.predictor,
          .model = static_cast<uint8_t>(coding.model),
          .shift = coding.shift,
          .divisor = divisor,
          .slope = prediction.slope,
          .centre = prediction.centre};
}

// Sets the model to one of kShortHeadModels if the byte that they save is worth more.
void ShortenHead(const TokenCounts& counts, ColumnHead* head) {
  const bool has_short_form = head->predictor == Predictor::kDelta && head->divisor == 1 &&
                              !head->is_unsigned && head->shift > 0 &&
                              head->shift <= kShortShiftMax && head->model < kPlainModels;
  if (!has_short_form) return;
  const std::array<ModelTables, kModels>& tables = AllTables();
  int32_t best = CostOfModel(counts, tables[head->model]);
  for (const uint8_t model : kShortHeadModels) {
    const int32_t cost = CostOfModel(counts, tables[model]) - 8 * static_cast<int32_t>(kBit);
    if (cost > best) continue;
    best = cost;
    head->model = model;
  }
}

uint64_t CostOfHead(const ColumnHead& head) {
  std::string bytes;
  AppendColumnHead(ColumnVersion::kSecond, head, &bytes);
  return bytes.size() * 8 * kBit;
}

// The numbers without their sign bits; none if a residual is negative.
std::vector<uint64_t> UnsignedNumbers(std::span<const uint64_t> numbers) {
  uint64_t any = 0;
  for (const uint64_t number : numbers)
    any |= number;
  std::vector<uint64_t> halves;
  if ((any & 1) != 0) return halves;
  halves.reserve(numbers.size());
  for (const uint64_t number : numbers)
    halves.push_back(number / 2);
  return halves;
}

// Sets `*out` to the form with the numbers if it costs less than `*cost`.
void TryNumbers(const Prediction& prediction,
                uint64_t divisor,
                bool is_unsigned,
                std::vector<uint64_t> numbers,
                uint64_t* cost,
                ColumnChoice* out) {
  Coding coding = ChooseCoding(numbers);
  if (const Coding zero = ChooseZeroCoding(numbers); zero.cost < coding.cost) coding = zero;
  ColumnHead head = HeadOf(prediction, coding, divisor);
  head.is_unsigned = is_unsigned;
  ShortenHead(coding.counts, &head);
  const uint64_t total = coding.cost + CostOfHead(head);
  if (total >= *cost) return;
  *cost = total;
  *out = {.head = head, .numbers = std::move(numbers)};
}

// Sets `*out` to the form with the prediction if it costs less than `*cost`. False as MakeNumbers.
bool TryPrediction(std::span<const uint64_t> values,
                   const Prediction& prediction,
                   uint64_t divisor,
                   uint64_t* cost,
                   ColumnChoice* out) {
  std::vector<uint64_t> numbers(values.size() - 2);
  if (!MakeNumbers(values, prediction, divisor, &numbers)) return false;
  std::vector<uint64_t> halves = UnsignedNumbers(numbers);
  TryNumbers(prediction, divisor, false, std::move(numbers), cost, out);
  if (!halves.empty()) TryNumbers(prediction, divisor, true, std::move(halves), cost, out);
  return true;
}

// False if residuals are not multiples of the divisor.
bool ChooseSecond(std::span<const uint64_t> values, uint64_t divisor, ColumnChoice* out) {
  const std::array<Prediction, 2> predictions = ChoosePredictions(values, divisor);
  uint64_t cost = ~uint64_t{0};
  if (!TryPrediction(values, predictions[0], divisor, &cost, out)) return false;
  const uint64_t bits = predictions[0].bits;
  if (values.size() <= kExactValuesMax && predictions[1].bits <= bits + bits / 8 + 16) {
    TryPrediction(values, predictions[1], divisor, &cost, out);
  }
  return true;
}

bool ChooseFirst(std::span<const uint64_t> values, uint64_t divisor, ColumnChoice* out) {
  const Prediction prediction = ChoosePredictions(values, divisor)[0];
  out->numbers.resize(values.size() - 1);
  if (!MakeNumbers(values, prediction, divisor, &out->numbers)) return false;
  out->head = HeadOf(prediction, ChooseCoding(out->numbers), divisor);
  return true;
}

}  // namespace

ColumnChoice ChooseColumn(ColumnVersion version, std::span<const uint64_t> values) {
  const auto choose = version == ColumnVersion::kFirst ? ChooseFirst : ChooseSecond;
  ColumnChoice choice;
  if (!choose(values, CommonDivisor(values), &choice)) {
    HOURCELL_CHECK(choose(values, 1, &choice));
  }
  return choice;
}

}  // namespace hourcell
