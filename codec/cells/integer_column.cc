#include "codec/cells/integer_column.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/cells/bit_stream.h"
#include "codec/cells/token_model.h"

namespace hourcell {
namespace {

// ON DISK: do not renumber.
enum class Predictor : uint8_t {
  kLine = 0,
  kLevel = 1,
  kChord = 2,
  kDelta = 3,
  kSlope = 4,
  kCentred = 5,
  kSecondDelta = 6,
  kSmallDelta = 7,
};

constexpr uint32_t kPredictorShift = 5;
constexpr uint8_t kModelMask = 0x1F;
constexpr uint8_t kShiftMask = 0x3F;
constexpr uint8_t kDivisorFlag = 0x40;
constexpr uint32_t kEscapeWidthBits = 6;
// The largest shift with which two residuals fit into one refill of the bit buffer.
constexpr uint32_t kShiftMaxNarrow = 56 / 2 - kStateBits - kExtraBitsMax;

// std::bit_width, which branches on 0 where the processor lacks an instruction for it.
constexpr uint32_t WidthOf(uint64_t value) {
  return static_cast<uint32_t>(63 - std::countl_zero(value | 1)) + (value != 0 ? 1 : 0);
}

constexpr uint64_t Magnitude(uint64_t value) {
  return value >> 63 != 0 ? 0 - value : value;
}

// The slope from the first value to the last, to the nearest integer: see packed_cell.h.
uint64_t ChordOf(std::span<const uint64_t> values) {
  if (values.size() < 2) return 0;
  const auto steps = static_cast<int64_t>(values.size() - 1);
  const auto rise = static_cast<int64_t>(values.back() - values.front());
  const int64_t rest = rise % steps;
  const int64_t up = rest >= steps - rest ? 1 : rest <= -steps - rest ? -1 : 0;
  return static_cast<uint64_t>(rise / steps + up);
}

// The predictor of a column: for kLevel and kChord v[0] + centre + i * slope; for kSecondDelta the
// previous value and the previous delta, which is first the slope; else the previous value, the
// slope and the centre.
struct Prediction {
  Predictor predictor = Predictor::kDelta;
  uint64_t slope = 0;
  uint64_t centre = 0;
};

bool HasCentre(Predictor predictor) {
  return predictor == Predictor::kLevel || predictor == Predictor::kChord ||
         predictor == Predictor::kCentred;
}

bool HasSlope(Predictor predictor) {
  return predictor == Predictor::kChord || predictor == Predictor::kSlope ||
         predictor == Predictor::kSecondDelta;
}

// The chord in whole divisors, so that residuals stay multiples of it.
uint64_t SlopeOf(std::span<const uint64_t> values, uint64_t divisor) {
  const auto chord = static_cast<int64_t>(ChordOf(values));
  return static_cast<uint64_t>(chord - chord % static_cast<int64_t>(divisor));
}

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

// The predictor whose residuals have the fewest significant bits, estimated from a sample.
Prediction ChoosePrediction(std::span<const uint64_t> values, uint64_t divisor) {
  const uint64_t slope = SlopeOf(values, divisor);
  // The simplest first: it wins ties.
  std::array<Prediction, 6> candidates = {{{Predictor::kDelta, 0, 0},
                                           {Predictor::kLevel, 0, 0},
                                           {Predictor::kSecondDelta, slope, 0},
                                           {Predictor::kSlope, slope, 0},
                                           {Predictor::kCentred, 0, 0},
                                           {Predictor::kChord, slope, 0}}};
  Prediction best;
  uint64_t best_bits = ~uint64_t{0};
  for (Prediction& candidate : candidates) {
    const bool is_sloped = HasSlope(candidate.predictor);
    if (is_sloped && slope == 0 && candidate.predictor != Predictor::kSecondDelta) continue;
    if (HasCentre(candidate.predictor)) {
      candidate.centre = MedianResidual(values, candidate);
      const bool is_delta = candidate.predictor == Predictor::kCentred;
      if (is_delta && (candidate.centre == 0 || candidate.centre == slope)) continue;
    }
    const uint64_t bits = SampledBits(values, candidate);
    if (bits < best_bits) {
      best_bits = bits;
      best = candidate;
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

// Sets `*numbers` to the residuals as they are coded. False if one is not a multiple of the
// divisor, which happens where residuals wrap around.
bool MakeNumbers(std::span<const uint64_t> values,
                 const Prediction& prediction,
                 uint64_t divisor,
                 std::vector<uint64_t>* numbers) {
  numbers->resize(values.size() - 1);
  for (size_t i = 1; i < values.size(); ++i)
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

struct Coding {
  uint32_t shift = 0;
  size_t model = 0;
};

// Counts of each token in a sample of shifted numbers.
struct TokenCounts {
  std::array<int16_t, kTokens> of{};
  uint64_t other_bits = 0;  // below the tokens, and of escaped numbers
};

TokenCounts CountTokens(std::span<const uint64_t> numbers, uint32_t shift) {
  constexpr size_t kSampleMax = 16384;  // so that costs add up in 32 bits
  const size_t stride = (numbers.size() + kSampleMax - 1) / kSampleMax;
  TokenCounts counts;
  for (size_t i = 0; i < numbers.size(); i += stride) {
    const uint32_t token = TokenOf(numbers[i] >> shift);
    ++counts.of[token];
    if (token == kEscapeToken) [[unlikely]] {
      counts.other_bits += kEscapeWidthBits + WidthOf(numbers[i]);
    }
  }
  for (uint32_t token = 0; token < kEscapeToken; ++token) {
    counts.other_bits +=
        static_cast<uint64_t>(counts.of[token]) * (kTokenRanges[token].extra_bits + shift);
  }
  return counts;
}

// The best model for the counts, and its cost in 1/256 bit.
uint64_t ChooseModel(const TokenCounts& counts, size_t* model) {
  const std::array<ModelTables, kModels>& tables = AllTables();
  int32_t best = std::numeric_limits<int32_t>::max();
  for (size_t i = 0; i < kModels; ++i) {
    int32_t cost = 0;
    for (size_t token = 0; token < kTokens; ++token)
      cost += counts.of[token] * tables[i].cost[token];
    if (cost < best) {
      best = cost;
      *model = i;
    }
  }
  return static_cast<uint64_t>(best) + (counts.other_bits << 8);
}

// The best of three shifts around the mean width.
Coding ChooseCoding(std::span<const uint64_t> numbers) {
  uint64_t bits = 0;
  for (const uint64_t number : numbers)
    bits += WidthOf(number);
  const auto width = static_cast<uint32_t>((bits + numbers.size() / 2) / numbers.size());
  Coding best;
  uint64_t best_cost = ~uint64_t{0};
  for (uint32_t shift = width > 3 ? width - 3 : 0; shift == 0 || shift < width; ++shift) {
    Coding coding{.shift = shift};
    const uint64_t cost = ChooseModel(CountTokens(numbers, shift), &coding.model);
    if (cost < best_cost) {
      best_cost = cost;
      best = coding;
    }
  }
  return best;
}

uint32_t EscapeWidth(uint64_t number) {
  return static_cast<uint32_t>(std::bit_width(number | 1));
}

// Encoding runs from the last number to the first, the stream in the opposite direction. A step has
// the token of a number and the bits with which its state leads to the next one.
struct Step {
  uint16_t bits;
  uint8_t width;
  uint8_t token;
};

// Sets `*steps` to those of the numbers; returns the initial state of the stream.
std::array<uint32_t, 2> MakeSteps(std::span<const uint64_t> numbers,
                                  const Coding& coding,
                                  std::vector<Step>* steps) {
  const ModelTables& tables = AllTables()[coding.model];
  const std::array<uint16_t, kTokens>& counts = kModelCounts[coding.model];
  steps->resize(numbers.size());
  std::array<uint32_t, 2> states = {kStates, kStates};
  for (size_t i = numbers.size(); i-- > 0;) {
    uint32_t& state = states[i % 2];
    uint32_t token = TokenOf(numbers[i] >> coding.shift);
    if (counts[token] == 0) token = kEscapeToken;
    const uint32_t width = (state + tables.bits_of[token]) >> 16;
    (*steps)[i] = {.bits = static_cast<uint16_t>(state & ((1U << width) - 1)),
                   .width = static_cast<uint8_t>(width),
                   .token = static_cast<uint8_t>(token)};
    const auto at = static_cast<int32_t>(state >> width) + tables.start[token];
    state = kStates + tables.encode[static_cast<size_t>(at)];
  }
  return {states[0] - kStates, states[1] - kStates};
}

void AppendStream(std::span<const uint64_t> numbers, const Coding& coding, std::string* out) {
  std::vector<Step> steps;
  const std::array<uint32_t, 2> states = MakeSteps(numbers, coding, &steps);
  size_t bits = 2 * kStateBits;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Step step = steps[i];
    bits += step.width + (step.token == kEscapeToken
                              ? kEscapeWidthBits + EscapeWidth(numbers[i])
                              : kTokenRanges[step.token].extra_bits + coding.shift);
  }
  const size_t start = out->size();
  const size_t size = start + (bits + 7) / 8;
  out->resize(size + sizeof(uint64_t));
  BitWriter writer(out->data() + start);
  writer.Write(states[0], kStateBits);
  writer.Write(states[1], kStateBits);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Step step = steps[i];
    writer.Write(step.bits, step.width);
    if (step.token == kEscapeToken) [[unlikely]] {
      const uint32_t width = EscapeWidth(numbers[i]);
      writer.Write(width - 1, kEscapeWidthBits);
      writer.WriteLong(numbers[i], width);
    } else {
      const TokenRange range = kTokenRanges[step.token];
      writer.WriteLong(numbers[i] - (uint64_t{range.begin} << coding.shift),
                       range.extra_bits + coding.shift);
    }
  }
  HOURCELL_CHECK(writer.end() == out->data() + size);
  out->resize(size);
}

// The head of a column, with the prediction in the decoder's form.
struct ColumnHead {
  Predictor predictor = Predictor::kLine;
  uint8_t model = 0;
  uint32_t shift = 0;
  uint64_t divisor = 1;
  uint64_t slope = 0;   // as in Prediction
  uint64_t centre = 0;  // as in Prediction
};

const char* TakeHead(std::string_view* bytes, std::span<const uint64_t> values, ColumnHead* out) {
  if (bytes->empty()) return "column cut short";
  const auto lead = static_cast<uint8_t>(bytes->front());
  bytes->remove_prefix(1);
  out->predictor = static_cast<Predictor>(lead >> kPredictorShift);
  out->model = lead & kModelMask;
  if (out->predictor == Predictor::kLine) {
    out->slope = ChordOf(values);
    return out->model == 0 ? nullptr : "line with a model";
  }
  if (out->predictor == Predictor::kSmallDelta) return nullptr;
  if (bytes->empty()) return "column cut short";
  const auto scale = static_cast<uint8_t>(bytes->front());
  bytes->remove_prefix(1);
  if ((scale & ~(kShiftMask | kDivisorFlag)) != 0) return "unknown scale";
  out->shift = scale & kShiftMask;
  if ((scale & kDivisorFlag) != 0) {
    const absl::StatusOr<uint64_t> divisor = TakeVarint(bytes);
    if (!divisor.ok() || *divisor > (uint64_t{1} << 63) - 3) return "unreadable divisor";
    out->divisor = *divisor + 2;
  }
  if (HasCentre(out->predictor)) {
    const absl::StatusOr<uint64_t> centre = TakeVarint(bytes);
    if (!centre.ok()) return "unreadable centre";
    out->centre = UnZigZag(*centre);
  }
  if (HasSlope(out->predictor)) out->slope = SlopeOf(values, out->divisor);
  return nullptr;
}

void AddToTotals(uint64_t value, IntegerTotals* totals) {
  const auto number = static_cast<int64_t>(value);
  totals->min = std::min(totals->min, number);
  totals->max = std::max(totals->max, number);
  totals->sum += value;
}

// Computes a value from the previous one and its residual.
enum class Order : uint8_t { kNone, kFirst, kSecond };

// The number of a token of several numbers, after its state bits are taken. Ends with a refill.
[[gnu::noinline]] uint64_t ReadNumber(uint32_t token, uint32_t shift, BitReader* reader) {
  reader->Refill();
  uint64_t number = 0;
  if (token == kEscapeToken) {
    const auto width = static_cast<uint32_t>(reader->Read(kEscapeWidthBits)) + 1;
    number = reader->ReadLong(width);
  } else {
    number = (uint64_t{kTokenRanges[token].begin} << shift) +
             reader->ReadLong(kTokenRanges[token].extra_bits + shift);
  }
  reader->Refill();
  return number;
}

// The layout of a column's numbers in its stream.
enum class Scale : uint8_t {
  kNone,    // shift 0, no divisor: most numbers equal their token
  kNarrow,  // one refill of the bit buffer is enough for two numbers
  kWide
};

// Reads the residual of the point of `entry`, and its state bits.
template <Scale kScale>
[[gnu::always_inline]] inline uint64_t ReadResidual(const StateEntry& entry,
                                                    const ColumnHead& head,
                                                    BitReader* reader) {
  uint64_t number = 0;
  if constexpr (kScale == Scale::kNone) {
    reader->Skip(entry.state_bits);
    if (entry.range_bits == 0) [[likely]]
      return static_cast<uint64_t>(int64_t{entry.residual});
    BitReader copy = *reader;
    number = ReadNumber(entry.token, 0, &copy);
    *reader = copy;
  } else if (entry.range_bits == kEscapeRangeBits) [[unlikely]] {
    BitReader copy = *reader;
    copy.Skip(entry.state_bits);
    number = ReadNumber(kEscapeToken, 0, &copy);
    *reader = copy;
  } else {
    const uint32_t bits = entry.range_bits + head.shift;
    number = uint64_t{kTokenRanges[entry.token].begin} << head.shift;
    reader->Skip(entry.state_bits);
    number += kScale == Scale::kNarrow ? reader->Read(bits) : reader->ReadLong(bits);
  }
  return UnZigZag(number) * head.divisor;
}

// The hot loop of reading: two dependent chains of table load, mask and add, a value each in turn;
// all other work overlaps with them. Returns the end of the stream; nullptr if it is inconsistent.
template <Order kOrder, Scale kScale>
const char* DecodeValues(const ColumnHead& head,
                         std::string_view bytes,
                         std::span<uint64_t> values,
                         IntegerTotals* totals) {
  const StateEntry* const table = AllTables()[head.model].decode.data();
  const ColumnHead local = head;
  const uint64_t first = values[0];
  const size_t count = values.size();
  uint64_t* const out = values.data();
  BitReader reader{.at = bytes.data(), .end = bytes.data() + bytes.size()};
  reader.Refill();
  uint64_t state = reader.Read(kStateBits);
  uint64_t next_state = reader.Read(kStateBits);
  const uint64_t base = first + local.centre;
  const uint64_t step = local.slope + local.centre;
  uint64_t value = first;
  uint64_t delta = local.slope;
  IntegerTotals sums{static_cast<int64_t>(first), static_cast<int64_t>(first), first};
  // Decodes one point with one of the two states.
  const auto decode = [&](size_t i, uint64_t* of) __attribute__((always_inline)) {
    HOURCELL_DCHECK(*of < kStates);
    const StateEntry& entry = table[*of];
    *of = entry.next + (reader.buffer & entry.state_mask);
    const uint64_t residual = ReadResidual<kScale>(entry, local, &reader);
    if constexpr (kOrder == Order::kNone) {
      value = base + i * local.slope + residual;
    } else if constexpr (kOrder == Order::kFirst) {
      value += step + residual;
    } else {
      delta += residual;
      value += delta;
    }
    out[i] = value;
    AddToTotals(value, &sums);
  };
  size_t i = 1;
  constexpr size_t kBatch = kScale == Scale::kNone ? 4 : 2;
  for (; i + kBatch <= count; i += kBatch) {
    reader.Refill();
    if (reader.available < 0) return nullptr;
    decode(i, &state);
    if constexpr (kScale == Scale::kWide) reader.Refill();
    decode(i + 1, &next_state);
    if constexpr (kScale == Scale::kNone) {
      decode(i + 2, &state);
      decode(i + 3, &next_state);
    }
  }
  for (; i < count; ++i) {
    reader.Refill();
    if (reader.available < 0) return nullptr;
    decode(i, &state);
    std::swap(state, next_state);
  }
  *totals = sums;
  return state == 0 && next_state == 0 ? reader.End() : nullptr;
}

// Decodes the stream at the front of `bytes`; returns its end, or nullptr if it is inconsistent.
template <Order kOrder>
const char* DecodeStream(const ColumnHead& head,
                         std::string_view bytes,
                         std::span<uint64_t> values,
                         IntegerTotals* totals) {
  if (head.shift == 0 && head.divisor == 1) {
    return DecodeValues<kOrder, Scale::kNone>(head, bytes, values, totals);
  }
  return head.shift <= kShiftMaxNarrow
             ? DecodeValues<kOrder, Scale::kNarrow>(head, bytes, values, totals)
             : DecodeValues<kOrder, Scale::kWide>(head, bytes, values, totals);
}

void FillLine(uint64_t slope, std::span<uint64_t> values, IntegerTotals* totals) {
  uint64_t value = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    value += slope;
    values[i] = value;
    AddToTotals(value, totals);
  }
}

}  // namespace

bool IsLine(std::span<const uint64_t> values) {
  const uint64_t chord = ChordOf(values);
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != chord) return false;
  }
  return true;
}

// Both versions have the same bytes until the second has its own.
void AppendIntegerColumn(ColumnVersion /*version*/,
                         std::span<const uint64_t> values,
                         std::string* out) {
  HOURCELL_CHECK(!values.empty());
  if (IsLine(values)) {
    out->push_back('\0');
    return;
  }
  uint64_t divisor = CommonDivisor(values);
  Prediction prediction = ChoosePrediction(values, divisor);
  std::vector<uint64_t> numbers;
  if (!MakeNumbers(values, prediction, divisor, &numbers)) {
    divisor = 1;
    prediction = ChoosePrediction(values, divisor);
    HOURCELL_CHECK(MakeNumbers(values, prediction, divisor, &numbers));
  }
  const Coding coding = ChooseCoding(numbers);

  const bool is_small =
      prediction.predictor == Predictor::kDelta && coding.shift == 0 && divisor == 1;
  const Predictor stored = is_small ? Predictor::kSmallDelta : prediction.predictor;
  out->push_back(static_cast<char>(static_cast<size_t>(stored) << kPredictorShift | coding.model));
  if (!is_small) {
    out->push_back(static_cast<char>(coding.shift | (divisor == 1 ? 0U : kDivisorFlag)));
    if (divisor != 1) AppendVarint(divisor - 2, out);
    if (HasCentre(stored)) AppendVarint(ZigZag(prediction.centre), out);
  }
  AppendStream(numbers, coding, out);
}

const char* TakeIntegerColumn(ColumnVersion /*version*/,
                              std::string_view* bytes,
                              std::span<uint64_t> values,
                              IntegerTotals* totals) {
  const uint64_t first = values.front();
  const uint64_t last = values.back();
  *totals = {static_cast<int64_t>(first), static_cast<int64_t>(first), first};
  ColumnHead head;
  if (const char* fault = TakeHead(bytes, values, &head); fault != nullptr) return fault;
  if (head.predictor == Predictor::kLine) {
    FillLine(head.slope, values, totals);
    return values.back() == last ? nullptr : "line that does not meet its last value";
  }
  const char* end = nullptr;
  switch (head.predictor) {
    case Predictor::kLevel:
    case Predictor::kChord:
      end = DecodeStream<Order::kNone>(head, *bytes, values, totals);
      break;
    case Predictor::kSecondDelta:
      end = DecodeStream<Order::kSecond>(head, *bytes, values, totals);
      break;
    default:
      end = DecodeStream<Order::kFirst>(head, *bytes, values, totals);
      break;
  }
  if (end == nullptr) return "column that does not add up";
  if (values.back() != last) return "column that does not meet its last value";
  bytes->remove_prefix(static_cast<size_t>(end - bytes->data()));
  return nullptr;
}

bool CanHoldColumn(size_t bytes, size_t values) {
  // The most frequent token of any model has 1,012 of 1,024 states and costs 0.017 bits; the first
  // state may save 10 bits.
  constexpr size_t kValuesPerByteMax = 480;
  return values / kValuesPerByteMax <= bytes + 2;
}

}  // namespace hourcell
