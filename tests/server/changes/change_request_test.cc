#include "server/changes/change_request.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "server/http/http_target.h"
#include "tests/support/status_matchers.h"

namespace hourcell::change_request_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kNowMs = 1'357'300'800'000;  // 2013-01-04 12:00:00 UTC

absl::StatusOr<ChangeRequest> Parse(std::string_view query) {
  HttpRequest request;
  request.method = "GET";
  request.target = "/api/query/changes?" + std::string(query);
  HOURCELL_CHECK(ParseTarget(&request).ok());
  return ParseChangeRequest(request, kNowMs, "");
}

TEST(ChangeRequestTest, GivesItsParameters) {
  const auto parsed = Parse(
      "start=2013/01/01&end=2013/01/02&tag=host=web07|web08&tag=dc=%22a|b%22&metric=sys.&limit=3"
      "&series=70&seconds=4");
  ASSERT_OK(parsed);
  EXPECT_THAT(parsed->tags, ElementsAre(TagMatch{"host", "web07"}, TagMatch{"host", "web08"},
                                        TagMatch{"dc", "a|b"}));
  EXPECT_EQ(parsed->metric, "sys.");
  EXPECT_EQ(parsed->limit, 3u);
  EXPECT_EQ(parsed->series, 70u);
  EXPECT_EQ(parsed->seconds, 4u);
  EXPECT_EQ(parsed->times.start_ms, 1'356'998'400'000);
  EXPECT_EQ(parsed->times.end_ms, 1'357'084'800'000);
  EXPECT_EQ(parsed->times.step_ms, 3'600'000);
  EXPECT_EQ(parsed->times.before_ms(), 1'356'912'000'000);
  const auto usual = Parse("start=1h-ago&tag=host=web07");
  ASSERT_OK(usual);
  EXPECT_EQ(usual->limit, 20u);
  EXPECT_EQ(usual->series, 5'000u);
  EXPECT_EQ(usual->seconds, 10u);
}

absl::StatusOr<ChangeRequest> ParseBody(std::string_view body) {
  HttpRequest request;
  request.method = "POST";
  request.body = body;
  return ParseChangeRequest(request, kNowMs, "");
}

TEST(ChangeRequestTest, ABodyHasTheSameFields) {
  const auto parsed = ParseBody(
      R"({"start":"2013/01/01","end":1357084800,"tag":["host=web07|web08","dc=x"],"metric":"sys.",)"
      R"("limit":3,"series":"70","seconds":4,"other":true})");
  ASSERT_OK(parsed);
  EXPECT_THAT(parsed->tags, ElementsAre(TagMatch{"host", "web07"}, TagMatch{"host", "web08"},
                                        TagMatch{"dc", "x"}));
  EXPECT_EQ(parsed->metric, "sys.");
  EXPECT_EQ(parsed->limit, 3u);
  EXPECT_EQ(parsed->series, 70u);
  EXPECT_EQ(parsed->seconds, 4u);
  EXPECT_EQ(parsed->times.start_ms, 1'356'998'400'000);
  EXPECT_EQ(parsed->times.end_ms, 1'357'084'800'000);
  const auto one = ParseBody(R"({"start":"1h-ago","tag":"host=web07"})");
  ASSERT_OK(one);
  EXPECT_THAT(one->tags, ElementsAre(TagMatch{"host", "web07"}));
}

TEST(ChangeRequestTest, SaysWhatIsExpectedOfABody) {
  const auto f = [](std::string_view body, std::string_view error) {
    EXPECT_THAT(ParseBody(body),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(error))))
        << body;
  };
  f("", "Missing message content");
  f("[]", "Unable to parse the given JSON");
  f(R"({"tag":"host=a"})", "Missing parameter <code>start</code>");
  f(R"({"start":"1h-ago","tag":[]})", "Missing parameter <code>tag</code>");
  f(R"({"start":"1h-ago","tag":[["host=a"]]})", "tag: not");
  f(R"({"start":"1h-ago","tag":{"host":"a"}})", "tag: not a text");
  f(R"({"start":{},"tag":"host=a"})", "start: not a text");
  f(R"({"start":"1h-ago","tag":"host=a","limit":101})", "limit: expected 1 to 100, got \"101\"");
  f(R"({"start":"1h-ago","tag":"host=a","limit":-1})", "limit: expected 1 to 100, got \"-1\"");
}

TEST(ChangeRequestTest, AChurnHasAMetric) {
  const auto parse = [](std::string_view query) {
    HttpRequest request;
    request.method = "GET";
    request.target = "/api/query/churn?" + std::string(query);
    HOURCELL_CHECK(ParseTarget(&request).ok());
    return ParseChurnRequest(request, kNowMs, "");
  };
  const auto parsed = parse("start=2013/01/01&end=2013/01/02&metric=sys.cpu&limit=3");
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->metric, "sys.cpu");
  EXPECT_EQ(parsed->limit, 3u);
  EXPECT_EQ(parsed->times.step_ms, 3'600'000);
  const auto usual = parse("start=1h-ago&metric=m");
  ASSERT_OK(usual);
  EXPECT_EQ(usual->limit, 60u);
  EXPECT_THAT(parse("start=1h-ago"), StatusIs(absl::StatusCode::kInvalidArgument,
                                              "Missing parameter <code>metric</code>"));
  EXPECT_THAT(parse("metric=m"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(
      parse("start=1h-ago&metric=m&limit=1001"),
      StatusIs(absl::StatusCode::kInvalidArgument, "limit: expected 1 to 1000, got \"1001\""));
}

TEST(ChangeRequestTest, TheRangeEndsAtThePresent) {
  const auto parsed = Parse("start=1h-ago&end=2014/01/01&tag=host=web07");
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->times.end_ms, kNowMs);
  EXPECT_THAT(Parse("start=2014/01/01&end=2014/01/02&tag=host=web07"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("End time [1357300800000] must be greater than the start time")));
}

TEST(ChangeRequestTest, SaysWhatIsExpected) {
  const auto f = [](std::string_view query, std::string_view error) {
    EXPECT_THAT(Parse(query),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(error))))
        << query;
  };
  f("tag=host=web07", "Missing parameter <code>start</code>");
  f("start=1h-ago", "Missing parameter <code>tag</code>");
  f("start=1h-ago&tag=web07", "invalid tag: web07");
  f("start=1h-ago&tag=host=a&limit=101", "limit: expected 1 to 100, got \"101\"");
  f("start=1h-ago&tag=host=a&limit=0", "limit: expected 1 to 100, got \"0\"");
  f("start=1h-ago&tag=host=a&series=50001", "series: expected 1 to 50000, got \"50001\"");
  f("start=1h-ago&tag=host=a&seconds=x", "seconds: expected 1 to 60, got \"x\"");
  f("start=1h-ago&tag=host=a&tz=Nowhere", "timezone");
}

TEST(ChangeRequestTest, RoundsEachRangeToFewWholeSteps) {
  Random random(37);
  for (int i = 0; i < 20'000; ++i) {
    const auto start_ms = static_cast<int64_t>(random.Below(uint64_t{1} << (10 + i % 32)));
    const auto span_ms = 1 + static_cast<int64_t>(random.Below(uint64_t{1} << (1 + i % 40)));
    const ChangeTimes times = ChangeTimesOf(start_ms, start_ms + span_ms);
    EXPECT_LE(times.start_ms, start_ms);
    EXPECT_GT(times.start_ms + times.step_ms, start_ms);
    EXPECT_GE(times.end_ms, start_ms + span_ms);
    EXPECT_LT(times.end_ms - times.step_ms, start_ms + span_ms);
    EXPECT_EQ(times.start_ms % times.step_ms, 0);
    EXPECT_EQ(times.end_ms % times.step_ms, 0);
    EXPECT_LE((times.end_ms - times.start_ms) / times.step_ms, kChangeStepsMax);
  }
}

TEST(ChangeRequestTest, StepsOfLongRangesAreWholeHours) {
  EXPECT_EQ(ChangeTimesOf(0, 86'400'000).step_ms, 3'600'000);
  EXPECT_EQ(ChangeTimesOf(0, 40 * int64_t{86'400'000}).step_ms % 3'600'000, 0);
  EXPECT_EQ(ChangeTimesOf(0, 1'800'000).step_ms, 60'000);
  EXPECT_EQ(ChangeTimesOf(0, 1).step_ms, 1'000);
}

}  // namespace
}  // namespace hourcell::change_request_test
