#include "codec/cells/token_model.h"

#include <algorithm>
#include <array>
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

// Each token but the escape has the numbers from its begin to the next token's.
void ExpectTokensCover(const TokenForm& form, uint64_t end) {
  const std::array<TokenBits, kTokens> bits = form.Bits();
  uint64_t next = 0;
  for (uint32_t token = 0; token < kEscapeToken; ++token) {
    const uint64_t numbers = uint64_t{1} << bits[token].extra_bits;
    EXPECT_EQ(bits[token].begin, next);
    EXPECT_EQ(form.TokenOf(next), token);
    EXPECT_EQ(form.TokenOf(next + numbers - 1), token);
    EXPECT_LE(bits[token].extra_bits, form.shift + kExtraBitsMax);
    next += numbers;
  }
  EXPECT_EQ(next, end);
  EXPECT_EQ(form.TokenOf(next), kEscapeToken);
  EXPECT_EQ(form.TokenOf(~uint64_t{0}), kEscapeToken);
}

TEST(TokenModelTest, RangesOfTokensFollowOneAnother) {
  for (const uint32_t shift : {0U, 1U, 7U, 40U}) {
    SCOPED_TRACE(shift);
    ExpectTokensCover({.shift = shift}, kTokenRangesEnd << shift);
    ExpectTokensCover({.shift = shift, .has_zero_token = true}, (kZeroTokenRangesEnd << shift) + 1);
  }
}

TEST(TokenModelTest, ZeroAloneHasNoLowBits) {
  const TokenForm form{.shift = 20, .has_zero_token = true};
  EXPECT_EQ(form.TokenOf(0), 0U);
  EXPECT_EQ(form.TokenOf(1), 1U);
  EXPECT_EQ(form.Bits()[0].extra_bits, 0U);
  EXPECT_EQ(form.Bits()[1].extra_bits, 20U);
}

TEST(TokenModelTest, TailFieldsHoldNearlyAllNumbersOfTheirModel) {
  EXPECT_EQ(AllTables()[0].tail_bits, 2U);   // 855 zeros, 84 and 84 for 1 and 2
  EXPECT_EQ(AllTables()[4].tail_bits, 3U);   // 2 of 1,024 are 7 or more
  EXPECT_EQ(AllTables()[31].tail_bits, 7U);  // some escapes
  EXPECT_EQ(AllTables()[kPlainModels].tail_bits, 0U);
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

void ExpectEntriesFitTokens(size_t model) {
  const bool is_zero_model = model >= kPlainModels;
  const std::array<TokenBits, kTokens> bits = TokenForm{.has_zero_token = is_zero_model}.Bits();
  for (const StateEntry& entry : AllTables()[model].decode) {
    EXPECT_LT(entry.next + entry.state_mask, kStates);
    if (entry.token == kEscapeToken) {
      EXPECT_EQ(entry.range_bits, kEscapeRangeBits);
      continue;
    }
    EXPECT_EQ(entry.range_bits, bits[entry.token].extra_bits);
    if (is_zero_model) continue;
    const auto begin = static_cast<int>(bits[entry.token].begin);
    EXPECT_EQ(entry.residual, begin % 2 == 0 ? begin / 2 : -(begin + 1) / 2);
  }
}

TEST(TokenModelTest, EntriesFitTheirTokens) {
  for (size_t model = 0; model < kModels; ++model) {
    SCOPED_TRACE(model);
    ExpectEntriesFitTokens(model);
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
