#include "engine/query/row_aggregates.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/support/status_matchers.h"

namespace hourcell::row_aggregates_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kIntegerMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kIntegerMax = std::numeric_limits<int64_t>::max();

RowTotals TotalsOf(const std::vector<Value>& values) {
  RowTotals totals;
  int64_t ms = 1000;
  for (const Value value : values)
    totals.AddPoint(ms++, value);
  return totals;
}

bool Accepts(std::string_view test, Value value) {
  const absl::StatusOr<ValueTest> parsed = ParseValueTest(test);
  EXPECT_OK(parsed.status()) << test;
  return parsed.ok() && parsed->Accepts(value);
}

TEST(RowGroupingTest, ATextIsReadAndPrinted) {
  for (const std::string_view text : {"metric", "hour", "tag:host", "tag:metric", "tag:a,b"}) {
    const absl::StatusOr<RowGrouping> grouping = ParseRowGrouping(text);
    ASSERT_OK(grouping.status());
    EXPECT_EQ(RowGroupingText(*grouping), text);
  }
  for (const std::string_view text : {"", "tag:", "tag", "host", "Metric"}) {
    EXPECT_THAT(ParseRowGrouping(text).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tag:TAGK")));
  }
}

TEST(ValueTestTest, ComparesAsItsSignSays) {
  const struct {
    std::string_view sign;
    bool below, equal, above;
  } kCases[] = {{"<", true, false, false}, {"<=", true, true, false}, {"=", false, true, false},
                {"!=", true, false, true}, {">=", false, true, true}, {">", false, false, true}};
  for (const auto& one : kCases) {
    for (const std::string_view number : {"5", "5.0"}) {
      const std::string test = std::string(one.sign) + std::string(number);
      EXPECT_EQ(Accepts(test, Value::Integer(4)), one.below) << test;
      EXPECT_EQ(Accepts(test, Value::Float(4.5)), one.below) << test;
      EXPECT_EQ(Accepts(test, Value::Integer(5)), one.equal) << test;
      EXPECT_EQ(Accepts(test, Value::Float(5)), one.equal) << test;
      EXPECT_EQ(Accepts(test, Value::Float(5.5)), one.above) << test;
      EXPECT_FALSE(Accepts(test, Value::StaleMarker())) << test;
    }
  }
}

TEST(ValueTestTest, ComparesIntegersExactly) {
  EXPECT_FALSE(Accepts("=9007199254740993", Value::Integer(9007199254740992)));
  EXPECT_TRUE(Accepts(">-9223372036854775808", Value::Integer(kIntegerMin + 1)));
}

TEST(ValueTestTest, RefusesAnotherText) {
  for (const std::string_view text : {"", "5", ">", "=>5", "==5", ">NaN", "> x", "gt:5"}) {
    EXPECT_THAT(ParseValueTest(text).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(">=5")))
        << text;
  }
}

TEST(RowAggregateSpecTest, HasLimits) {
  EXPECT_OK(RowAggregateSpec{}.Validate());
  EXPECT_OK(RowAggregateSpec{.groups_max = kRowGroupsMax}.Validate());
  EXPECT_THAT(RowAggregateSpec{.groups_max = 0}.Validate(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("groups")));
  EXPECT_THAT(RowAggregateSpec{.groups_max = kRowGroupsMax + 1}.Validate(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("100001")));
  EXPECT_THAT(
      RowAggregateSpec{.group_by = std::vector<RowGrouping>(kRowGroupingsMax + 1)}.Validate(),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("by")));
  EXPECT_THAT(RowAggregateSpec{.values = std::vector<ValueTest>(kValueTestsMax + 1)}.Validate(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("value")));
}

TEST(RowTotalsTest, WithoutPointsTheyHaveNoNumbers) {
  for (const RowTotals& totals : {RowTotals(), TotalsOf({Value::StaleMarker()})}) {
    EXPECT_FALSE(totals.min().has_value());
    EXPECT_FALSE(totals.max().has_value());
    EXPECT_FALSE(totals.sum().has_value());
    EXPECT_FALSE(totals.avg().has_value());
    EXPECT_FALSE(totals.dev().has_value());
  }
  EXPECT_FALSE(RowTotals().first_ms().has_value());
  EXPECT_EQ(TotalsOf({Value::StaleMarker()}).points(), 1u);
  EXPECT_EQ(TotalsOf({Value::StaleMarker()}).last_ms(), 1000);
}

TEST(RowTotalsTest, IntegersAreAddedExactly) {
  const RowTotals totals =
      TotalsOf({Value::Integer(kIntegerMax), Value::Integer(kIntegerMax),
                Value::Integer(kIntegerMin), Value::Integer(kIntegerMin), Value::Integer(3)});

  EXPECT_EQ(totals.sum(), Value::Integer(1));
  EXPECT_EQ(totals.min(), Value::Integer(kIntegerMin));
  EXPECT_EQ(totals.max(), Value::Integer(kIntegerMax));
}

TEST(RowTotalsTest, ASumBeyond64BitsIsADouble) {
  EXPECT_EQ(TotalsOf({Value::Integer(kIntegerMax), Value::Integer(1)}).sum(), Value::Float(0x1p63));
  EXPECT_EQ(TotalsOf({Value::Integer(kIntegerMin), Value::Integer(kIntegerMin)}).sum(),
            Value::Float(-0x1p64));
}

TEST(RowTotalsTest, SmallNumbersAreNotLostBesideLargeOnes) {
  const RowTotals totals = TotalsOf({Value::Float(1e100), Value::Float(1), Value::Integer(2),
                                     Value::Float(-1e100), Value::Float(0.5)});

  EXPECT_EQ(totals.sum(), Value::Float(3.5));
  EXPECT_EQ(totals.avg(), 0.7);
}

TEST(RowTotalsTest, TheDeviationIsThePopulations) {
  const RowTotals totals = TotalsOf({Value::Integer(2), Value::Integer(4), Value::Float(4),
                                     Value::Integer(4), Value::Integer(5), Value::StaleMarker(),
                                     Value::Float(5), Value::Integer(7), Value::Integer(9)});

  EXPECT_DOUBLE_EQ(*totals.dev(), 2);
  EXPECT_EQ(totals.numbers(), 8u);
  EXPECT_EQ(totals.points(), 9u);
  EXPECT_EQ(*TotalsOf({Value::Float(1e300)}).dev(), 0);
}

TEST(RowTotalsTest, OfEqualNumbersTheIntegerIsMinAndMax) {
  for (const RowTotals& totals : {TotalsOf({Value::Integer(5), Value::Float(5)}),
                                  TotalsOf({Value::Float(5), Value::Integer(5)})}) {
    EXPECT_EQ(totals.min(), Value::Integer(5));
    EXPECT_EQ(totals.max(), Value::Integer(5));
  }
}

// Values of all kinds, which are cut into parts at random places.
TEST(RowTotalsTest, MergedPartsHaveTheTotalsOfAll) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    RowTotals whole;
    std::vector<RowTotals> parts(1 + random.Below(6));
    for (uint64_t i = random.Below(60); i > 0; --i) {
      const Value value = random.Below(9) == 0 ? Value::StaleMarker()
                          : random.Below(2) == 0
                              ? Value::Integer(static_cast<int64_t>(random.Next()))
                              : Value::Float((random.Fraction() - 0.5) * 1e9);
      const auto ms = static_cast<int64_t>(random.Below(1'000'000));
      whole.AddPoint(ms, value);
      whole.AddRow(13, 100);
      RowTotals& part = parts[random.Below(parts.size())];
      part.AddPoint(ms, value);
      part.AddRow(13, 100);
    }

    RowTotals merged;
    for (const RowTotals& part : parts)
      merged.Merge(part);

    EXPECT_EQ(merged.rows(), whole.rows());
    EXPECT_EQ(merged.points(), whole.points());
    EXPECT_EQ(merged.numbers(), whole.numbers());
    EXPECT_EQ(merged.key_bytes(), whole.key_bytes());
    EXPECT_EQ(merged.cell_bytes(), whole.cell_bytes());
    EXPECT_EQ(merged.first_ms(), whole.first_ms());
    EXPECT_EQ(merged.last_ms(), whole.last_ms());
    EXPECT_EQ(merged.min(), whole.min());
    EXPECT_EQ(merged.max(), whole.max());
    EXPECT_EQ(merged.sum(), whole.sum());
    EXPECT_EQ(merged.avg(), whole.avg());
    ASSERT_EQ(merged.dev().has_value(), whole.dev().has_value());
    EXPECT_NEAR(merged.dev().value_or(0), whole.dev().value_or(0), whole.dev().value_or(0) * 1e-9);
  }
}

}  // namespace
}  // namespace hourcell::row_aggregates_test
