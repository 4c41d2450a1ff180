#include "server/cli/data/query_words.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/limits.h"
#include "tests/support/status_matchers.h"

namespace hourcell::query_words_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kNowMs = 1357002000000;

absl::StatusOr<QuerySpec> Parse(std::vector<std::string> words, std::vector<std::string> m = {}) {
  return ParseQueryWords(words, m, kNowMs);
}
absl::StatusOr<ScanSpec> ParseScan(std::vector<std::string> words) {
  return ParseScanWords(words, kNowMs);
}
absl::Status Refused(const absl::StatusOr<QuerySpec>& spec) {
  return spec.status();
}

TEST(QueryWordsTest, SmallestQueryEndsNow) {
  const auto spec = Parse({"1356998400", "sum", "cpu.user"});

  ASSERT_OK(spec.status());
  EXPECT_EQ(spec->start_ms, 1356998400000);
  EXPECT_EQ(spec->end_ms, kNowMs);
  ASSERT_EQ(spec->queries.size(), 1u);
  SubQuery want;
  want.aggregator = Aggregator::kSum;
  want.metric = "cpu.user";
  EXPECT_EQ(spec->queries[0], want);
}

TEST(QueryWordsTest, SecondTimeIsTheEnd) {
  const auto spec = Parse({"2013/01/01-00:00:00", "2013/01/01-00:30:00", "avg", "cpu.user"});

  ASSERT_OK(spec.status());
  EXPECT_EQ(spec->end_ms, 1357000200000);
}

TEST(QueryWordsTest, RateCounterDownsampleAndTagsInOpenTsdbsOrder) {
  const auto spec = Parse({"1h-ago", "max", "rate", "counter,65535,100", "downsample", "60000",
                           "avg", "net.bytes", "host=*", "if=eth0|eth1"});

  ASSERT_OK(spec.status());
  const SubQuery& query = spec->queries.at(0);
  EXPECT_EQ(query.rate, (RateSpec{.counter = true, .counter_max = 65535, .reset_value = 100}));
  EXPECT_EQ(query.downsample, (DownsampleSpec{.interval_ms = 60000, .function = Aggregator::kAvg}));
  ASSERT_EQ(query.filters.size(), 2u);
  EXPECT_EQ(query.filters[0].type, FilterType::kWildcard);
  EXPECT_TRUE(query.filters[0].group_by);
  EXPECT_EQ(query.filters[1].filter, "eth0|eth1");
}

TEST(QueryWordsTest, DownsampleTakesADuration) {
  const auto spec = Parse({"1h-ago", "sum", "downsample", "5m", "max", "cpu.user"});

  ASSERT_OK(spec.status());
  EXPECT_EQ(spec->queries.at(0).downsample->interval_ms, 300'000);
}

TEST(QueryWordsTest, SeveralQueriesFollowOneAnother) {
  const auto spec = Parse({"1h-ago", "sum", "cpu.user", "host=a", "avg", "rate", "cpu.system"});

  ASSERT_OK(spec.status());
  ASSERT_EQ(spec->queries.size(), 2u);
  EXPECT_EQ(spec->queries[1].metric, "cpu.system");
  EXPECT_TRUE(spec->queries[1].rate.has_value());
}

TEST(QueryWordsTest, MTextsAreThoseOfTheApi) {
  const auto spec = Parse({"1h-ago"}, {"sum:1h-avg:cpu.user{host=*}", "max:cpu.system"});

  ASSERT_OK(spec.status());
  ASSERT_EQ(spec->queries.size(), 2u);
  EXPECT_EQ(spec->queries[0].downsample->interval_ms, 3'600'000);
  EXPECT_EQ(spec->queries[1].aggregator, Aggregator::kMax);
}

TEST(QueryWordsTest, RefusesWithTheWordThatDoesNotFit) {
  const auto is_refused = [](const std::string& with) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(with));
  };
  EXPECT_THAT(Refused(Parse({})), is_refused("START is missing"));
  EXPECT_THAT(Refused(Parse({"1h-ago"})), is_refused("the query is missing"));
  EXPECT_THAT(Refused(Parse({"soon", "sum", "m"})), is_refused("soon"));
  EXPECT_THAT(Refused(Parse({"1h-ago", "total", "m"})),
              is_refused("No such aggregation function: total"));
  EXPECT_THAT(Refused(Parse({"1h-ago", "sum:m{a=b}"})),
              is_refused("query: expected AGG metric [tagk=tagv ...], got \"sum:m{a=b}\"; "
                         "with colons, use -m 'sum:m{a=b}'"));
  EXPECT_THAT(Refused(Parse({"1h-ago", "sum"})), is_refused("metric is missing"));
  EXPECT_THAT(Refused(Parse({"1h-ago", "sum", "host=a"})), is_refused("a metric before its tags"));
  EXPECT_THAT(Refused(Parse({"1h-ago", "sum", "m", "host="})), is_refused("tagk=tagv"));
  EXPECT_THAT(Refused(Parse({"1h-ago", "sum", "rate", "counter,x", "m"})), is_refused("\"x\""));
  EXPECT_THAT(Refused(Parse({"1h-ago", "sum", "downsample", "1h"})),
              is_refused("downsample function is missing"));
  EXPECT_THAT(Refused(Parse({"1h-ago", "+wxh", "sum", "m"})), is_refused("gnuplot"));
  EXPECT_THAT(Refused(Parse({"1h-ago", "sum", "m"}, {"sum:m"})), is_refused("with -m"));
  EXPECT_THAT(Refused(Parse({"now", "1h-ago", "sum", "m"})), is_refused("must be greater"));
}

TEST(ScanWordsTest, NoWordsAreTheWholeStore) {
  const auto spec = ParseScan({});

  ASSERT_OK(spec.status());
  EXPECT_EQ(spec->metric, "");
  EXPECT_EQ(spec->start_ms, 0);
  EXPECT_EQ(spec->end_ms, kTimestampMsMax);
}

TEST(ScanWordsTest, TimesMetricAndTags) {
  const auto spec = ParseScan({"1356998400", "1357002000", "cpu.user", "host=web01", "dc=*"});

  ASSERT_OK(spec.status());
  EXPECT_EQ(spec->start_ms, 1356998400000);
  EXPECT_EQ(spec->end_ms, 1357002000000);
  EXPECT_EQ(spec->metric, "cpu.user");
  ASSERT_EQ(spec->filters.size(), 2u);
  EXPECT_FALSE(spec->filters[0].group_by);
  EXPECT_EQ(spec->filters[1].type, FilterType::kWildcard);
}

TEST(ScanWordsTest, AggregatorOfOpenTsdbsFormIsIgnored) {
  EXPECT_EQ(ParseScan({"1h-ago", "sum", "cpu.user"})->metric, "cpu.user");
  // A metric may be called as an aggregator is.
  EXPECT_EQ(ParseScan({"1h-ago", "sum"})->metric, "sum");
  EXPECT_EQ(ParseScan({"1h-ago", "sum", "host=a"})->metric, "sum");
}

TEST(ScanWordsTest, RefusesSecondMetricTagFirstAndBackwardRange) {
  const auto is_refused = [](const std::string& with) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(with));
  };
  EXPECT_THAT(ParseScan({"1h-ago", "cpu.user", "cpu.system"}).status(),
              is_refused("\"cpu.system\""));
  EXPECT_THAT(ParseScan({"1h-ago", "host=a"}).status(), is_refused("a metric before its tags"));
  EXPECT_THAT(ParseScan({"1357002000", "1356998400"}).status(), is_refused("not before START"));
  EXPECT_THAT(ParseScan({"soon"}).status(), is_refused("soon"));
}

}  // namespace
}  // namespace hourcell::query_words_test
