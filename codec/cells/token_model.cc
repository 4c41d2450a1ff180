#include "codec/cells/token_model.h"

#include <bit>

#include "codec/base/check.h"

namespace hourcell {

// Each model is named after its source: a normal distribution of residuals with that deviation, a
// two-sided geometric one with that ratio, zeros with that probability and a power law for the
// others, and for shifted residuals one-sided distributions over the remaining numbers.
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

void BuildTables(const std::array<uint16_t, kTokens>& counts, ModelTables* out) {
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
    const bool is_escape = token == kEscapeToken;
    const TokenRange range = is_escape ? TokenRange{0, kEscapeRangeBits} : kTokenRanges[token];
    const int magnitude = (range.begin + 1) / 2;
    out->decode[state] = {
        .next = static_cast<uint16_t>((x << bits) - kStates),
        .state_mask = static_cast<uint16_t>((1U << bits) - 1),
        .state_bits = static_cast<uint8_t>(bits),
        .token = token,
        .range_bits = range.extra_bits,
        .residual = static_cast<int8_t>(range.begin % 2 == 0 ? magnitude : -magnitude)};
    out->encode[begin[token] + x - counts[token]] = static_cast<uint16_t>(state);
  }

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
    BuildTables(kModelCounts[model], &tables[model]);
  return tables;
}

}  // namespace

const std::array<ModelTables, kModels>& AllTables() {
  static const std::array<ModelTables, kModels> tables = BuildAllTables();
  return tables;
}

}  // namespace hourcell
