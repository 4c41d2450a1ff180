#include "promql/text/literals.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/text/parser.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(LiteralsTest, NumbersAreReadAsGoDoes) {
  const auto check = [](std::string_view text, double value) {
    EXPECT_THAT(ParseNumberLiteral(text), IsOkAndHolds(value)) << text;
  };
  check("0", 0);
  check("12", 12);
  check("5.", 5);
  check(".5", 0.5);
  check("2e3", 2000);
  check("2E-3", 0.002);
  check("0x1F", 31);
  check("017", 15);
  check("08", 8);
  check("09.5", 9.5);
  check("9223372036854775808", 0x1p63);
  check("1e-400", 0);
  check("Inf", kInf);
  check("iNF", kInf);
  EXPECT_TRUE(std::isnan(*ParseNumberLiteral("NaN")));
}

TEST(LiteralsTest, WrongNumbersHaveTheErrorsOfGo) {
  const auto check = [](std::string_view text, std::string_view problem) {
    const std::string message = "error parsing number: strconv.ParseFloat: parsing \"" +
                                std::string(text) + "\": " + std::string(problem);
    EXPECT_THAT(ParseNumberLiteral(text), StatusIs(absl::StatusCode::kInvalidArgument, message));
  };
  check("0x", "invalid syntax");
  check("0x1.8", "invalid syntax");
  check("0xffffffffffffffffff", "invalid syntax");
  check("1e", "invalid syntax");
  check("1e400", "value out of range");
}

TEST(LiteralsTest, NumbersArePrintedAsGoDoes) {
  const auto check = [](double value, std::string_view text) {
    std::string printed;
    AppendNumberLiteral(value, &printed);
    EXPECT_EQ(printed, text);
  };
  check(0, "0");
  check(-0.0, "-0");
  check(1.5, "1.5");
  check(999'999, "999999");
  check(1e6, "1e+06");
  check(123'456'789, "1.23456789e+08");
  check(123'456.789, "123456.789");
  check(0.0001, "0.0001");
  check(0.00001, "1e-05");
  check(1e100, "1e+100");
  check(kInf, "+Inf");
  check(-kInf, "-Inf");
  check(std::nan(""), "NaN");
}

TEST(LiteralsTest, DurationsHaveUnitsInOrder) {
  EXPECT_THAT(ParseDuration("5m"), IsOkAndHolds(300'000));
  EXPECT_THAT(ParseDuration("1y2w3d4h5m6s7ms"), IsOkAndHolds(33'019'506'007));
  EXPECT_THAT(ParseDuration("0"), IsOkAndHolds(0));
  EXPECT_THAT(ParseDuration("0s"), IsOkAndHolds(0));
  EXPECT_THAT(ParseDuration("292y"), IsOkAndHolds(9'208'512'000'000));
}

TEST(LiteralsTest, WrongDurationsAreErrors) {
  for (const std::string_view text :
       {"5", "m", "5M", "5m5m", "1s1m", "1ms1s", "-5m", "1.5m", "5m ", " 5m", "1h30", "1mm"}) {
    EXPECT_THAT(ParseDuration(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "not a valid duration string: \"" + std::string(text) + "\""));
  }
  EXPECT_THAT(ParseDuration(""),
              StatusIs(absl::StatusCode::kInvalidArgument, "empty duration string"));
  for (const std::string_view text : {"293y", "292y100w", "99999999999999999999ms"}) {
    EXPECT_THAT(ParseDuration(text),
                StatusIs(absl::StatusCode::kInvalidArgument, "duration out of range"));
  }
}

TEST(LiteralsTest, DurationsArePrintedInTheirLargestUnits) {
  const auto check = [](int64_t ms, std::string_view text) {
    std::string printed;
    AppendDuration(ms, &printed);
    EXPECT_EQ(printed, text);
    EXPECT_THAT(ParseDuration(text), IsOkAndHolds(ms));
  };
  check(0, "0s");
  check(1, "1ms");
  check(90'000, "1m30s");
  check(int64_t{90} * 86'400'000, "90d");
  check(int64_t{14} * 86'400'000, "2w");
  check(int64_t{730} * 86'400'000, "2y");
  check(3'600'001, "1h1ms");
}

TEST(LiteralsTest, ATimeIsRoundedToMilliseconds) {
  EXPECT_EQ(AtTimeMs(1.2344), 1234);
  EXPECT_EQ(AtTimeMs(-1.2345), -1235);
  EXPECT_EQ(AtTimeMs(1e18), std::numeric_limits<int64_t>::min());
}

TEST(LiteralsTest, APrintedTimeReadsBack) {
  for (const double seconds :
       {0.0, -0.001, 1'435'781'430.781, 9e12 + 0.3, 1.2345e14 / 7, 9e15 / 1.7, -3e15 / 1.1, 1e18}) {
    const int64_t ms = AtTimeMs(seconds);
    std::string printed;
    AppendAtTime(ms, &printed);
    EXPECT_EQ(AtTimeMs(std::stod(printed)), ms) << printed;
  }
}

}  // namespace
}  // namespace hourcell::promql
