#include "promql/values/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

std::string PointValueText(double value) {
  std::string text;
  AppendPointValue(value, &text);
  return text;
}

std::string SecondsText(int64_t ms) {
  std::string text;
  AppendSeconds(ms, &text);
  return text;
}

// "not a number", or the number.
std::string ParsedText(std::string_view text) {
  double value = 0;
  return ParseNumber(text, &value) ? LiteralText(value) : "not a number";
}

TEST(NumberTextTest, ScalarsHaveNoExponent) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(-0.0), "-0");
  EXPECT_EQ(NumberText(0.1), "0.1");
  EXPECT_EQ(NumberText(-123.456), "-123.456");
  EXPECT_EQ(NumberText(1e-7), "0.0000001");
  EXPECT_EQ(NumberText(1e22), "10000000000000000000000");
  // The shortest digits, not all digits of the double.
  EXPECT_EQ(NumberText(1180591620717411303424.0), "1180591620717411300000");
}

TEST(NumberTextTest, NumbersThatAreNotFiniteHaveNames) {
  EXPECT_EQ(NumberText(kTestNan), "NaN");
  EXPECT_EQ(PointValueText(kTestInfinity), "+Inf");
  EXPECT_EQ(LiteralText(-kTestInfinity), "-Inf");
}

TEST(NumberTextTest, ValuesOfPointsHaveAnExponentIfTheyAreSmallOrLarge) {
  EXPECT_EQ(PointValueText(0), "0");
  EXPECT_EQ(PointValueText(0.000001), "0.000001");
  EXPECT_EQ(PointValueText(0.00000099), "9.9e-07");
  EXPECT_EQ(PointValueText(-1.2e-7), "-1.2e-07");
  EXPECT_EQ(PointValueText(1e20), "100000000000000000000");
  EXPECT_EQ(PointValueText(1e21), "1e+21");
  EXPECT_EQ(PointValueText(-1.5e300), "-1.5e+300");
  EXPECT_EQ(PointValueText(5e-324), "5e-324");
}

// The digits of a number without point, exponent, sign and zeros at the ends.
std::string DigitsOf(std::string text) {
  text = text.substr(0, text.find('e'));
  std::erase_if(text, [](char c) { return c == '.' || c == '-'; });
  const size_t begin = text.find_first_not_of('0');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of('0') + 1 - begin);
}

TEST(NumberTextTest, AnyValueHasItsFewestDigits) {
  Random random(20261128);
  for (int i = 0; i < 20'000; ++i) {
    double value = (random.Fraction() - 0.5) * std::pow(10, static_cast<double>(i % 40) - 10);
    if (i % 3 == 0) value = std::round(value * 100) / 100;
    if (i % 7 == 0) value = std::trunc(value);
    std::array<char, 64> shortest;
    const auto end = std::to_chars(shortest.data(), shortest.data() + shortest.size(), value,
                                   std::chars_format::scientific)
                         .ptr;
    for (const std::string& text : {PointValueText(value), NumberText(value)}) {
      EXPECT_EQ(DigitsOf(text), DigitsOf(std::string(shortest.data(), end))) << text;
      EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
      EXPECT_FALSE(text.ends_with('.')) << text;
    }
  }
}

TEST(NumberTextTest, LiteralsHaveAnExponentFromAMillionOn) {
  EXPECT_EQ(LiteralText(1e6), "1e+06");
  EXPECT_EQ(LiteralText(123456), "123456");
  EXPECT_EQ(LiteralText(1234567.5), "1.2345675e+06");
  EXPECT_EQ(LiteralText(0.0001), "0.0001");
  EXPECT_EQ(LiteralText(0.00001234), "1.234e-05");
  EXPECT_EQ(LiteralText(1e-320), "1e-320");
  EXPECT_EQ(LiteralText(-0.0), "-0");
}

TEST(NumberTextTest, TimesHaveThreeDecimalsOrNone) {
  EXPECT_EQ(SecondsText(0), "0");
  EXPECT_EQ(SecondsText(1'435'781'430'781), "1435781430.781");
  EXPECT_EQ(SecondsText(1'435'781'430'000), "1435781430");
  EXPECT_EQ(SecondsText(500), "0.500");
  EXPECT_EQ(SecondsText(50), "0.050");
  EXPECT_EQ(SecondsText(-500), "-0.500");
  EXPECT_EQ(SecondsText(-1), "-0.001");
  EXPECT_EQ(SecondsText(std::numeric_limits<int64_t>::min()), "-9223372036854775.808");
}

TEST(NumberTextTest, ParsesGosLiterals) {
  EXPECT_EQ(ParsedText("1"), "1");
  EXPECT_EQ(ParsedText("+1.50"), "1.5");
  EXPECT_EQ(ParsedText("-.5"), "-0.5");
  EXPECT_EQ(ParsedText("5."), "5");
  EXPECT_EQ(ParsedText("1e3"), "1000");
  EXPECT_EQ(ParsedText("1E-2"), "0.01");
  EXPECT_EQ(ParsedText("0x1p-2"), "0.25");
  EXPECT_EQ(ParsedText("0X.8P1"), "1");
  EXPECT_EQ(ParsedText("1_0"), "10");
  EXPECT_EQ(ParsedText("0x_1p4"), "16");
  EXPECT_EQ(ParsedText("1e-400"), "0");
}

TEST(NumberTextTest, ParsesNamesInAnyCase) {
  EXPECT_EQ(ParsedText("inf"), "+Inf");
  EXPECT_EQ(ParsedText("+Inf"), "+Inf");
  EXPECT_EQ(ParsedText("-INFINITY"), "-Inf");
  EXPECT_EQ(ParsedText("nan"), "NaN");
  EXPECT_EQ(ParsedText("NaN"), "NaN");
}

TEST(NumberTextTest, RefusesOtherText) {
  for (const std::string_view text :
       {"",     "+",   ".",     "e5",    "1e",    "1e+",    "x",        "1x", " 1",
        "1 ",   "0x1", "0x",    "0xp1",  "+nan",  "1__0",   "_1",       "1_", "1._5",
        "1e_5", "--1", "1.2.3", "infin", "1e400", "-1e400", "0x1p2000", "1,5"}) {
    EXPECT_EQ(ParsedText(text), "not a number") << text;
  }
}

}  // namespace
}  // namespace hourcell::promql
