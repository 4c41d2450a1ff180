#include "engine/query/query_time.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::query_time_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kNowMs = 1357300800000;

int64_t Parsed(std::string_view text, std::string_view timezone = "") {
  const auto ms = ParseQueryTime(text, timezone, kNowMs);
  EXPECT_OK(ms);
  return ms.value_or(-1);
}

void ExpectRefused(std::string_view text) {
  EXPECT_THAT(ParseQueryTime(text, "", kNowMs), StatusIs(absl::StatusCode::kInvalidArgument))
      << text;
}

int RunTimeVectors(const std::string& file, std::string_view area, std::string_view text_key) {
  int run = 0;
  for (const TestVector& vector : LoadVectors(file, area)) {
    const std::string text = TextOf(vector.given, text_key);
    SCOPED_TRACE(vector.from + " " + text);
    std::string_view timezone;
    if (vector.given["timezone"].get(timezone) != simdjson::SUCCESS) timezone = "";
    if (vector.wants_error()) {
      ExpectRefused(text);
    } else {
      EXPECT_EQ(Parsed(text, timezone), IntOf(vector.expect, "ms"));
    }
    ++run;
  }
  return run;
}

TEST(QueryTimeTest, OpenTsdbVectors) {
  EXPECT_EQ(RunTimeVectors("query.json", "time-parse", "string"), 19);
  EXPECT_EQ(RunTimeVectors("storage.json", "time.parse_query", "text"), 7);
}

TEST(QueryTimeTest, NowInAnyCaseAndByDefault) {
  EXPECT_EQ(Parsed("now"), kNowMs);
  EXPECT_EQ(Parsed("NOW"), kNowMs);
  EXPECT_EQ(Parsed(""), kNowMs);
}

TEST(QueryTimeTest, DatesAreInTheTimezone) {
  EXPECT_EQ(Parsed("2012/12/20"), 1355961600000);
  EXPECT_EQ(Parsed("2012/12/20 00:30"), 1355961600000 + 1'800'000);
  EXPECT_EQ(Parsed("2012/12/20-00:00:00", "America/New_York"), 1355961600000 + 5 * 3'600'000);
  EXPECT_EQ(Parsed("1355961600", "America/New_York"), 1355961600000);
}

TEST(QueryTimeTest, ClockChangesAsJavaHasThem) {
  // New York: 02:30 on 10 March 2013 was skipped, 01:30 on 3 November 2013 came twice.
  EXPECT_EQ(Parsed("2013/03/10-02:30", "America/New_York"), 1362900600000);
  EXPECT_EQ(Parsed("2013/11/03-01:30", "America/New_York"), 1383460200000);
}

TEST(QueryTimeTest, RefusesUnknownTimezones) {
  const auto check = [](std::string_view timezone, int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    EXPECT_THAT(ParseQueryTime("2012/12/20", timezone, kNowMs),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("The timezone specification could not be found")));
  };
  check("Nothere/City", __LINE__);
  check("/usr/share/zoneinfo/Europe/Berlin", __LINE__);
  check("../zoneinfo/Europe/Berlin", __LINE__);
  check("file:Europe/Berlin", __LINE__);
  check(std::string(65, 'a'), __LINE__);
}

TEST(QueryTimeTest, RefusesOtherTexts) {
  for (const std::string_view text :
       {"2012/13/01", "2012/02/30", "2012/12/20-24:00:00", "2012/12/20T12:00", "2012/12/20-12",
        "1960/01/01", "ms", "-5ms", "1.5", "1355961603.", "1355961603.4180", "99999999999999999999",
        "9223372036854775808ms", "1h-agox", "-ago", "100y-ago", "yesterday", " now", "+5"}) {
    ExpectRefused(text);
  }
}

TEST(QueryTimeTest, MessageNamesTheTextAndTheForms) {
  EXPECT_THAT(ParseQueryTime("yester\nday", "", kNowMs),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       testing::AllOf(HasSubstr("\"yester\\x0aday\""), HasSubstr("yyyy/MM/dd"))));
}

TEST(DurationTest, OpenTsdbVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "duration-parse")) {
    const std::string text = TextOf(vector.given, "string");
    SCOPED_TRACE(vector.from + " " + text);
    const auto ms = ParseDuration(text);
    if (vector.wants_error()) {
      EXPECT_THAT(ms, StatusIs(absl::StatusCode::kInvalidArgument));
    } else {
      EXPECT_THAT(ms, IsOkAndHolds(IntOf(vector.expect, "ms")));
    }
    ++run;
  }
  EXPECT_EQ(run, 9);
}

TEST(DurationTest, ErrorsAreOpenTsdbs) {
  const auto check = [](std::string_view text, std::string_view want, int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    EXPECT_THAT(ParseDuration(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(want))));
  };
  check("-60s", "Invalid duration (number): -60s", __LINE__);
  check("60p", "Invalid duration (suffix): 60p", __LINE__);
  check("60xs", "Invalid duration (suffix): 60xs", __LINE__);
  check("60", "Invalid duration, must have an integer and unit: 60", __LINE__);
  check("", "Invalid duration", __LINE__);
  check("0s", "Zero or negative duration: 0s", __LINE__);
  check("300000000y", "Duration must be < Long.MAX_VALUE ms", __LINE__);
}

TEST(DurationTest, UnitsInAnyCase) {
  EXPECT_THAT(ParseDuration("60S"), IsOkAndHolds(60'000));
  EXPECT_THAT(ParseDuration("5MS"), IsOkAndHolds(5));
  EXPECT_THAT(ParseDuration("2W"), IsOkAndHolds(14LL * 86'400'000));
}

TEST(DurationTest, KeepsCountAndUnit) {
  const auto duration = ParseDurationText("3N");

  ASSERT_OK(duration);
  EXPECT_EQ(duration->count, 3);
  EXPECT_EQ(duration->unit, DurationUnit::kMonth);
  EXPECT_EQ(duration->ms, 90LL * 86'400'000);
  for (const std::string_view unit : {"ms", "s", "m", "h", "d", "w", "n", "y"}) {
    EXPECT_EQ(DurationUnitName(ParseDurationText("1" + std::string(unit))->unit), unit);
  }
}

TEST(TimezoneTest, IsFoundByItsName) {
  EXPECT_THAT(ParseTimezone(""), IsOkAndHolds(absl::UTCTimeZone()));
  EXPECT_EQ(ParseTimezone("Asia/Kabul")->name(), "Asia/Kabul");
  EXPECT_THAT(ParseTimezone("../etc/passwd"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell::query_time_test
