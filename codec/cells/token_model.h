// Token models: the probabilities that the residuals of a packed column are coded with, and the
// tables that code them.
//
// A model gives each of 16 tokens a count of 1,024 states, in a tabled asymmetric numeral system: a
// token of count c costs log2(1024 / c) bits. The models are fixed, so that a cell pays five bits
// to name one instead of spelling out its own, and decoding builds no table. Which cells use which
// token for what is said in packed_cell.h. Pure; thread-safe.

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

// ON DISK: do not change. Counts of a model sum to kStates; 0 = the model has no such token.
extern const std::array<std::array<uint16_t, kTokens>, kModels> kModelCounts;

// The range of numbers that a token but the escape stands for: 1 << extra_bits of them.
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

// What a state of the decoder means.
struct StateEntry {
  uint16_t next;        // the next state, less the bits read for it
  uint16_t state_mask;  // of those bits
  uint8_t state_bits;   // how many they are, 0 to kStateBits
  uint8_t token;
  uint8_t range_bits;  // of the token; kEscapeRangeBits for the escape
  int8_t residual;     // what a token of one number is, undone zigzag
};
static_assert(sizeof(StateEntry) == 8);
inline constexpr uint8_t kEscapeRangeBits = 0xFF;

struct ModelTables {
  std::array<StateEntry, kStates> decode;
  // Where encoding goes: from state s (kStates <= s < 2 * kStates), token t writes the low
  // b = (s + bits_of[t]) >> 16 bits of s and goes to encode[(s >> b) + start[t]] + kStates.
  std::array<uint16_t, kStates> encode;
  std::array<uint32_t, kTokens> bits_of;
  std::array<int32_t, kTokens> start;
  // Of a token, in 1/256 bit; of one that the model does not have, about what its escape takes.
  std::array<int16_t, kTokens> cost;
};

// The tables of all models. They are built at the first call, once.
const std::array<ModelTables, kModels>& AllTables();

}  // namespace hourcell
