#include "engine/names/expression_cell.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "tests/support/status_matchers.h"

namespace hourcell::expression_cell_test {
namespace {

using testing::HasSubstr;

constexpr auto kDamaged = absl::StatusCode::kDataLoss;

const Layout kLayout = {};

// sum:rate{counter,100,5}:1m-avg-zero:#1{#2=*}{#3=web} + 2, missing = 0
StoredExpression WithAllFields() {
  SubQuery input;
  input.aggregator = Aggregator::kSum;
  input.filters = {{.tagk = "", .type = FilterType::kLiteralOr, .filter = "web", .group_by = false},
                   {.tagk = "", .type = FilterType::kWildcard, .filter = "*", .group_by = true}};
  DownsampleSpec downsample;
  downsample.interval_ms = 60'000;
  downsample.function = Aggregator::kAvg;
  downsample.fill = FillPolicy::kZero;
  downsample.fill_value = 1;
  input.downsample = downsample;
  input.rate = RateSpec{.counter = true, .counter_max = 100, .reset_value = 5};
  return {.expression = {.formula = "a + 2", .inputs = {input}, .missing = 0},
          .names = {{.metric = 1, .tagks = {3, 2}}}};
}

StoredExpression WithFewFields() {
  SubQuery input;
  input.aggregator = Aggregator::kNone;
  return {.expression = {.formula = "-a", .inputs = {input}},
          .names = {{.metric = 0x010203, .tagks = {}}}};
}

std::string WithChecksum(std::string fields) {
  AppendBigEndian(Crc32c(fields), 4, &fields);
  return fields;
}

TEST(ExpressionCellTest, BytesAreAsDrawn) {
  EXPECT_EQ(EncodeExpression(kLayout, WithFewFields()), WithChecksum(*FromHex("01"
                                                                              "00"
                                                                              "022d61"
                                                                              "01"
                                                                              "046e6f6e65"
                                                                              "010203"
                                                                              "00"
                                                                              "00")));
  EXPECT_EQ(EncodeExpression(kLayout, WithAllFields()), WithChecksum(*FromHex("01"
                                                                              "01"
                                                                              "0000000000000000"
                                                                              "0561202b2032"
                                                                              "01"
                                                                              "0373756d"
                                                                              "000001"
                                                                              "07"
                                                                              "e0d403"
                                                                              "03617667"
                                                                              "03"
                                                                              "3ff0000000000000"
                                                                              "0000000000000064"
                                                                              "0000000000000005"
                                                                              "02"
                                                                              "000003"
                                                                              "00"
                                                                              "00"
                                                                              "03776562"
                                                                              "000002"
                                                                              "04"
                                                                              "01"
                                                                              "012a")));
}

TEST(ExpressionCellTest, IsReadAsItWasWritten) {
  for (const StoredExpression& stored : {WithAllFields(), WithFewFields()}) {
    EXPECT_THAT(DecodeExpression(kLayout, EncodeExpression(kLayout, stored)), IsOkAndHolds(stored));
  }
}

TEST(ExpressionCellTest, DamageIsDataLoss) {
  const std::string good = EncodeExpression(kLayout, WithAllFields());
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(DecodeExpression(kLayout, good.substr(0, size)), StatusIs(kDamaged)) << size;
  }
  EXPECT_THAT(DecodeExpression(kLayout, good + '\0'), StatusIs(kDamaged));
  for (size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      EXPECT_THAT(DecodeExpression(kLayout, bad), StatusIs(kDamaged)) << at << ' ' << bit;
    }
  }
}

TEST(ExpressionCellTest, WrongFieldsAreDataLossInSpiteOfTheirChecksum) {
  std::string fields = EncodeExpression(kLayout, WithFewFields());
  fields.resize(fields.size() - 4);
  for (size_t size = 1; size < fields.size(); ++size) {
    EXPECT_THAT(DecodeExpression(kLayout, WithChecksum(fields.substr(0, size))), StatusIs(kDamaged))
        << size;
  }
  EXPECT_THAT(DecodeExpression(kLayout, WithChecksum(fields + '\0')), StatusIs(kDamaged));
}

TEST(ExpressionCellTest, ANewerVersionIsNamed) {
  EXPECT_THAT(DecodeExpression(kLayout, WithChecksum("\x02new")),
              StatusIs(kDamaged, HasSubstr("expression format 2: this program reads 1")));
}

}  // namespace
}  // namespace hourcell::expression_cell_test
