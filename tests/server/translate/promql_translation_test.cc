#include "server/translate/promql_translation.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::promql_translation_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Promql(std::string_view m) {
  const absl::StatusOr<Translation> translation = TranslateToPromql(m);
  EXPECT_OK(translation.status()) << m;
  return translation.ok() ? translation->text : "";
}

void ExpectRefused(std::string_view m, std::string_view why) {
  EXPECT_THAT(TranslateToPromql(m).status(),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(std::string(why))))
      << m;
}

TEST(PromqlTranslationTest, ABucketIsARangeThatEndsBeforeTheNext) {
  const absl::StatusOr<Translation> translation =
      TranslateToPromql("sum:1m-avg-nan:cpu{host=*}{dc=lga}");
  ASSERT_OK(translation);
  EXPECT_EQ(translation->text,
            R"(sum by (host) (avg_over_time(cpu{dc="lga",host!=""}[59s999ms] offset -59s999ms)))");
  EXPECT_EQ(translation->step_ms, 60'000);
  EXPECT_THAT(translation->conditions, IsEmpty());
}

TEST(PromqlTranslationTest, FunctionsAndAggregatorsHaveTheirWords) {
  EXPECT_EQ(Promql("none:10s-mimmax:m"), "max_over_time(m[9s999ms] offset -9s999ms)");
  EXPECT_EQ(Promql("median:10s-median:m"),
            "quantile(0.5, quantile_over_time(0.5, m[9s999ms] offset -9s999ms))");
  EXPECT_EQ(Promql("squareSum:2s-dev:m"),
            "sum((stddev_over_time(m[1s999ms] offset -1s999ms)) ^ 2)");
  EXPECT_EQ(Promql("dev:m{b=*,a=*}"), R"(stddev by (a, b) (m{a!="",b!=""}))");
}

TEST(PromqlTranslationTest, ARateIsADifferenceOfNeighbours) {
  EXPECT_EQ(Promql("none:1m-last:rate:m"),
            "(last_over_time(m[59s999ms] offset -59s999ms) - last_over_time(m[59s999ms] offset "
            "1ms)) / 60");
  EXPECT_EQ(Promql("none:500ms-last:rate{dropcounter}:m"),
            "(last_over_time(m[499ms] offset -499ms) - last_over_time(m[499ms] offset 1ms) >= 0) / "
            "0.5");
  EXPECT_EQ(Promql("sum:rate:m"), "sum(irate(m[5m]))");
}

TEST(PromqlTranslationTest, NamesThatPromqlQuotesAreMatchers) {
  EXPECT_EQ(Promql("none:sys.cpu-user"), R"({__name__="sys.cpu-user"})");
  EXPECT_EQ(Promql("none:by{}{a=b}"), R"(by{a="b"})");
  EXPECT_EQ(Promql("none:inf"), R"({__name__="inf"})");
  EXPECT_EQ(Promql("none:\"a \\\"b\""), R"({__name__="a \"b"})");
}

TEST(PromqlTranslationTest, ConditionsNameWhatTheQueryNeeds) {
  EXPECT_THAT(TranslateToPromql("sum:5m-avg:m")->conditions,
              ElementsAre("each series has a point in each 5m between its first and its last "
                          "point"));
  EXPECT_THAT(TranslateToPromql("avg:m")->conditions,
              ElementsAre("each step is a time at which every series has a point",
                          HasSubstr("the values are not integers")));
  EXPECT_THAT(TranslateToPromql("count:1m-avg-nan:m{host=*}")->conditions,
              ElementsAre("each step has a point of a series of each group"));
  EXPECT_THAT(TranslateToPromql("none:1m-median-nan:m")->conditions,
              ElementsAre("each 1m has an odd number of points"));
}

TEST(PromqlTranslationTest, PartsWithoutAWordAreRefusedWithTheReason) {
  ExpectRefused("top(3,max):sum:m", "topk and bottomk choose anew at each step");
  ExpectRefused(
      "sum:explicit_tags:m{a=b}",
      "PromQL cannot express explicit_tags, because a matcher cannot refuse the labels that it "
      "does not name; expected a filter not_key() for each other tag");
  ExpectRefused("sum:percentiles[99]:m", "histogram_quantile");
  ExpectRefused("sum:pre-agg:m", "PromQL cannot express pre-agg");
  ExpectRefused("sum:0all-avg:m", "PromQL cannot express 0all-avg, because");
  ExpectRefused("sum:1dc-avg:m", "a range has a fixed length");
  ExpectRefused("sum:1ms-avg:m", "1 ms apart");
  ExpectRefused("sum:1m-p99:m", "PromQL cannot express p99 of a bucket, because");
  ExpectRefused("first:1m-avg:m", "PromQL cannot express first of series, because");
  ExpectRefused("avg:1m-avg-zero:m", "only the sum of a group is the same with zeros");
  ExpectRefused("sum:1m-avg-scalar(1):m", "only the sum");
  ExpectRefused("none:1m-avg-zero:m", "only the sum");
  ExpectRefused("sum:1m-avg-zero:rate:m", "only the sum");
  ExpectRefused("sum:300y-avg:m", "PromQL cannot express the query: ");
  SubQuery of_tsuids;
  of_tsuids.tsuids = {"000001"};
  EXPECT_THAT(
      TranslateToPromql(of_tsuids).status(),
      StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("PromQL cannot express the TSUID ")));
}

TEST(PromqlTranslationTest, ATextThatIsNoQueryIsInvalid) {
  EXPECT_THAT(TranslateToPromql("cpu").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not enough")));
  EXPECT_THAT(TranslateToPromql("sum:m{a=wildcard(b)}").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected a wildcard")));
}

}  // namespace
}  // namespace hourcell::promql_translation_test
