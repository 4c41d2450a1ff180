#include "codec/cells/column_stream.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/cells/bit_stream.h"
#include "codec/cells/token_model.h"

namespace hourcell {
namespace {

constexpr uint32_t kPredictorShift = 5;
constexpr uint8_t kModelMask = 0x1F;
constexpr uint8_t kShiftMask = 0x3F;
constexpr uint8_t kDivisorFlag = 0x40;
constexpr uint8_t kZeroModelFlag = 0x80;  // of the second version
constexpr uint8_t kUnsignedLead = 0x1F;   // of the second version

const char* TakeByte(std::string_view* bytes, uint8_t* out) {
  if (bytes->empty()) return "column cut short";
  *out = static_cast<uint8_t>(bytes->front());
  bytes->remove_prefix(1);
  return nullptr;
}

bool IsSmallDelta(const ColumnHead& head) {
  return head.predictor == Predictor::kDelta && head.is_small() && head.model < kPlainModels;
}

// The lead byte of a delta with its shift in place of a model; 0 if it does not have one.
uint8_t ShortLead(const ColumnHead& head) {
  if (head.predictor != Predictor::kDelta || head.divisor != 1 || head.is_unsigned) return 0;
  if (head.shift == 0 || head.shift > kShortShiftMax) return 0;
  for (uint8_t i = 0; i < kShortHeadModels.size(); ++i) {
    if (head.model == kShortHeadModels[i]) return static_cast<uint8_t>(2 * head.shift - 1 + i);
  }
  return 0;
}

// Decodes a lead byte of predictor 0 that is neither a line nor kUnsignedLead.
void SetShortDelta(uint8_t lead, ColumnHead* out) {
  out->predictor = Predictor::kDelta;
  out->shift = (lead + 1U) / 2;
  out->model = kShortHeadModels[(lead + 1U) % 2];
}

// Takes the bytes after the lead byte.
const char* TakeScale(ColumnVersion version, std::string_view* bytes, ColumnHead* out) {
  uint8_t scale = 0;
  if (const char* fault = TakeByte(bytes, &scale); fault != nullptr) return fault;
  out->shift = scale & kShiftMask;
  if ((scale & kZeroModelFlag) != 0) {
    if (version == ColumnVersion::kFirst) return "unknown scale";
    out->model += kPlainModels;
  }
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
  return nullptr;
}

// The largest shift with which two residuals fit into one refill of the bit buffer.
constexpr uint32_t kShiftMaxNarrow = 56 / 2 - kStateBits - kExtraBitsMax;
// A column of the second version with at most this many values has one state instead of two. One of
// zeros is small enough to save a state for longer.
constexpr size_t kOneStateValuesMax = 128;
constexpr size_t kOneStateZerosMax = 512;

// True for the zero models in which at least 94 % are zeros.
constexpr bool IsMostlyZero(size_t model) {
  return model >= kPlainModels && model < kPlainModels + 7;
}
constexpr size_t kTailMax = 2 * kStateBits;
// By the bits of a field.
constexpr std::array<uint8_t, kStateBits + 1> kFieldsOfState = {0, 10, 5, 3, 2, 2, 1, 1, 1, 1, 1};

// The parts of a stream: the states, the numbers that are tokens, and the tail: the last numbers,
// which the final states hold in fields of bits.
struct StreamLayout {
  size_t states = 2;
  size_t tokens = 0;
  size_t tail = 0;
  uint32_t field_bits = 0;     // of a number of the tail
  size_t fields_of_state = 0;  // numbers of the tail in one state

  // Bits of a field that the state holds; the others follow the tokens.
  uint32_t bits_in_state() const { return std::min(field_bits, kStateBits); }
  // A field of ones is an escape.
  uint64_t escape() const { return ~uint64_t{0} >> (64 - field_bits); }
};

StreamLayout LayoutOf(ColumnVersion version, const ColumnHead& head, size_t values) {
  if (version == ColumnVersion::kFirst) return {.tokens = values - 1};
  const size_t one_state_max = IsMostlyZero(head.model) ? kOneStateZerosMax : kOneStateValuesMax;
  StreamLayout layout{.states = values <= one_state_max ? 1U : 2U, .tokens = values - 2};
  const uint32_t tail_bits = AllTables()[head.model].tail_bits;
  if (tail_bits == 0) return layout;
  layout.field_bits = std::min(tail_bits + head.shift, 64U);
  layout.fields_of_state = kFieldsOfState[layout.bits_in_state()];
  layout.tail = std::min(layout.states * layout.fields_of_state, layout.tokens);
  layout.tokens -= layout.tail;
  return layout;
}

TokenForm FormOf(const ColumnHead& head) {
  return {.shift = head.shift, .has_zero_token = head.model >= kPlainModels};
}

uint32_t EscapeWidth(uint64_t number) {
  return static_cast<uint32_t>(std::bit_width(number | 1));
}

// The final states, the one of the first numbers of the tail first.
std::array<uint32_t, 2> FinalStates(const StreamLayout& layout, std::span<const uint64_t> tail) {
  std::array<uint32_t, 2> states{};
  for (size_t i = 0; i < tail.size(); ++i) {
    const uint64_t field = std::min(tail[i], layout.escape());
    const auto at = static_cast<uint32_t>(i % layout.fields_of_state) * layout.bits_in_state();
    states[i / layout.fields_of_state] |= static_cast<uint32_t>(field & (kStates - 1)) << at;
  }
  return states;
}

// Encoding runs from the last number to the first, the stream in the opposite direction. A step has
// the token of a number and the bits with which its state leads to the next one.
struct Step {
  uint16_t bits;
  uint8_t width;
  uint8_t token;
};

// Sets `*steps` to those of the numbers, and `*states` from the final to the initial ones; both
// have the state of the next number first.
void MakeSteps(std::span<const uint64_t> numbers,
               const ColumnHead& head,
               const StreamLayout& layout,
               std::array<uint32_t, 2>* states,
               std::vector<Step>* steps) {
  const ModelTables& tables = AllTables()[head.model];
  const std::array<uint16_t, kTokens>& counts = kModelCounts[head.model];
  const TokenForm form = FormOf(head);
  const size_t other = layout.states - 1;  // index of the state of every second number
  steps->resize(numbers.size());
  // By the parity of the numbers.
  std::array<uint32_t, 2> by_parity = *states;
  if (numbers.size() % 2 == 1 && other == 1) std::swap(by_parity[0], by_parity[1]);
  for (size_t i = numbers.size(); i-- > 0;) {
    uint32_t& state = by_parity[i & other];
    uint32_t token = form.TokenOf(numbers[i]);
    if (counts[token] == 0) token = kEscapeToken;
    const uint32_t from = state + kStates;
    const uint32_t width = (from + tables.bits_of[token]) >> 16;
    (*steps)[i] = {.bits = static_cast<uint16_t>(from & ((1U << width) - 1)),
                   .width = static_cast<uint8_t>(width),
                   .token = static_cast<uint8_t>(token)};
    const auto at = static_cast<int32_t>(from >> width) + tables.start[token];
    state = tables.encode[static_cast<size_t>(at)];
  }
  *states = by_parity;
}

void WriteEscaped(uint64_t number, BitWriter* writer) {
  const uint32_t width = EscapeWidth(number);
  writer->Write(width - 1, kEscapeWidthBits);
  writer->WriteLong(number, width);
}

// The bits of the tail that are not in states.
size_t TailBits(const StreamLayout& layout, std::span<const uint64_t> tail) {
  size_t bits = tail.size() * (layout.field_bits - layout.bits_in_state());
  for (const uint64_t number : tail) {
    if (number >= layout.escape()) bits += kEscapeWidthBits + EscapeWidth(number);
  }
  return bits;
}

void WriteTail(const StreamLayout& layout, std::span<const uint64_t> tail, BitWriter* writer) {
  for (const uint64_t number : tail) {
    const uint64_t field = std::min(number, layout.escape());
    if (layout.field_bits > kStateBits) {
      writer->WriteLong(field >> kStateBits, layout.field_bits - kStateBits);
    }
    if (field == layout.escape()) WriteEscaped(number, writer);
  }
}

// Computes a value from the previous one and its residual.
enum class Order : uint8_t { kNone, kFirst, kSecond };

// The layout of a column's numbers in its stream. Narrow: one refill of the bit buffer is enough
// for two numbers.
enum class Scale : uint8_t {
  kSmall,   // ColumnHead::is_small
  kNarrow,  // with zigzag
  kWide,
  kZeroNarrow,  // of zero models
  kZeroWide,
  kMostlyZero
};

constexpr bool IsZero(Scale scale) {
  return scale == Scale::kZeroNarrow || scale == Scale::kZeroWide || scale == Scale::kMostlyZero;
}
constexpr bool IsWide(Scale scale) {
  return scale == Scale::kWide || scale == Scale::kZeroWide;
}

// A number whose width is in the stream. Ends with a refill.
[[gnu::noinline]] uint64_t ReadEscaped(BitReader* reader) {
  reader->Refill();
  const auto width = static_cast<uint32_t>(reader->Read(kEscapeWidthBits)) + 1;
  const uint64_t number = reader->ReadLong(width);
  reader->Refill();
  return number;
}

// The number of a token, after its state bits are taken. Ends with a refill.
[[gnu::noinline]] uint64_t ReadNumber(uint32_t token, TokenBits bits, BitReader* reader) {
  if (token == kEscapeToken) return ReadEscaped(reader);
  const uint64_t number = bits.begin + reader->ReadLong(bits.extra_bits);
  reader->Refill();
  return number;
}

// The residual of a number with that many sign bits, 0 or 1.
[[gnu::always_inline]] inline uint64_t ResidualOf(uint64_t number,
                                                  uint64_t sign_bits,
                                                  uint64_t divisor) {
  return (number >> sign_bits ^ (0 - (number & sign_bits))) * divisor;
}

// The form of a column's numbers, in local variables of the loop.
template <Scale kScale>
struct ResidualForm {
  explicit ResidualForm(const ColumnHead& head)
      : table(AllTables()[head.model].decode.data()),
        shift(head.shift),
        sign_bits(head.is_unsigned ? 0 : 1),
        divisor(head.divisor) {
    if constexpr (IsZero(kScale)) tokens = FormOf(head).Bits();
  }

  // The number of a token, from the bits that follow its state's.
  [[gnu::always_inline]] uint64_t Read(const StateEntry& entry, BitReader* reader) const {
    uint64_t begin = uint64_t{kTokenRanges[entry.token].begin} << shift;
    uint32_t bits = entry.range_bits + shift;
    if constexpr (IsZero(kScale)) {
      begin = tokens[entry.token].begin;
      bits = tokens[entry.token].extra_bits;
    }
    return begin + (IsWide(kScale) ? reader->ReadLong(bits) : reader->Read(bits));
  }

  const StateEntry* table;
  uint32_t shift;
  uint64_t sign_bits;
  uint64_t divisor;
  std::array<TokenBits, IsZero(kScale) ? kTokens : 0> tokens;
};

// Reads the residual of the point of `entry`, and its state bits.
template <Scale kScale>
[[gnu::always_inline]] inline uint64_t ReadResidual(const StateEntry& entry,
                                                    const ResidualForm<kScale>& form,
                                                    BitReader* reader) {
  uint64_t number = 0;
  if constexpr (kScale == Scale::kSmall) {
    reader->Skip(entry.state_bits);
    if (entry.range_bits == 0) [[likely]]
      return static_cast<uint64_t>(int64_t{entry.residual});
    BitReader copy = *reader;
    const TokenRange range = kTokenRanges[entry.token % kEscapeToken];
    number = ReadNumber(entry.token, {range.begin, range.extra_bits}, &copy);
    *reader = copy;
    return UnZigZag(number);
  } else if constexpr (kScale == Scale::kMostlyZero) {
    reader->Skip(entry.state_bits);
    if (entry.token == 0) [[likely]]
      return 0;
    BitReader copy = *reader;
    number = ReadNumber(entry.token, form.tokens[entry.token], &copy);
    *reader = copy;
  } else if (entry.range_bits == kEscapeRangeBits) [[unlikely]] {
    BitReader copy = *reader;
    copy.Skip(entry.state_bits);
    number = ReadEscaped(&copy);
    *reader = copy;
  } else {
    reader->Skip(entry.state_bits);
    number = form.Read(entry, reader);
  }
  // A sign that is known when this is compiled is faster.
  return ResidualOf(number, kScale == Scale::kNarrow ? 1 : form.sign_bits, form.divisor);
}

// Sets the numbers of the tail from the final states and the stream. False if the states have bits
// beyond the fields.
bool ReadTail(const StreamLayout& layout,
              std::array<uint64_t, 2> states,
              BitReader* reader,
              std::array<uint64_t, kTailMax>* numbers) {
  const uint32_t bits = layout.bits_in_state();
  size_t fields = layout.fields_of_state;  // left in the state
  uint64_t* state = states.data();
  for (size_t i = 0; i < layout.tail; ++i) {
    if (fields-- == 0) {
      ++state;
      fields = layout.fields_of_state - 1;
    }
    uint64_t number = *state & ((uint64_t{1} << bits) - 1);
    *state >>= bits;
    if (layout.field_bits > kStateBits) {
      number |= reader->ReadLong(layout.field_bits - kStateBits) << kStateBits;
    }
    if (number == layout.escape()) number = ReadEscaped(reader);
    if (reader->available < 0) return false;
    (*numbers)[i] = number;
  }
  return states[0] == 0 && states[1] == 0;
}

// The hot loop of reading: two dependent chains of table load, mask and add, a value each in turn;
// all other work overlaps with them. Returns the end of the stream; nullptr if it is inconsistent.
template <Order kOrder, Scale kScale, size_t kStateCount>
const char* DecodeValues(const ColumnHead& head,
                         const StreamLayout& layout,
                         std::string_view bytes,
                         std::span<uint64_t> values,
                         IntegerTotals* totals) {
  // Most numbers have no bits but their state's.
  constexpr bool kIsTokens = kScale == Scale::kSmall || kScale == Scale::kMostlyZero;
  const ResidualForm<kScale> form(head);
  const uint64_t first = values[0];
  const size_t end = 1 + layout.tokens;
  uint64_t* const out = values.data();
  BitReader reader{.at = bytes.data(), .end = bytes.data() + bytes.size()};
  reader.Refill();
  uint64_t state = reader.Read(kStateBits);
  uint64_t other_state = kStateCount == 2 ? reader.Read(kStateBits) : 0;
  uint64_t& next_state = kStateCount == 2 ? other_state : state;
  const uint64_t base = first + head.centre;
  const uint64_t slope = head.slope;
  const uint64_t step = head.slope + head.centre;
  uint64_t value = first;
  uint64_t delta = head.slope;
  IntegerTotals sums{static_cast<int64_t>(first), static_cast<int64_t>(first), first};
  const auto put = [&](size_t i, uint64_t residual) __attribute__((always_inline)) {
    if constexpr (kOrder == Order::kNone) {
      value = base + i * slope + residual;
    } else if constexpr (kOrder == Order::kFirst) {
      value += step + residual;
    } else {
      delta += residual;
      value += delta;
    }
    out[i] = value;
    AddToTotals(value, &sums);
  };
  // Decodes one point with one of the two states.
  const auto decode = [&](size_t i, uint64_t* of) __attribute__((always_inline)) {
    HOURCELL_DCHECK(*of < kStates);
    const StateEntry& entry = form.table[*of];
    *of = entry.next + (reader.buffer & entry.state_mask);
    put(i, ReadResidual<kScale>(entry, form, &reader));
  };
  size_t i = 1;
  constexpr size_t kBatch = kIsTokens ? 4 : 2;
  for (; i + kBatch <= end; i += kBatch) {
    reader.Refill();
    if (reader.available < 0) return nullptr;
    decode(i, &state);
    if constexpr (IsWide(kScale)) reader.Refill();
    decode(i + 1, &next_state);
    if constexpr (kIsTokens) {
      decode(i + 2, &state);
      decode(i + 3, &next_state);
    }
  }
  for (; i < end; ++i) {
    reader.Refill();
    if (reader.available < 0) return nullptr;
    decode(i, &state);
    if constexpr (kStateCount == 2) std::swap(state, other_state);
  }
  if (layout.tail > 0) {
    std::array<uint64_t, kTailMax> numbers;
    BitReader copy = reader;
    if (!ReadTail(layout, {state, other_state}, &copy, &numbers)) return nullptr;
    reader = copy;
    for (size_t k = 0; k < layout.tail; ++k)
      put(i++, ResidualOf(numbers[k], form.sign_bits, form.divisor));
  } else if (state != 0 || other_state != 0) {
    return nullptr;
  }
  *totals = sums;
  return reader.End();
}

template <Order kOrder, Scale kScale>
const char* DecodeScaled(const ColumnHead& head,
                         const StreamLayout& layout,
                         std::string_view bytes,
                         std::span<uint64_t> values,
                         IntegerTotals* totals) {
  return layout.states == 1 ? DecodeValues<kOrder, kScale, 1>(head, layout, bytes, values, totals)
                            : DecodeValues<kOrder, kScale, 2>(head, layout, bytes, values, totals);
}

template <Order kOrder>
const char* DecodeOrdered(const ColumnHead& head,
                          const StreamLayout& layout,
                          std::string_view bytes,
                          std::span<uint64_t> values,
                          IntegerTotals* totals) {
  const bool is_narrow = head.shift <= kShiftMaxNarrow;
  if (IsMostlyZero(head.model)) {
    return DecodeScaled<kOrder, Scale::kMostlyZero>(head, layout, bytes, values, totals);
  }
  if (head.model >= kPlainModels) {
    return is_narrow ? DecodeScaled<kOrder, Scale::kZeroNarrow>(head, layout, bytes, values, totals)
                     : DecodeScaled<kOrder, Scale::kZeroWide>(head, layout, bytes, values, totals);
  }
  if (head.is_small()) {
    return DecodeScaled<kOrder, Scale::kSmall>(head, layout, bytes, values, totals);
  }
  return is_narrow && !head.is_unsigned
             ? DecodeScaled<kOrder, Scale::kNarrow>(head, layout, bytes, values, totals)
             : DecodeScaled<kOrder, Scale::kWide>(head, layout, bytes, values, totals);
}

}  // namespace

uint64_t ChordOf(std::span<const uint64_t> values) {
  if (values.size() < 2) return 0;
  const auto steps = static_cast<int64_t>(values.size() - 1);
  const auto rise = static_cast<int64_t>(values.back() - values.front());
  const int64_t rest = rise % steps;
  const int64_t up = rest >= steps - rest ? 1 : rest <= -steps - rest ? -1 : 0;
  return static_cast<uint64_t>(rise / steps + up);
}

uint64_t SlopeOf(std::span<const uint64_t> values, uint64_t divisor) {
  const auto chord = static_cast<int64_t>(ChordOf(values));
  return static_cast<uint64_t>(chord - chord % static_cast<int64_t>(divisor));
}

void AppendColumnHead(ColumnVersion version, const ColumnHead& head, std::string* out) {
  const bool is_second = version == ColumnVersion::kSecond;
  HOURCELL_DCHECK(is_second || (head.model < kPlainModels && !head.is_unsigned));
  if (const uint8_t lead = ShortLead(head); is_second && lead != 0) {
    out->push_back(static_cast<char>(lead));
    return;
  }
  if (head.is_unsigned) out->push_back(static_cast<char>(kUnsignedLead));
  const bool is_small = IsSmallDelta(head);
  const Predictor stored = is_small ? Predictor::kSmallDelta : head.predictor;
  out->push_back(static_cast<char>(static_cast<uint32_t>(stored) << kPredictorShift |
                                   (head.model & kModelMask)));
  if (is_small) return;
  out->push_back(static_cast<char>(head.shift | (head.divisor == 1 ? 0U : kDivisorFlag) |
                                   (head.model < kPlainModels ? 0U : kZeroModelFlag)));
  if (head.divisor != 1) AppendVarint(head.divisor - 2, out);
  if (HasCentre(stored)) AppendVarint(ZigZag(head.centre), out);
}

const char* TakeColumnHead(ColumnVersion version,
                           std::string_view* bytes,
                           std::span<const uint64_t> values,
                           ColumnHead* out) {
  uint8_t lead = 0;
  if (const char* fault = TakeByte(bytes, &lead); fault != nullptr) return fault;
  const bool is_second = version == ColumnVersion::kSecond;
  if (is_second && lead == kUnsignedLead) {
    out->is_unsigned = true;
    if (const char* fault = TakeByte(bytes, &lead); fault != nullptr) return fault;
  }
  out->predictor = static_cast<Predictor>(lead >> kPredictorShift);
  out->model = lead & kModelMask;
  if (out->is_unsigned &&
      (out->predictor == Predictor::kLine || out->predictor == Predictor::kSmallDelta)) {
    return "unsigned column without a scale";
  }
  if (out->predictor == Predictor::kLine) {
    out->slope = ChordOf(values);
    if (lead == 0) return nullptr;
    if (!is_second) return "line with a model";
    out->slope = 0;
    SetShortDelta(lead, out);
    return nullptr;
  }
  if (out->predictor == Predictor::kSmallDelta) return nullptr;
  if (const char* fault = TakeScale(version, bytes, out); fault != nullptr) return fault;
  if (HasSlope(out->predictor)) out->slope = SlopeOf(values, out->divisor);
  return nullptr;
}

void AppendColumnStream(ColumnVersion version,
                        const ColumnHead& head,
                        size_t values,
                        std::span<const uint64_t> numbers,
                        std::string* out) {
  const StreamLayout layout = LayoutOf(version, head, values);
  const std::span<const uint64_t> tokens = numbers.first(layout.tokens);
  const std::span<const uint64_t> tail = numbers.subspan(layout.tokens);
  HOURCELL_CHECK(tail.size() == layout.tail);
  const std::array<TokenBits, kTokens> token_bits = FormOf(head).Bits();
  std::array<uint32_t, 2> states = FinalStates(layout, tail);
  std::vector<Step> steps;
  MakeSteps(tokens, head, layout, &states, &steps);
  size_t bits = layout.states * kStateBits + TailBits(layout, tail);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Step step = steps[i];
    bits += step.width + (step.token == kEscapeToken ? kEscapeWidthBits + EscapeWidth(tokens[i])
                                                     : token_bits[step.token].extra_bits);
  }
  const size_t start = out->size();
  const size_t size = start + (bits + 7) / 8;
  out->resize(size + sizeof(uint64_t));
  BitWriter writer(out->data() + start);
  for (size_t i = 0; i < layout.states; ++i)
    writer.Write(states[i], kStateBits);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Step step = steps[i];
    writer.Write(step.bits, step.width);
    if (step.token == kEscapeToken) [[unlikely]] {
      WriteEscaped(tokens[i], &writer);
    } else {
      writer.WriteLong(tokens[i] - token_bits[step.token].begin, token_bits[step.token].extra_bits);
    }
  }
  WriteTail(layout, tail, &writer);
  HOURCELL_CHECK(writer.end() == out->data() + size);
  out->resize(size);
}

const char* DecodeColumnStream(ColumnVersion version,
                               const ColumnHead& head,
                               std::string_view bytes,
                               std::span<uint64_t> values,
                               IntegerTotals* totals) {
  const StreamLayout layout = LayoutOf(version, head, values.size());
  const char* end = nullptr;
  switch (head.predictor) {
    case Predictor::kLevel:
    case Predictor::kChord:
      end = DecodeOrdered<Order::kNone>(head, layout, bytes, values, totals);
      break;
    case Predictor::kSecondDelta:
      end = DecodeOrdered<Order::kSecond>(head, layout, bytes, values, totals);
      break;
    default:
      end = DecodeOrdered<Order::kFirst>(head, layout, bytes, values, totals);
      break;
  }
  if (version == ColumnVersion::kSecond) AddToTotals(values.back(), totals);
  return end;
}

}  // namespace hourcell
