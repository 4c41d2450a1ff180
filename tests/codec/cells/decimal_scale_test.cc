#include "codec/cells/decimal_scale.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/codec/codec_testing.h"

namespace hourcell::decimal_scale_test {
namespace {

CellColumns Column(const std::function<Value(uint32_t)>& value_at, uint32_t count = 360) {
  CellColumns columns;
  for (uint32_t i = 0; i < count; ++i)
    AddPoint(i * 10'000, kSeconds, value_at(i), &columns);
  return columns;
}

// A number below 10,000 that differs from place to place.
int64_t Noise(uint32_t i) {
  return static_cast<int64_t>(Random(i + 1).Next() % 10'000);
}

TEST(DecimalScaleTest, EachRuleHasItsOwnDoubles) {
  const DecimalScale divided{.exponent = 3};
  const DecimalScale multiplied{.rule = ScaleRule::kMultiply, .exponent = 3};
  const DecimalScale narrow{.rule = ScaleRule::kDivideToBinary32, .exponent = 3};
  EXPECT_EQ(divided.ValueOf(9), 0.009);
  EXPECT_EQ(multiplied.ValueOf(9), 9 * 0.001);
  EXPECT_NE(multiplied.ValueOf(9), 0.009);
  EXPECT_EQ(narrow.ValueOf(9), static_cast<double>(0.009F));
  EXPECT_EQ((DecimalScale{.exponent = 1, .factor = 6}).ValueOf(77), 77.0 / 60);
}

TEST(DecimalScaleTest, NumberOfIsTheInverse) {
  for (const ScaleRule rule :
       {ScaleRule::kDivide, ScaleRule::kMultiply, ScaleRule::kDivideToBinary32}) {
    for (const uint32_t factor : {1U, 6U}) {
      const DecimalScale scale{.rule = rule, .exponent = 2, .factor = factor};
      for (int64_t n = -3000; n < 3000; ++n) {
        uint64_t number = 0;
        ASSERT_TRUE(scale.NumberOf(Value::Float(scale.ValueOf(static_cast<uint64_t>(n))), &number));
        EXPECT_EQ(static_cast<int64_t>(number), n);
      }
    }
  }
}

TEST(DecimalScaleTest, SomeValuesHaveNoNumber) {
  const DecimalScale scale{.exponent = 2};
  uint64_t number = 0;
  for (const double value :
       {-0.0, 0.001, 1e300, std::nextafter(1.25, 2), std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(scale.NumberOf(Value::Float(value), &number)) << value;
  }
  EXPECT_FALSE(scale.NumberOf(Value::Integer(kDecimalEnd / 100 + 1), &number));
  EXPECT_FALSE(scale.NumberOf(Value::Integer(std::numeric_limits<int64_t>::min()), &number));
  ASSERT_TRUE(scale.NumberOf(Value::Integer(-7), &number));
  EXPECT_EQ(static_cast<int64_t>(number), -700);
}

TEST(DecimalScaleTest, TheDivisorMustBeExact) {
  EXPECT_TRUE((DecimalScale{.exponent = 18}).IsValid());
  EXPECT_FALSE((DecimalScale{.exponent = 19}).IsValid());
  EXPECT_FALSE((DecimalScale{.factor = 0}).IsValid());
  EXPECT_TRUE((DecimalScale{.exponent = 15, .factor = 9}).IsValid());
  EXPECT_FALSE((DecimalScale{.exponent = 15, .factor = 10}).IsValid());
  EXPECT_FALSE((DecimalScale{.rule = static_cast<ScaleRule>(3)}).IsValid());
}

// Expects the scale for the column, and the number of exceptions.
void ExpectScale(const CellColumns& columns, const DecimalScale& scale, size_t exceptions = 0) {
  ScaledColumn scaled;
  ASSERT_TRUE(ScaleColumn(columns, &scaled));
  EXPECT_EQ(static_cast<int>(scaled.scale.rule), static_cast<int>(scale.rule));
  EXPECT_EQ(scaled.scale.exponent, scale.exponent);
  EXPECT_EQ(scaled.scale.factor, scale.factor);
  EXPECT_EQ(scaled.exceptions.size(), exceptions);
}

TEST(DecimalScaleTest, DecimalsHaveTheLeastCommonExponent) {
  ExpectScale(Column([](uint32_t i) { return Value::Float(static_cast<double>(Noise(i)) / 100); }),
              {.exponent = 2});
  ExpectScale(
      Column([](uint32_t i) { return i % 9 == 0 ? Value::Integer(i) : Value::Float(i / 10.0); }),
      {.exponent = 1});
  ExpectScale(Column([](uint32_t) { return Value::Float(0.125); }), {.exponent = 3});
  ExpectScale(Column([](uint32_t) { return Value::Float(0.1); }, 1), {.exponent = 1});
}

TEST(DecimalScaleTest, NoiseInFewValuesMakesExceptions) {
  ExpectScale(Column([](uint32_t i) {
                const double value = static_cast<double>(Noise(i)) / 100;
                return Value::Float(i % 50 == 17 ? std::nextafter(value, 1e9) : value);
              }),
              {.exponent = 2}, 7);
}

TEST(DecimalScaleTest, AFewLongDecimalsAreExceptions) {
  ExpectScale(
      Column([](uint32_t i) {
        return Value::Float(static_cast<double>(Noise(i)) / 100 + (i == 200 ? 0.001234 : 0));
      }),
      {.exponent = 2}, 1);
}

TEST(DecimalScaleTest, ExceptionsAreNeitherSmallestNorLargest) {
  const auto columns = Column([](uint32_t i) {
    const double value = static_cast<double>(500 + Noise(i)) / 100;
    return Value::Float(i == 0     ? -1e9 / 3
                        : i == 77  ? std::bit_cast<double>(Value::kStaleMarkerBits)
                        : i == 359 ? 1e18 / 3
                                   : value);
  });
  ScaledColumn scaled;
  ASSERT_TRUE(ScaleColumn(columns, &scaled));
  EXPECT_EQ(scaled.exceptions, (std::vector<uint32_t>{0, 77, 359}));
  for (const uint64_t number : scaled.numbers) {
    EXPECT_GE(number, 500U);
    EXPECT_LT(number, 500U + 10'000U);
  }
}

TEST(DecimalScaleTest, ProductsOfAPowerOfTen) {
  ExpectScale(
      Column([](uint32_t i) { return Value::Float(static_cast<double>(Noise(i)) * 0.001); }),
      {.rule = ScaleRule::kMultiply, .exponent = 3});
}

TEST(DecimalScaleTest, MeansOfIntegers) {
  for (const uint32_t n : {3U, 6U, 7U, 12U, 24U}) {
    const auto mean = [n](uint32_t i) {
      return Value::Float(static_cast<double>(Noise(i)) / static_cast<double>(n));
    };
    ExpectScale(Column(mean), {.factor = n});
  }
  ExpectScale(Column([](uint32_t i) { return Value::Float(static_cast<double>(Noise(i)) / 60); }),
              {.exponent = 1, .factor = 6});
}

TEST(DecimalScaleTest, DecimalsThatWereBinary32) {
  ExpectScale(Column([](uint32_t i) {
                return Value::Float(static_cast<float>(static_cast<double>(Noise(i)) / 100));
              }),
              {.rule = ScaleRule::kDivideToBinary32, .exponent = 2});
}

TEST(DecimalScaleTest, FullMantissasStayBits) {
  ScaledColumn scaled;
  EXPECT_FALSE(ScaleColumn(
      Column([](uint32_t i) { return Value::Float(std::sqrt(static_cast<double>(i + 2))); }),
      &scaled));
  EXPECT_FALSE(
      ScaleColumn(Column([](uint32_t) { return Value::Float(std::sqrt(2.0)); }, 1), &scaled));
  EXPECT_FALSE(ScaleColumn(Column([](uint32_t) { return Value::Float(-0.0); }, 1), &scaled));
}

TEST(DecimalScaleTest, AnIntegerIsNeverAnException) {
  ScaledColumn scaled;
  const auto columns = Column([](uint32_t i) {
    return i == 40 ? Value::Integer(int64_t{1} << 60) : Value::Float(i / 10.0 + 0.1);
  });
  EXPECT_FALSE(ScaleColumn(columns, &scaled));
}

}  // namespace
}  // namespace hourcell::decimal_scale_test
