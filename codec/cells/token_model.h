// Token models: the probabilities for the residuals of a packed column, and their coding tables.
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

inline constexpr size_t kModels = 32;
inline constexpr size_t kTokens = 16;
inline constexpr uint32_t kEscapeToken = 15;
inline constexpr uint32_t kStateBits = 10;
inline constexpr uint32_t kStates = 1 << kStateBits;

// ON DISK: do not change. Counts of a model sum to kStates; 0 = the model lacks the token.
extern const std::array<std::array<uint16_t, kTokens>, kModels> kModelCounts;

// The range of 1 << extra_bits numbers of a token other than the escape.
struct TokenRange {
  uint8_t begin;
  uint8_t extra_bits;
};
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
inline constexpr uint32_t kExtraBitsMax = 5;

// The tokens of the numbers below kTokenRangesEnd.
inline constexpr std::array<uint8_t, kTokenRangesEnd> kTokenTable = [] {
  std::array<uint8_t, kTokenRangesEnd> table{};
  for (size_t token = 0; token < kTokenRanges.size(); ++token) {
    for (uint32_t i = 0; i < 1U << kTokenRanges[token].extra_bits; ++i)
      table[kTokenRanges[token].begin + i] = static_cast<uint8_t>(token);
  }
  return table;
}();

// The token of a number; kEscapeToken from kTokenRangesEnd on.
inline uint32_t TokenOf(uint64_t number) {
  return number < kTokenRangesEnd ? kTokenTable[number] : kEscapeToken;
}

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
  // The cost of a token, in 1/256 bit; for a token that the model lacks, about the cost of its
  // escape.
  std::array<int16_t, kTokens> cost;
};

// The tables of all models. The first call builds them.
const std::array<ModelTables, kModels>& AllTables();

}  // namespace hourcell
