#include "server/query/query_request.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::query_request_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr int64_t kNowMs = 1'357'300'800'000;

SubQuery MakeSubQuery(std::string_view metric) {
  SubQuery query;
  query.metric = metric;
  return query;
}

QueryRequest MakeRequest() {
  QueryRequest request;
  request.spec.queries = {MakeSubQuery("m")};
  return request;
}

absl::Status Complete(const QueryTimes& times, QueryRequest request = MakeRequest()) {
  return CompleteQueryRequest(times, /*use_calendar=*/false, kNowMs, &request);
}

TEST(QueryRequestTest, CompleteFillsTheTimes) {
  QueryRequest request = MakeRequest();

  ASSERT_OK(CompleteQueryRequest({.start = "1h-ago", .end = "", .timezone = ""}, false, kNowMs,
                                 &request));

  EXPECT_EQ(request.spec.start_ms, kNowMs - 3'600'000);
  EXPECT_EQ(request.spec.end_ms, kNowMs);
}

TEST(QueryRequestTest, CompleteReadsDatesInTheTimezone) {
  QueryRequest request = MakeRequest();

  ASSERT_OK(CompleteQueryRequest(
      {.start = "2013/01/01-00:00:00", .end = "", .timezone = "Pacific/Funafuti"}, false, kNowMs,
      &request));

  EXPECT_EQ(request.spec.start_ms, 1'356'998'400'000 - 12 * 3'600'000);
}

TEST(QueryRequestTest, CompleteRefusesBadTimes) {
  EXPECT_THAT(Complete({.start = "", .end = "", .timezone = ""}),
              StatusIs(absl::StatusCode::kInvalidArgument, "Missing start time"));
  EXPECT_THAT(Complete({.start = "1356998400", .end = "1356998300", .timezone = ""}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "End time [1356998300000] must be greater than the start time "
                       "[1356998400000]"));
  EXPECT_THAT(Complete({.start = "1356998400", .end = "1356998400", .timezone = ""}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Complete({.start = "2013/01/01", .end = "", .timezone = "Mars/Base"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("The timezone specification could not be found")));
}

TEST(QueryRequestTest, CompleteDropsRepeatedSubQueries) {
  QueryRequest request;
  request.spec.queries = {MakeSubQuery("a"), MakeSubQuery("b"), MakeSubQuery("a")};

  ASSERT_OK(
      CompleteQueryRequest({.start = "1", .end = "", .timezone = ""}, false, kNowMs, &request));

  ASSERT_THAT(request.spec.queries, SizeIs(2));
  EXPECT_EQ(request.spec.queries[1].metric, "b");
}

TEST(QueryRequestTest, CompleteBoundsTheSubQueries) {
  const QueryTimes times{.start = "1", .end = "", .timezone = ""};
  QueryRequest none;
  QueryRequest many;
  many.spec.queries.assign(kSubQueriesMax + 1, MakeSubQuery("m"));

  EXPECT_THAT(Complete(times, none),
              StatusIs(absl::StatusCode::kInvalidArgument, "Missing queries"));
  EXPECT_THAT(Complete(times, many),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "queries: too many; expected at most 1000, got 1001"));
}

TEST(QueryRequestTest, CompleteGivesCalendarsTheirTimezone) {
  const QueryTimes times{.start = "1", .end = "", .timezone = "Asia/Kabul"};
  QueryRequest request;
  for (const std::string_view text : {"1d-sum", "1dc-sum", "0all-sum"}) {
    request.spec.queries.push_back(MakeSubQuery(text));
    request.spec.queries.back().downsample = ParseDownsampleSpec(text).value();
  }
  request.spec.queries.push_back(MakeSubQuery("plain"));
  QueryRequest all = request;

  ASSERT_OK(CompleteQueryRequest(times, /*use_calendar=*/false, kNowMs, &request));
  ASSERT_OK(CompleteQueryRequest(times, /*use_calendar=*/true, kNowMs, &all));

  const auto calendar = [](const QueryRequest& of, size_t i) {
    return of.spec.queries.at(i).downsample->calendar;
  };
  EXPECT_FALSE(calendar(request, 0));
  EXPECT_TRUE(calendar(request, 1));
  EXPECT_EQ(request.spec.queries[1].downsample->timezone.name(), "Asia/Kabul");
  EXPECT_TRUE(calendar(all, 0));
  EXPECT_TRUE(calendar(all, 1));
  EXPECT_FALSE(calendar(all, 2));
  EXPECT_FALSE(all.spec.queries.at(3).downsample.has_value());
}

// Relative times need no timezone; a wrong one is refused all the same.
TEST(QueryRequestTest, CompleteChecksTheTimezone) {
  EXPECT_THAT(Complete({.start = "1h-ago", .end = "", .timezone = "Mars/Base"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "The timezone specification could not be found"));
}

TEST(QueryRequestTest, ParseQueryTsuidWantsHex) {
  EXPECT_THAT(ParseQueryTsuid("00ab"), IsOkAndHolds(std::string("00AB")));
  for (const std::string_view text : {"", "0", "0x01", "zz"}) {
    EXPECT_THAT(ParseQueryTsuid(text), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
  }
}

TEST(QueryRequestTest, ParseQueryAggregatorTellsMissingFromUnknown) {
  EXPECT_THAT(ParseQueryAggregator("dev"), IsOkAndHolds(Aggregator::kDev));
  EXPECT_THAT(ParseQueryAggregator(""),
              StatusIs(absl::StatusCode::kInvalidArgument, "Missing the aggregation function"));
  EXPECT_THAT(ParseQueryAggregator("Sum"),
              StatusIs(absl::StatusCode::kInvalidArgument, "No such aggregation function: Sum"));
}

}  // namespace
}  // namespace hourcell::query_request_test
