#include "codec/cells/token_model.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace hourcell::token_model_test {
namespace {

TEST(TokenModelTest, CountsOfEveryModelFillItsStates) {
  for (const auto& counts : kModelCounts) {
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), kStates);
    EXPECT_GT(counts[kEscapeToken], 0U);
    // What CanHoldColumn relies on.
    EXPECT_LE(*std::max_element(counts.begin(), counts.end()), 1012);
  }
}

TEST(TokenModelTest, RangesOfTokensFollowOneAnother) {
  uint64_t next = 0;
  for (uint32_t token = 0; token < kEscapeToken; ++token) {
    const TokenRange range = kTokenRanges[token];
    EXPECT_EQ(range.begin, next);
    for (uint32_t i = 0; i < 1U << range.extra_bits; ++i)
      EXPECT_EQ(TokenOf(next + i), token);
    next += uint64_t{1} << range.extra_bits;
    EXPECT_LE(range.extra_bits, kExtraBitsMax);
  }
  EXPECT_EQ(next, kTokenRangesEnd);
  EXPECT_EQ(TokenOf(kTokenRangesEnd), kEscapeToken);
  EXPECT_EQ(TokenOf(~uint64_t{0}), kEscapeToken);
}

TEST(TokenModelTest, EveryStepOfTheEncoderIsUndoneByTheDecoder) {
  for (size_t model = 0; model < kModels; ++model) {
    const ModelTables& tables = AllTables()[model];
    for (uint32_t token = 0; token < kTokens; ++token) {
      if (kModelCounts[model][token] == 0) continue;
      for (uint32_t state = kStates; state < 2 * kStates; ++state) {
        const uint32_t bits = (state + tables.bits_of[token]) >> 16;
        const auto at =
            static_cast<size_t>(static_cast<int32_t>(state >> bits) + tables.start[token]);
        ASSERT_LT(at, kStates);

        const StateEntry entry = tables.decode[tables.encode[at]];

        ASSERT_EQ(entry.token, token);
        ASSERT_EQ(entry.state_bits, bits);
        ASSERT_EQ(entry.next + (state & entry.state_mask), state - kStates);
      }
    }
  }
}

TEST(TokenModelTest, EntriesSayWhatTheirTokenIs) {
  for (const ModelTables& tables : AllTables()) {
    for (const StateEntry& entry : tables.decode) {
      EXPECT_LT(entry.next + entry.state_mask, kStates);
      if (entry.token == kEscapeToken) {
        EXPECT_EQ(entry.range_bits, kEscapeRangeBits);
        continue;
      }
      const TokenRange range = kTokenRanges[entry.token];
      EXPECT_EQ(entry.range_bits, range.extra_bits);
      const int half = (range.begin + 1) / 2;
      EXPECT_EQ(entry.residual, range.begin % 2 == 0 ? half : -half);
    }
  }
}

TEST(TokenModelTest, CostsAreWhatCountsTake) {
  const ModelTables& tables = AllTables()[23];  // 512 states of token 0, 4 of token 3, none of 5
  EXPECT_EQ(tables.cost[0], 1 << 8);
  EXPECT_EQ(tables.cost[3], 8 << 8);
  EXPECT_GT(tables.cost[5], tables.cost[kEscapeToken]);
}

}  // namespace
}  // namespace hourcell::token_model_test
