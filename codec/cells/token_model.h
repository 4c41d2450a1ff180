// Token models: the probabilities for the residuals of a packed column, and their coding tables.
//
// Plain models divide the numbers, less their low bits, into ranges of a token each. In a zero
// model token 0 is the number 0 alone, without low bits, and the ranges are those of the number
// less 1.
//
// A model gives each of 16 tokens a count of 1,024 states, in a tabled asymmetric numeral system: a
// token of count c costs log2(1024 / c) bits. The models are fixed, so that a cell names one in
// five bits instead of storing its own, and decoding builds no table. packed_cell.h gives the use
// of each token. Pure; thread-safe.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hourcell {

inline constexpr size_t kModels = 64;
inline constexpr size_t kPlainModels = 32;  // the first ones; the others are zero models
inline constexpr size_t kTokens = 16;
inline constexpr uint32_t kEscapeToken = 15;
inline constexpr uint32_t kStateBits = 10;
inline constexpr uint32_t kStates = 1 << kStateBits;

// ON DISK: do not change. Counts of a model sum to kStates; 0 = the model lacks the token.
extern const std::array<std::array<uint16_t, kTokens>, kModels> kModelCounts;

// The range of 1 << extra_bits numbers of a token.
struct TokenRange {
  uint8_t begin;
  uint8_t extra_bits;
};

// Of tokens 0 to 14 of plain models.
inline constexpr std::array<TokenRange, kTokens - 1> kTokenRanges = {{{0, 0},
                                                                      {1, 0},
                                                                      {2, 0},
                                                                      {3, 0},
                                                                      {4, 0},
                                                                      {5, 0},
                                                                      {6, 0},
                                                                      {7, 0},
                                                                      {8, 0},
                                                                      {9, 0},
                                                                      {10, 1},
                                                                      {12, 2},
                                                                      {16, 3},
                                                                      {24, 4},
                                                                      {40, 5}}};
inline constexpr uint64_t kTokenRangesEnd = 72;

// Of tokens 1 to 14 of zero models, for the number less 1.
inline constexpr std::array<TokenRange, kTokens - 2> kZeroTokenRanges = {{{0, 0},
                                                                          {1, 0},
                                                                          {2, 0},
                                                                          {3, 0},
                                                                          {4, 1},
                                                                          {6, 1},
                                                                          {8, 2},
                                                                          {12, 2},
                                                                          {16, 3},
                                                                          {24, 3},
                                                                          {32, 4},
                                                                          {48, 4},
                                                                          {64, 5},
                                                                          {96, 5}}};
inline constexpr uint64_t kZeroTokenRangesEnd = 128;
inline constexpr uint32_t kExtraBitsMax = 5;

// The tokens of the first numbers.
template <size_t kEnd, size_t kRanges>
constexpr std::array<uint8_t, kEnd> TokensOf(const std::array<TokenRange, kRanges>& ranges,
                                             uint8_t first) {
  std::array<uint8_t, kEnd> tokens{};
  for (size_t range = 0; range < kRanges; ++range) {
    for (uint32_t i = 0; i < 1U << ranges[range].extra_bits; ++i)
      tokens[ranges[range].begin + i] = static_cast<uint8_t>(first + range);
  }
  return tokens;
}

inline constexpr std::array<uint8_t, kTokenRangesEnd> kPlainTokens =
    TokensOf<kTokenRangesEnd>(kTokenRanges, 0);
inline constexpr std::array<uint8_t, kZeroTokenRangesEnd> kZeroTokens =
    TokensOf<kZeroTokenRangesEnd>(kZeroTokenRanges, 1);

// The first number of a token, and the bits of the difference to it.
struct TokenBits {
  uint64_t begin = 0;
  uint32_t extra_bits = 0;
};

// The division of numbers into tokens.
struct TokenForm {
  uint32_t shift = 0;  // the number of low bits, which are not in the token
  bool has_zero_token = false;

  // The token of a number; kEscapeToken for those beyond the ranges.
  uint32_t TokenOf(uint64_t number) const {
    if (!has_zero_token) {
      const uint64_t high = number >> shift;
      return high < kTokenRangesEnd ? kPlainTokens[high] : kEscapeToken;
    }
    if (number == 0) return 0;
    const uint64_t high = (number - 1) >> shift;
    return high < kZeroTokenRangesEnd ? kZeroTokens[high] : kEscapeToken;
  }

  // The numbers of each token but the escape.
  std::array<TokenBits, kTokens> Bits() const;
};

// The meaning of a decoder state.
struct StateEntry {
  uint16_t next;        // the next state, less the bits read for it
  uint16_t state_mask;  // the mask of those bits
  uint8_t state_bits;   // the number of bits, 0 to kStateBits
  uint8_t token;
  uint8_t range_bits;  // of the token; kEscapeRangeBits for the escape
  int8_t residual;     // the residual of a token of one number, undone zigzag
};
static_assert(sizeof(StateEntry) == 8);
inline constexpr uint8_t kEscapeRangeBits = 0xFF;

struct ModelTables {
  std::array<StateEntry, kStates> decode;
  // The transitions of the encoder: from state s (kStates <= s < 2 * kStates), token t writes the
  // low b = (s + bits_of[t]) >> 16 bits of s and goes to encode[(s >> b) + start[t]] + kStates.
  std::array<uint16_t, kStates> encode;
  std::array<uint32_t, kTokens> bits_of;
  std::array<int32_t, kTokens> start;
  // Bits in which nearly all numbers are below 2^n - 1, before their shift; 0 for zero models.
  uint32_t tail_bits;
  // The cost of a token, in 1/256 bit; for a token that the model lacks, about the cost of its
  // escape.
  std::array<int16_t, kTokens> cost;
};

// The tables of all models. The first call builds them.
const std::array<ModelTables, kModels>& AllTables();

}  // namespace hourcell
