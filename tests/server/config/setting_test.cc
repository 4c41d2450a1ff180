#include "server/config/setting.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::setting_test {
namespace {

using testing::Eq;
using testing::Optional;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kInt64Min = std::numeric_limits<int64_t>::min();
constexpr auto kInt64Max = std::numeric_limits<int64_t>::max();

TEST(SettingTest, TextIsAnythingUnlessThereAreChoices) {
  const Setting any{"tsd.any", Setting::Type::kText, "", "help"};
  Setting mode = any;
  mode.key = "tsd.mode";
  mode.choices = "rw|ro|wo";
  Setting role = mode;
  role.choices = "|none|read+write";

  EXPECT_OK(any.Check("rw|ro \xff"));
  EXPECT_OK(mode.Check("rw"));
  EXPECT_OK(mode.Check("wo"));
  EXPECT_OK(role.Check(""));
  EXPECT_OK(role.Check("read+write"));
  EXPECT_THAT(mode.Check("r"), StatusIs(kInvalid, "tsd.mode: expected one of rw|ro|wo, got \"r\""));
  EXPECT_THAT(mode.Check("rw|ro"), StatusIs(kInvalid));
  EXPECT_THAT(mode.Check(""), StatusIs(kInvalid));
}

TEST(SettingTest, IntegersHaveBothEnds) {
  const Setting port{"tsd.port", Setting::Type::kInteger, "0", "help", 0, 65535};
  const Setting size{"tsd.size", Setting::Type::kInteger, "1", "help", 1};

  EXPECT_OK(port.Check("0"));
  EXPECT_OK(port.Check("65535"));
  EXPECT_OK(size.Check("9223372036854775807"));
  EXPECT_THAT(port.Check("65536"),
              StatusIs(kInvalid, "tsd.port: expected an integer from 0 to 65535, got \"65536\""));
  EXPECT_THAT(port.Check("-1"), StatusIs(kInvalid));
  EXPECT_THAT(size.Check("0"),
              StatusIs(kInvalid, "tsd.size: expected an integer of at least 1, got \"0\""));
  EXPECT_THAT(size.Check("9223372036854775808"), StatusIs(kInvalid));
}

TEST(SettingTest, DurationsAndSizesMayHaveAUnit) {
  Setting seconds{"tsd.s", Setting::Type::kInteger, "0", "help", 0, 86'400};
  seconds.unit = Setting::Unit::kSeconds;
  Setting milliseconds = seconds;
  milliseconds.unit = Setting::Unit::kMilliseconds;
  Setting bytes{"tsd.b", Setting::Type::kInteger, "0", "help"};
  bytes.unit = Setting::Unit::kBytes;
  Setting count = bytes;
  count.unit = Setting::Unit::kCount;

  EXPECT_THAT(seconds.NumberOf("30"), Optional(30));
  EXPECT_THAT(seconds.NumberOf("30s"), Optional(30));
  EXPECT_THAT(seconds.NumberOf("2000ms"), Optional(2));
  EXPECT_THAT(seconds.NumberOf("1h"), Optional(3600));
  EXPECT_THAT(seconds.NumberOf("1d"), Optional(86'400));
  EXPECT_THAT(milliseconds.NumberOf("30"), Optional(30));
  EXPECT_THAT(milliseconds.NumberOf("500ms"), Optional(500));
  EXPECT_THAT(milliseconds.NumberOf("2m"), Optional(120'000));
  EXPECT_THAT(bytes.NumberOf("64MiB"), Optional(64 << 20));
  EXPECT_THAT(bytes.NumberOf("8388607TiB"), Optional(int64_t{8'388'607} << 40));
  EXPECT_THAT(count.NumberOf("-1"), Optional(-1));
  for (const std::string_view text : {"1500ms", "1w", "30 s", "s", "", "-1s", "1.5s", "30S", "1MiB",
                                      "9223372036854775807d", "99999999999999999999s"}) {
    EXPECT_THAT(seconds.NumberOf(text), Eq(std::nullopt)) << text;
  }
  for (const std::string_view text : {"64MB", "64mib", "8388608TiB", "1s"})
    EXPECT_THAT(bytes.NumberOf(text), Eq(std::nullopt)) << text;
  EXPECT_THAT(count.NumberOf("1s"), Eq(std::nullopt));
  EXPECT_THAT(seconds.Check("2d"),
              StatusIs(kInvalid, testing::HasSubstr("an integer from 0 to 86400, in seconds or "
                                                    "with ms, s, m, h or d")));
  EXPECT_THAT(bytes.Check("64MB"),
              StatusIs(kInvalid, testing::HasSubstr("an integer of at least 0, in bytes or with "
                                                    "KiB, MiB, GiB or TiB")));
}

TEST(SettingTest, BooleansAreThoseOfOpenTsdb) {
  const Setting setting{"tsd.flag", Setting::Type::kBool, "false", "help"};

  EXPECT_OK(setting.Check("Yes"));
  EXPECT_THAT(setting.Check("maybe"),
              StatusIs(kInvalid, "tsd.flag: expected true or false, got \"maybe\""));
  for (const std::string_view text : {"1", "true", "TRUE", "Yes"})
    EXPECT_THAT(ParseSettingBool(text), Optional(true)) << text;
  for (const std::string_view text : {"0", "false", "False", "NO", ""})
    EXPECT_THAT(ParseSettingBool(text), Optional(false)) << text;
  for (const std::string_view text : {"2", " true", "on"})
    EXPECT_THAT(ParseSettingBool(text), Eq(std::nullopt)) << text;
}

TEST(SettingTest, IntegersAreDigitsAndNothingElse) {
  EXPECT_THAT(ParseSettingInteger("42"), Optional(42));
  EXPECT_THAT(ParseSettingInteger("-9223372036854775808"), Optional(kInt64Min));
  EXPECT_THAT(ParseSettingInteger("9223372036854775807"), Optional(kInt64Max));
  for (const std::string_view text : {"", "-", "+1", " 1", "1 ", "0x1", "1.0", "1e3"})
    EXPECT_THAT(ParseSettingInteger(text), Eq(std::nullopt)) << text;
}

}  // namespace
}  // namespace hourcell::setting_test
