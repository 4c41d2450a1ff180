#include "codec/text/number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/value.h"
#include "tests/support/vectors.h"

namespace hourcell::number_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The text of the error, or "ok".
template <typename T>
std::string Fault(const Parsed<T>& parsed) {
  return parsed.ok() ? "ok" : parsed.error().text;
}

TEST(NumberTest, VectorsParseLong) {
  for (const TestVector& vector : LoadVectors("storage.json", "parse.long")) {
    SCOPED_TRACE(vector.from);
    const auto number = ParseInteger(TextOf(vector.given, "text"));
    ASSERT_EQ(number.ok(), !vector.wants_error());
    if (number.ok()) {
      EXPECT_EQ(*number, IntOf(vector.expect, "value"));
    }
  }
}

TEST(NumberTest, VectorsLooksLikeInteger) {
  for (const TestVector& vector : LoadVectors("storage.json", "parse.looks_like_integer")) {
    SCOPED_TRACE(vector.from);
    EXPECT_EQ(LooksLikeInteger(TextOf(vector.given, "text")), bool(vector.expect["integer"]));
  }
}

TEST(NumberTest, VectorsFitsInFloat) {
  for (const TestVector& vector : LoadVectors("storage.json", "parse.fits_in_float")) {
    SCOPED_TRACE(vector.from);
    const std::string text = TextOf(vector.given, "text");
    EXPECT_EQ(ParseDouble(text).ok(), !vector.wants_error());
    EXPECT_EQ(FitsInFloat(text), !vector.wants_error() && bool(vector.expect["fits"]));
  }
}

TEST(NumberTest, VectorsNumberParse) {
  for (const TestVector& vector : LoadVectors("query.json", "number-parse")) {
    SCOPED_TRACE(vector.from);
    if (Has(vector.given, "integer_string")) {
      const auto number = ParseInteger(TextOf(vector.given, "integer_string"));
      ASSERT_EQ(number.ok(), !vector.wants_error());
      if (number.ok()) {
        EXPECT_EQ(*number, IntOf(vector.expect, "value"));
      }
      continue;
    }
    const std::string text = TextOf(vector.given, "value_string");
    const auto value = ParseValueText(text);
    ASSERT_TRUE(value.ok());
    if (Has(vector.expect, "stored_as")) {
      EXPECT_EQ(value->is_integer(), TextOf(vector.expect, "stored_as") == "integer");
    } else {
      EXPECT_EQ(FitsInFloat(text), bool(vector.expect["fits_4_byte_float_exactly"]));
      EXPECT_EQ(ValueFlags(*value), 0xF);
    }
  }
}

TEST(NumberTest, VectorsOutputFormat) {
  size_t checked = 0;
  for (const TestVector& vector : LoadVectors("query.json", "output-format")) {
    if (!Has(vector.given, "double_bits_value")) continue;  // of whole answers: the server's
    SCOPED_TRACE(vector.from);
    const auto value = ParseDouble(TextOf(vector.given, "double_bits_value"));
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(JavaDouble(*value), TextOf(vector.expect, "json_text"));
    ++checked;
  }
  EXPECT_EQ(checked, 10U);
}

TEST(NumberTest, IntegerErrorsHaveOpenTsdbsTextsInItsOrder) {
  EXPECT_EQ(Fault(ParseInteger("")), "Empty string");
  EXPECT_EQ(Fault(ParseInteger("-")), "Just a sign, no value: -");
  EXPECT_EQ(Fault(ParseInteger("00000000000000000001")), "Value too long: 00000000000000000001");
  EXPECT_EQ(Fault(ParseInteger("+x0000000000000000000")), "Value too long: +x0000000000000000000");
  EXPECT_EQ(Fault(ParseInteger("NaN")), "Invalid character 'N' in NaN");
  EXPECT_EQ(Fault(ParseInteger("--1")), "Invalid character '-' in --1");
  EXPECT_EQ(Fault(ParseInteger("1\u00E92")), "Invalid character '\u00E9' in 1\u00E92");
  EXPECT_EQ(Fault(ParseInteger("9223372036854775808")), "Overflow in 9223372036854775808");
  EXPECT_EQ(Fault(ParseInteger("-9999999999999999999")), "Overflow in -9999999999999999999");
  EXPECT_EQ(ParseInteger("x").error().kind, PointErrorKind::kInvalidValue);
}

TEST(NumberTest, IntegersReadAtTheEndsOfTheirRange) {
  EXPECT_EQ(*ParseInteger("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(*ParseInteger("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(*ParseInteger("+0000000000000000007"), 7);
}

TEST(NumberTest, DoublesReadAsJavaReadsThem) {
  const auto check = [](std::string_view text, double want) {
    SCOPED_TRACE(text);
    const auto value = ParseDouble(text);
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(std::bit_cast<uint64_t>(*value), std::bit_cast<uint64_t>(want));
  };
  check("1.", 1);
  check(".5", 0.5);
  check("-.5e1", -5);
  check("+1e+15", 1e15);
  check("12.3f", 12.3);
  check("1D", 1);
  check(" \t1.5 \n", 1.5);
  check("-0.0", -0.0);
  check("0x1p3", 8);
  check("-0X.8P-1f", -0.25);
  check("0x1.p0", 1);
  check("Infinity", kInfinity);
  check("-Infinity", -kInfinity);
  check("9007199254740993", 9007199254740992);  // half way: to even
  check("2.2250738585072012e-308", 0x1p-1022);
}

TEST(NumberTest, DoublesOutOfRangeBecomeInfinityOrZero) {
  const auto check = [](const std::string& text, double want) {
    SCOPED_TRACE(text);
    const auto value = ParseDouble(text);
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(*value, want);
    EXPECT_EQ(std::signbit(*value), std::signbit(want));
  };
  check("1e999", kInfinity);
  check("-1e400", -kInfinity);
  check("1e99999999999999999999", kInfinity);
  check("1e-99999999999999999999", 0);
  check("-1e-400", -0.0);
  check("0e999", 0);
  check("0x1p99999", kInfinity);
  check("0x1p-99999", 0);
  check("0x0p99999", 0);
  check("1" + std::string(400, '0') + ".0", kInfinity);
  check("0." + std::string(400, '0') + "1", 0);
  check("0." + std::string(400, '0') + "1e401", 0.1 * 10);
  check("1" + std::string(400, '0') + ".0e-400", 1);
}

TEST(NumberTest, DoublesThatJavaRefusesAreRefused) {
  for (const char* text :
       {".",     "e5",    "1e",       "1e+",      "1.5.2", "0x1",     "0x1.8", "0xp1",
        "0x.p1", "inf",   "nan",      "infinity", "NaNf",  "1_000.0", "1,5",   "--1.0",
        "+-1.0", "1.0ff", "1.2abc34", "1.0e5.0",  "- 1.0", "0x1.8e3"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(Fault(ParseDouble(text)), fmt::format("For input string: \"{}\"", text));
  }
  EXPECT_EQ(Fault(ParseDouble("  ")), "empty String");
  EXPECT_EQ(Fault(ParseDouble(" 1.x ")), "For input string: \"1.x\"");
}

TEST(NumberTest, ValuesThatAreNotFiniteAreRefused) {
  EXPECT_EQ(Fault(ParseValueText("1e999")), "value is NaN or Infinite: 1e999");
  EXPECT_EQ(ParseValueText("1e999").error().kind, PointErrorKind::kIllegalArgument);
  EXPECT_EQ(Fault(ParseValueText("")), "empty value");
  EXPECT_EQ(Fault(ParseValueText("Infinity")), "Invalid character 'I' in Infinity");
  EXPECT_EQ(*ParseValueText("-42"), Value::Integer(-42));
  EXPECT_EQ(*ParseValueText("-42.0"), Value::Float(-42));
}

TEST(NumberTest, DoublesPrintAsJavaPrintsThem) {
  EXPECT_EQ(JavaDouble(1), "1.0");
  EXPECT_EQ(JavaDouble(-0.0), "-0.0");
  EXPECT_EQ(JavaDouble(9999999), "9999999.0");
  EXPECT_EQ(JavaDouble(1e7), "1.0E7");
  EXPECT_EQ(JavaDouble(1234567.125), "1234567.125");
  EXPECT_EQ(JavaDouble(-12345678.9), "-1.23456789E7");
  EXPECT_EQ(JavaDouble(0.001), "0.001");
  EXPECT_EQ(JavaDouble(0.0123), "0.0123");
  EXPECT_EQ(JavaDouble(9.99e-4), "9.99E-4");
  EXPECT_EQ(JavaDouble(1.7976931348623157e308), "1.7976931348623157E308");
  EXPECT_EQ(JavaDouble(4.9e-324), "4.9E-324");
  EXPECT_EQ(JavaDouble(std::nan("")), "NaN");
  EXPECT_EQ(JavaDouble(kInfinity), "Infinity");
  EXPECT_EQ(JavaDouble(-kInfinity), "-Infinity");
}

TEST(NumberTest, EveryDoublePrintsTextThatReadsBack) {
  constexpr uint64_t kSeed = 20130101;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int i = 0; i < 50'000; ++i) {
    const auto value = std::bit_cast<double>(random.Next());
    if (!std::isfinite(value)) continue;
    const std::string text = JavaDouble(value);
    const auto read = ParseDouble(text);
    ASSERT_TRUE(read.ok()) << text;
    ASSERT_EQ(std::bit_cast<uint64_t>(*read), std::bit_cast<uint64_t>(value)) << text;
  }
}

// What the standard library calls the shortest digits, without the point and the exponent.
std::string ShortestDigits(double value) {
  char text[32];
  const auto end = std::to_chars(text, std::end(text), value, std::chars_format::scientific).ptr;
  std::string digits(text, std::find(text, end, 'e'));
  std::erase(digits, '.');
  return digits;
}

// Measurements are decimals of few places mostly, which are printed by a way of their own.
TEST(NumberTest, DecimalsPrintTheirShortestDigits) {
  constexpr uint64_t kSeed = 20130103;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  const double powers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10};
  for (int i = 0; i < 200'000; ++i) {
    const size_t places = random.Below(std::size(powers));
    const uint64_t whole = random.Next() % 20'000'000 >> random.Below(25);
    double value =
        static_cast<double>(whole) +
        static_cast<double>(random.Below(static_cast<uint64_t>(powers[places]))) / powers[places];
    // Next to a decimal are doubles that have none so short.
    if (random.Below(4) == 0) value = std::nextafter(value, random.Below(2) == 0 ? 0 : 1e9);
    if (value < 1e-3 || value >= 1e7) continue;
    std::string digits = JavaDouble(value);
    ASSERT_EQ(ParseDouble(digits).ok() ? *ParseDouble(digits) : -1, value) << digits;
    std::erase(digits, '.');
    digits.erase(0, digits.find_first_not_of('0'));
    digits.erase(digits.find_last_not_of('0') + 1);
    std::string want = ShortestDigits(value);
    want.erase(want.find_last_not_of('0') + 1);
    ASSERT_EQ(digits, want) << JavaDouble(value);
  }
}

TEST(NumberTest, RandomDecimalsReadAsTheCLibraryReadsThem) {
  constexpr uint64_t kSeed = 20130102;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = fmt::format(
        "{}{}.{}e{}", random.Below(2) == 0 ? "-" : "", random.Next() >> random.Below(64),
        random.Next() >> random.Below(64), static_cast<int>(random.Below(700)) - 350);
    const auto value = ParseDouble(text);
    ASSERT_TRUE(value.ok()) << text;
    ASSERT_EQ(*value, std::strtod(text.c_str(), nullptr)) << text;
  }
}

// What ScanPlainValue reads of a text, or "no".
std::string Plain(std::string_view text) {
  Value value;
  const char* const end = ScanPlainValue(text.data(), text.data() + text.size(), &value);
  if (end == nullptr) return "no";
  const std::string number =
      value.is_integer() ? fmt::format("{}", value.integer()) : JavaDouble(value.floating());
  return number + " | " + std::string(end, text.data() + text.size());
}

TEST(NumberTest, ScanPlainValueEndsWhereTheNumberDoes) {
  EXPECT_EQ(Plain("42 host=a"), "42 |  host=a");
  EXPECT_EQ(Plain("-9223372036854775808"), "-9223372036854775808 | ");
  EXPECT_EQ(Plain("-0"), "0 | ");
  EXPECT_EQ(Plain("-0.0"), "-0.0 | ");
  EXPECT_EQ(Plain("1.5x"), "1.5 | x");
  EXPECT_EQ(Plain("1.."), "1.0 | .");
  EXPECT_EQ(Plain("9007199254740992e-22"), "9.007199254740992E-7 | ");
  EXPECT_EQ(Plain("1e+05 "), "100000.0 |  ");
}

TEST(NumberTest, ScanPlainValueRoundsCorrectlyWhereOneOperationCannot) {
  EXPECT_EQ(Plain("9007199254740993.0"), "9.007199254740992E15 | ");  // half way: to even
  EXPECT_EQ(Plain("1e23 "), "1.0E23 |  ");
  EXPECT_EQ(Plain("-58.131713230497617"), "-58.13171323049762 | ");
  EXPECT_EQ(Plain("0.00000000000000000000001"), "1.0E-23 | ");
  EXPECT_EQ(Plain("0.1000000000000000000000000000e30"), "1.0E29 | ");
}

TEST(NumberTest, ScanPlainValueLeavesTheRest) {
  for (const char* text :
       {"", "-", "+1", ".5", "x", "1e", "1e+", "1ex", "1e1000", "1e999", "1e-999",
        "00000000000000000001", "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_EQ(Plain(text), "no") << text;
  }
}

// ParseValueText without its quick way.
std::string SlowValue(const std::string& text) {
  if (LooksLikeInteger(text)) {
    const auto number = ParseInteger(text);
    return number.ok() ? fmt::format("{}", *number) : number.error().text;
  }
  const auto number = ParseDouble(text);
  if (!number.ok()) return number.error().text;
  return std::isfinite(*number) ? fmt::format("{:x}", std::bit_cast<uint64_t>(*number))
                                : "value is NaN or Infinite: " + text;
}

std::string QuickValue(const std::string& text) {
  const auto value = ParseValueText(text);
  if (!value.ok()) return value.error().text;
  return value->is_integer() ? fmt::format("{}", value->integer())
                             : fmt::format("{:x}", std::bit_cast<uint64_t>(value->floating()));
}

TEST(NumberTest, ValuesReadTheSameBothWays) {
  constexpr uint64_t kSeed = 20260102;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  constexpr std::string_view kAlphabet = "0123456789.eE+-0123456789x";
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    if (i % 2 == 0) {
      text = fmt::format("{}{}.{:0{}}e{}", random.Below(2) == 0 ? "-" : "",
                         random.Next() >> random.Below(64), random.Below(1000),
                         random.Below(12) + 1, static_cast<int>(random.Below(60)) - 30);
      text.resize(text.size() - random.Below(5));
    } else {
      for (size_t size = 1 + random.Below(24); text.size() < size;)
        text += kAlphabet[random.Below(kAlphabet.size())];
    }
    ASSERT_EQ(QuickValue(text), SlowValue(text)) << text;
  }
}

}  // namespace
}  // namespace hourcell::number_test
