#include "server/cli/cluster/top_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::top_sample_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TEST(TopMetricsTest, AValueHasTheNameAndLabelsOfItsLine) {
  EXPECT_THAT(ParseTopMetrics("# HELP a b\n"
                              "a 1\n"
                              "b_total{type=\"x y\"} 2.5e3\n"
                              "\n"
                              "no_number x\n"
                              "alone\n"
                              "last -1"),
              ElementsAre(Pair("a", 1), Pair("b_total{type=\"x y\"}", 2500), Pair("last", -1)));
}

TEST(TopMetricsTest, AValueThatIsNotFiniteIsLeftOut) {
  EXPECT_THAT(ParseTopMetrics("a NaN\nb +Inf\nc -Inf\nd 1e999\ne 1e300\n"),
              ElementsAre(Pair("e", 1e300)));
}

TEST(TopQueriesTest, AQueryIsShownInShort) {
  const auto queries = ParseTopQueries(
      R"({"completed":[],"running":[)"
      R"({"queryId":7,"query":{"start":1,"queries":[{"aggregator":"sum","metric":"cpu"},)"
      R"({"aggregator":"none","tsuids":["01"]}]},"remote":"10.0.0.1:5","user":"anna",)"
      R"("queryStartTimestamp":1,"stats":{"series":1,"rows":2,"rowsSkipped":0,"points":3,)"
      R"("bytes":4,"memory":5},"explain":[],"elapsed":60},)"
      R"({"queryId":8,"query":{"type":"SCAN","metric":"mem"},"remote":"",)"
      R"("stats":{"rows":0,"points":0,"memory":0},"elapsed":1},)"
      R"({"queryId":9,"query":{"bytesNotListed":9},"remote":"",)"
      R"("stats":{"rows":0,"points":0,"memory":0},"elapsed":1},)"
      R"({"queryId":10,"query":{"type":"REMOTE_READ","queries":[{"start":1,"end":2,)"
      R"("matchers":"{__name__=\"up\"}"}],"queriesNotListed":0},"remote":"",)"
      R"("stats":{"rows":0,"points":0,"memory":0},"elapsed":1}]})");
  ASSERT_OK(queries);
  ASSERT_THAT(*queries, SizeIs(4));
  const TopQuery& first = queries->front();

  EXPECT_EQ(first.id, 7U);
  EXPECT_EQ(first.user, "anna");
  EXPECT_EQ(first.client, "10.0.0.1:5");
  EXPECT_EQ(first.text, "sum:cpu");
  EXPECT_EQ(first.age_ms, 60);
  EXPECT_EQ(first.rows, 2U);
  EXPECT_EQ(first.points, 3U);
  EXPECT_EQ(first.memory, 5U);
  EXPECT_EQ((*queries)[1].text, "SCAN mem");
  EXPECT_EQ((*queries)[2].text, R"({"bytesNotListed":9})");
  EXPECT_EQ((*queries)[3].text, R"(REMOTE_READ {__name__="up"})");
}

TEST(TopRegionsTest, TheBusiestOpenRegionIsTheFirst) {
  const auto regions = ParseTopRegions(
      R"({"table":"data","step_ms":10000,"regions":[)"
      R"({"id":1,"start":"","is_open":true,"points_written":[5,10,99],"bytes":[1,2]},)"
      R"({"id":2,"start":"00","is_open":false,"points_written":[900,900],"bytes":[1,2]},)"
      R"({"id":3,"start":"0001","is_open":true,"points_written":[1,200,0],"bytes":[7]},)"
      R"({"id":4,"start":"0002","is_open":true,"points_written":[8],"bytes":[]}]})");
  ASSERT_OK(regions);
  ASSERT_THAT(*regions, SizeIs(3));

  EXPECT_EQ((*regions)[0].id, 3U);
  EXPECT_EQ((*regions)[0].points_per_s, 20);
  EXPECT_EQ((*regions)[0].bytes, 7U);
  EXPECT_EQ((*regions)[1].points_per_s, 1) << "the last step is not over";
  EXPECT_EQ((*regions)[2].points_per_s, 0);
}

TEST(TopSampleTest, WhatIsNoAnswerIsDataLoss) {
  for (const char* body : {"", "[]", "{}", R"({"running":[{}],"regions":[{}],"step_ms":1})",
                           R"({"running":1,"regions":[],"step_ms":0})"}) {
    EXPECT_THAT(ParseTopQueries(body), StatusIs(absl::StatusCode::kDataLoss)) << body;
    EXPECT_THAT(ParseTopRegions(body), StatusIs(absl::StatusCode::kDataLoss)) << body;
  }
  EXPECT_THAT(ParseTopQueries(R"({"running":[]})"), IsOkAndHolds(IsEmpty()));
}

}  // namespace
}  // namespace hourcell::top_sample_test
