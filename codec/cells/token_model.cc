#include "codec/cells/token_model.h"

#include <bit>

#include "codec/base/check.h"

namespace hourcell {

// Each model is named after its source: a normal distribution of residuals with that deviation, a
// two-sided geometric one with that ratio, zeros with that probability and a power law for the
// others, and for shifted residuals one-sided distributions over the remaining numbers. Zero models
// have the probability of zero and the distribution of the others.
const std::array<std::array<uint16_t, kTokens>, kModels> kModelCounts = {{
    {855, 84, 84, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},                // gauss 0.36
    {750, 135, 136, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},              // gauss 0.45
    {652, 182, 183, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},              // gauss 0.55
    {558, 220, 220, 12, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},            // gauss 0.67
    {474, 242, 242, 31, 32, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1},            // gauss 0.81
    {411, 248, 248, 54, 54, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 1},            // gauss 0.95
    {368, 245, 245, 72, 72, 10, 9, 1, 1, 0, 0, 0, 0, 0, 0, 1},           // gauss 1.07
    {318, 235, 235, 95, 95, 20, 21, 2, 2, 0, 0, 0, 0, 0, 0, 1},          // gauss 1.25
    {267, 216, 216, 114, 114, 39, 39, 8, 8, 1, 1, 0, 0, 0, 0, 1},        // gauss 1.50
    {224, 193, 193, 123, 123, 57, 58, 20, 20, 5, 6, 1, 0, 0, 0, 1},      // gauss 1.80
    {184, 166, 166, 123, 123, 74, 74, 36, 36, 14, 19, 7, 1, 0, 0, 1},    // gauss 2.20
    {150, 141, 141, 115, 115, 82, 82, 51, 51, 27, 40, 25, 3, 0, 0, 1},   // gauss 2.70
    {805, 97, 97, 11, 11, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1},              // laplace 0.12
    {614, 154, 154, 38, 38, 9, 10, 2, 2, 1, 1, 0, 0, 0, 0, 1},           // laplace 0.25
    {460, 175, 175, 66, 66, 25, 25, 10, 10, 3, 5, 2, 1, 0, 0, 1},        // laplace 0.38
    {341, 171, 171, 85, 85, 43, 43, 21, 21, 11, 16, 12, 3, 0, 0, 1},     // laplace 0.50
    {240, 149, 149, 92, 92, 57, 57, 35, 35, 22, 36, 36, 19, 4, 0, 1},    // laplace 0.62
    {153, 113, 113, 84, 84, 62, 62, 46, 46, 34, 59, 76, 64, 25, 2, 1},   // laplace 0.74
    {1007, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 4},                 // zero 0.985
    {983, 3, 3, 2, 2, 2, 1, 1, 1, 1, 2, 2, 3, 3, 3, 12},                 // zero 0.960
    {942, 6, 6, 4, 4, 2, 3, 2, 2, 1, 3, 4, 6, 7, 7, 25},                 // zero 0.920
    {860, 13, 13, 8, 8, 5, 5, 4, 4, 3, 5, 9, 11, 13, 13, 50},            // zero 0.840
    {737, 23, 22, 13, 13, 9, 9, 7, 7, 6, 10, 15, 20, 23, 23, 87},        // zero 0.720
    {512, 8, 492, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4},                // step up
    {308, 266, 198, 127, 70, 34, 14, 4, 1, 1, 0, 0, 0, 0, 0, 1},         // half-normal 2.6
    {260, 234, 190, 139, 92, 55, 29, 14, 6, 3, 1, 0, 0, 0, 0, 1},        // half-normal 3.1
    {219, 203, 176, 141, 105, 73, 47, 28, 16, 8, 6, 1, 0, 0, 0, 1},      // half-normal 3.7
    {184, 175, 158, 135, 110, 85, 62, 43, 29, 18, 17, 7, 0, 0, 0, 1},    // half-normal 4.4
    {374, 237, 151, 96, 61, 39, 24, 15, 10, 6, 6, 3, 1, 0, 0, 1},        // exponential 2.2
    {261, 194, 145, 108, 80, 60, 45, 33, 25, 18, 24, 21, 8, 1, 0, 1},    // exponential 3.4
    {128, 128, 128, 127, 127, 127, 127, 127, 0, 0, 0, 0, 0, 0, 0, 5},    // uniform 8
    {397, 176, 99, 64, 44, 32, 25, 20, 16, 13, 21, 27, 28, 24, 17, 21},  // heavy 1.5
    {1009, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},                 // zero 0.985, power
    {993, 1, 1, 1, 1, 2, 2, 4, 3, 6, 3, 3, 1, 1, 1, 1},                 // zero 0.97, half-normal 20
    {993, 3, 2, 2, 2, 3, 2, 3, 2, 3, 2, 2, 1, 1, 1, 2},                 // zero 0.97, power
    {963, 4, 3, 3, 3, 5, 5, 8, 6, 9, 5, 5, 2, 1, 1, 1},                 // zero 0.94, exponential 16
    {963, 2, 2, 2, 2, 5, 4, 8, 7, 12, 7, 6, 1, 1, 1, 1},                // zero 0.94, half-normal 20
    {963, 6, 5, 4, 3, 6, 4, 6, 4, 6, 3, 4, 2, 3, 1, 4},                 // zero 0.94, power
    {963, 1, 1, 1, 1, 1, 1, 5, 7, 14, 10, 11, 4, 2, 1, 1},              // zero 0.94, lognormal
    {911, 7, 6, 6, 6, 10, 9, 15, 12, 16, 10, 9, 3, 2, 1, 1},            // zero 0.89, exponential 16
    {911, 4, 4, 4, 4, 9, 8, 16, 14, 22, 13, 10, 2, 1, 1, 1},            // zero 0.89, half-normal 20
    {911, 1, 1, 1, 1, 1, 2, 10, 13, 28, 20, 21, 8, 4, 1, 1},            // zero 0.89, lognormal
    {911, 10, 9, 7, 6, 10, 8, 11, 8, 10, 6, 8, 4, 5, 3, 8},             // zero 0.89, power
    {840, 11, 10, 10, 9, 17, 15, 24, 19, 26, 16, 16, 6, 3, 1, 1},       // zero 0.82, exponential 16
    {840, 7, 7, 7, 7, 14, 14, 26, 23, 35, 22, 17, 2, 1, 1, 1},          // zero 0.82, half-normal 20
    {840, 1, 1, 1, 1, 1, 4, 16, 23, 46, 33, 35, 13, 7, 1, 1},           // zero 0.82, lognormal
    {840, 17, 14, 12, 10, 16, 13, 19, 13, 17, 10, 12, 7, 7, 4, 13},     // zero 0.82, power
    {737, 17, 16, 15, 14, 26, 23, 38, 30, 42, 25, 25, 9, 5, 1, 1},      // zero 0.72, exponential 16
    {737, 11, 11, 11, 11, 22, 21, 40, 36, 55, 35, 27, 4, 1, 1, 1},      // zero 0.72, half-normal 20
    {737, 1, 1, 1, 1, 2, 6, 26, 36, 71, 52, 55, 21, 11, 2, 1},          // zero 0.72, lognormal
    {737, 26, 22, 18, 16, 25, 20, 29, 20, 26, 16, 19, 11, 12, 6, 21},   // zero 0.72, power
    {614, 25, 23, 22, 21, 37, 33, 55, 43, 59, 36, 35, 13, 6, 1, 1},     // zero 0.60, exponential 16
    {614, 16, 16, 16, 16, 32, 31, 57, 51, 79, 49, 38, 6, 1, 1, 1},      // zero 0.60, half-normal 20
    {614, 1, 1, 1, 1, 4, 9, 37, 51, 102, 75, 78, 30, 16, 3, 1},         // zero 0.60, lognormal
    {614, 37, 31, 26, 23, 37, 28, 41, 29, 37, 23, 27, 15, 17, 9, 30},   // zero 0.60, power
    {461, 34, 32, 30, 28, 52, 45, 76, 59, 81, 49, 48, 18, 9, 1, 1},     // zero 0.45, exponential 16
    {461, 22, 22, 22, 22, 43, 42, 79, 70, 109, 68, 52, 9, 1, 1, 1},     // zero 0.45, half-normal 20
    {461, 1, 1, 1, 1, 5, 13, 51, 70, 141, 103, 108, 41, 22, 4, 1},      // zero 0.45, lognormal
    {461, 51, 43, 36, 31, 50, 39, 57, 39, 51, 32, 37, 21, 23, 12, 41},  // zero 0.45, power
    {256, 46, 44, 41, 38, 70, 62, 103, 80, 111, 67, 66, 24, 12, 2, 2},  // zero 0.25, exponential 16
    {256, 31, 30, 30, 30, 59, 57, 108, 96, 148, 92, 71, 12, 1, 1, 2},   // zero 0.25, half-normal 20
    {256, 1, 1, 1, 1, 7, 17, 69, 96, 192, 141, 147, 56, 31, 6, 2},      // zero 0.25, lognormal
    {256, 70, 58, 49, 42, 69, 53, 78, 54, 69, 43, 50, 29, 31, 17, 56},  // zero 0.25, power
    {20, 91, 76, 64, 55, 90, 70, 101, 70, 91, 56, 66, 38, 41, 22, 73},  // zero 0.02, power
}};

namespace {

// log2(1024 / count) in 1/256 bit, by repeated squaring: the same on every machine, because the
// choice of a model, hence the bytes of a cell, depends on it.
int16_t CostOf(uint32_t count) {
  uint64_t mantissa = uint64_t{count} << (31 - std::bit_width(count) + 1);  // in [2^31, 2^32)
  uint32_t log = static_cast<uint32_t>(std::bit_width(count) - 1) << 8;
  for (uint32_t bit = 128; bit > 0; bit /= 2) {
    mantissa = mantissa * mantissa >> 31;
    if (mantissa >= uint64_t{1} << 32) {
      mantissa >>= 1;
      log += bit;
    }
  }
  return static_cast<int16_t>((kStateBits << 8) - log);
}

// The cost of the width and a few bits of an escaped number, in 1/256 bit.
constexpr int kEscapeCost = 8 << 8;

// The token of each state: the states of a token are scattered, as in FSE.
std::array<uint8_t, kStates> SpreadTokens(const std::array<uint16_t, kTokens>& counts) {
  constexpr uint32_t kStep = kStates / 2 + kStates / 8 + 3;
  std::array<uint8_t, kStates> token_of{};
  uint32_t at = 0;
  for (uint8_t token = 0; token < kTokens; ++token) {
    for (uint32_t i = 0; i < counts[token]; ++i) {
      token_of[at] = token;
      at = (at + kStep) % kStates;
    }
  }
  HOURCELL_CHECK(at == 0);
  return token_of;
}

// ON DISK: do not change. The narrowest field for the numbers of a plain model: tokens with larger
// numbers have at most kBeyondMax states.
uint32_t TailBitsOf(const std::array<uint16_t, kTokens>& counts) {
  constexpr uint32_t kBeyondMax = kStates / 32;
  constexpr uint32_t kBitsMax = 7;  // all tokens
  for (uint32_t bits = 1;; ++bits) {
    uint32_t beyond = counts[kEscapeToken];
    for (uint32_t token = 0; token < kEscapeToken; ++token) {
      const TokenRange range = kTokenRanges[token];
      if (range.begin + (1U << range.extra_bits) > (1U << bits) - 1) beyond += counts[token];
    }
    if (beyond <= kBeyondMax || bits == kBitsMax) return bits;
  }
}

// The meaning of a state of the token, without its next state.
StateEntry EntryOf(uint8_t token, bool is_zero_model) {
  StateEntry entry{};
  entry.token = token;
  if (token == kEscapeToken) {
    entry.range_bits = kEscapeRangeBits;
  } else if (is_zero_model) {
    entry.range_bits = token == 0 ? 0 : kZeroTokenRanges[token - 1].extra_bits;
  } else {
    const TokenRange range = kTokenRanges[token];
    const int magnitude = (range.begin + 1) / 2;
    entry.range_bits = range.extra_bits;
    entry.residual = static_cast<int8_t>(range.begin % 2 == 0 ? magnitude : -magnitude);
  }
  return entry;
}

void BuildTables(size_t model, ModelTables* out) {
  const std::array<uint16_t, kTokens>& counts = kModelCounts[model];
  const std::array<uint8_t, kStates> token_of = SpreadTokens(counts);
  std::array<uint32_t, kTokens> begin{};  // of a token's states in `encode`
  for (uint32_t token = 1; token < kTokens; ++token)
    begin[token] = begin[token - 1] + counts[token - 1];

  std::array<uint32_t, kTokens> rank{};  // count .. 2 * count - 1 in the order of its states
  for (uint32_t token = 0; token < kTokens; ++token)
    rank[token] = counts[token];
  for (uint32_t state = 0; state < kStates; ++state) {
    const uint8_t token = token_of[state];
    const uint32_t x = rank[token]++;
    const uint32_t bits = kStateBits + 1 - static_cast<uint32_t>(std::bit_width(x));
    StateEntry entry = EntryOf(token, model >= kPlainModels);
    entry.next = static_cast<uint16_t>((x << bits) - kStates);
    entry.state_mask = static_cast<uint16_t>((1U << bits) - 1);
    entry.state_bits = static_cast<uint8_t>(bits);
    out->decode[state] = entry;
    out->encode[begin[token] + x - counts[token]] = static_cast<uint16_t>(state);
  }

  out->tail_bits = model < kPlainModels ? TailBitsOf(counts) : 0;
  for (uint32_t token = 0; token < kTokens; ++token) {
    const uint32_t count = counts[token];
    if (count == 0) {
      out->cost[token] = static_cast<int16_t>(CostOf(counts[kEscapeToken]) + kEscapeCost);
      out->bits_of[token] = 0;
      out->start[token] = 0;
      continue;
    }
    // A state below count << most writes one bit less than `most`.
    const uint32_t most = kStateBits + 1 - static_cast<uint32_t>(std::bit_width(count - 1));
    out->bits_of[token] = (most << 16) - (count << most);
    out->start[token] = static_cast<int32_t>(begin[token]) - static_cast<int32_t>(count);
    out->cost[token] = CostOf(count);
  }
}

std::array<ModelTables, kModels> BuildAllTables() {
  std::array<ModelTables, kModels> tables;
  for (size_t model = 0; model < kModels; ++model)
    BuildTables(model, &tables[model]);
  return tables;
}

}  // namespace

std::array<TokenBits, kTokens> TokenForm::Bits() const {
  std::array<TokenBits, kTokens> bits{};
  for (size_t token = has_zero_token ? 1 : 0; token < kEscapeToken; ++token) {
    const TokenRange range = has_zero_token ? kZeroTokenRanges[token - 1] : kTokenRanges[token];
    bits[token] = {.begin = (uint64_t{range.begin} << shift) + (has_zero_token ? 1 : 0),
                   .extra_bits = range.extra_bits + shift};
  }
  return bits;
}

const std::array<ModelTables, kModels>& AllTables() {
  static const std::array<ModelTables, kModels> tables = BuildAllTables();
  return tables;
}

}  // namespace hourcell
