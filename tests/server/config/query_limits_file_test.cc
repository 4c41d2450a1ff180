#include "server/config/query_limits_file.h"

#include <fstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::query_limits_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(QueryLimitsFileTest, ReadsEveryLimit) {
  const auto limits = ParseQueryLimits(
      R"([{"metric":"^debug\\.","dataPointsLimit":1,"byteLimit":2,"rowLimit":3,"seriesLimit":4,
           "rangeLimit":"30d"},
          {"regex":"cpu","byteLimit":null,"rangeLimit":1500}])");

  ASSERT_OK(limits);
  EXPECT_THAT(*limits,
              ElementsAre(MetricQueryLimits{.metric = "^debug\\.",
                                            .limits = {.points = 1,
                                                       .bytes = 2,
                                                       .rows = 3,
                                                       .series = 4,
                                                       .range_ms = int64_t{30} * 86'400'000}},
                          MetricQueryLimits{.metric = "cpu", .limits = {.range_ms = 1500}}));
}

TEST(QueryLimitsFileTest, AnEmptyListIsFine) {
  const auto limits = ParseQueryLimits("[]");

  ASSERT_OK(limits);
  EXPECT_TRUE(limits->empty());
}

TEST(QueryLimitsFileTest, SaysWhichEntryAndFieldIsWrong) {
  const auto error = [](std::string_view text) {
    const auto limits = ParseQueryLimits(text);
    EXPECT_EQ(limits.status().code(), kInvalid) << text;
    return std::string(limits.status().message());
  };

  EXPECT_THAT(error("[{]"), StartsWith("not JSON: "));
  EXPECT_THAT(error("{}"), StartsWith("not a list; expected "));
  EXPECT_EQ(error("[1]"), "entry 1: not an object");
  EXPECT_EQ(error(R"([{"metric":"a"},{"byteLimit":1}])"), "entry 2: metric: missing");
  EXPECT_THAT(error(R"([{"metric":7}])"), HasSubstr("expected a regular expression, got \"7\""));
  EXPECT_THAT(error(R"([{"metric":"a","byteLimit":-1}])"),
              HasSubstr("byteLimit: expected an integer from 0, got \"-1\""));
  EXPECT_THAT(error(R"([{"metric":"a","rangeLimit":"soon"}])"),
              HasSubstr("rangeLimit: expected a duration such as \"30d\", or milliseconds, got "
                        "\"\\\"soon\\\"\""));
  EXPECT_THAT(
      error(R"([{"metric":"a","rangeLimit":-5}])"),
      HasSubstr("rangeLimit: expected a duration such as \"30d\", or milliseconds, got \"-5\""));
  EXPECT_THAT(error(R"([{"metric":"a","limit":1}])"),
              HasSubstr("\"limit\": no such field; expected "));
}

TEST(QueryLimitsFileTest, LoadsAFileAndNamesItInErrors) {
  const TempDir dir;
  std::ofstream(dir.file("good.json")) << R"([{"metric":"m","rowLimit":5}])";
  std::ofstream(dir.file("bad.json")) << "nonsense";

  EXPECT_OK(LoadQueryLimits(dir.file("good.json")));
  EXPECT_THAT(LoadQueryLimits(dir.file("bad.json")),
              StatusIs(kInvalid, HasSubstr("bad.json: not JSON")));
  EXPECT_THAT(LoadQueryLimits(dir.file("none.json")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none.json: cannot be read")));
}

}  // namespace
}  // namespace hourcell::query_limits_file_test
