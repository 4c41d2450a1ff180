#include "server/translate/m_translation.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/translate/promql_translation.h"
#include "tests/support/status_matchers.h"

namespace hourcell::m_translation_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string M(std::string_view expression) {
  const absl::StatusOr<Translation> translation = TranslateToM(expression);
  EXPECT_OK(translation.status()) << expression;
  return translation.ok() ? translation->text : "";
}

void ExpectRefused(std::string_view expression, std::string_view why) {
  EXPECT_THAT(TranslateToM(expression).status(),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(std::string(why))))
      << expression;
}

TEST(MTranslationTest, ARangeThatIsABucketIsExact) {
  const absl::StatusOr<Translation> translation = TranslateToM(
      R"(sum by (host) (avg_over_time(cpu{dc="lga",host!=""}[59s999ms] offset -59s999ms)))");
  ASSERT_OK(translation);
  EXPECT_EQ(translation->text, "zimsum:1m-avg:cpu{host=*}{dc=lga}");
  EXPECT_EQ(translation->step_ms, 60'000);
  EXPECT_THAT(translation->conditions, IsEmpty());
}

TEST(MTranslationTest, AnotherRangeHasConditions) {
  EXPECT_THAT(TranslateToM("max_over_time(m[5m])")->conditions,
              ElementsAre("m= has the value of a time 5m before it, at the start of the range",
                          "no point is at a multiple of 5m, which two ranges have"));
  EXPECT_EQ(M("max_over_time(m[5m])"), "none:5m-max:m");
  EXPECT_EQ(M("((avg((m))))"), "avg:m");
  EXPECT_EQ(M("quantile(0.5, quantile_over_time(0.5, m[9s999ms] offset -9s999ms))"),
            "median:10s-median-nan:m");
  EXPECT_EQ(M("irate(m[5m])"), "none:rate{counter,9223372036854775807,0}:m");
}

TEST(MTranslationTest, AGroupMayNeedATag) {
  EXPECT_THAT(TranslateToM("min by (a, b) (min_over_time(m{a='1'}[1s] offset -1s))")->conditions,
              ElementsAre("each series has the tag b"));
  EXPECT_EQ(M("min by (a, b) (m{a='1'})"), "mimmin:m{a=1,b=*}");
}

TEST(MTranslationTest, OtherExpressionsAreRefusedWithTheReason) {
  ExpectRefused(
      "rate(m[5m])",
      "m= cannot express rate, because it extrapolates to the ends of its range and adds up "
      "resets; expected irate");
  ExpectRefused("sum without (a) (m)", "m= cannot express without, because");
  ExpectRefused(
      "topk(3, m)",
      "m= cannot express topk, because no aggregator gives the same series; expected sum");
  ExpectRefused("sum(max(m))", "aggregation of an aggregation");
  ExpectRefused("m * 2", "expected one query for each side, for /api/query/gexp");
  ExpectRefused("-m", "m= cannot express operators");
  ExpectRefused("1", "m= cannot express \"1\", because");
  ExpectRefused("m offset 5m", "move the start");
  ExpectRefused("m @ 100", "m= cannot express @");
  ExpectRefused("avg_over_time(m[1m] offset 1m)",
                "m= cannot express offset 1m, because a bucket begins at its time; expected no "
                "offset, or offset -1m");
  ExpectRefused("avg_over_time(m[1h:1m])", "expected one of them, such as avg_over_time(m[1m])");
  ExpectRefused("abs(m)", "m= cannot express abs");
  ExpectRefused("quantile_over_time(0.9, m[1m])", "another rule");
  ExpectRefused("quantile(0.9, m)", "another rule");
  ExpectRefused("stdvar_over_time(m[1m])", "no function of a bucket");
  ExpectRefused("sum by (__name__) (m)", "a query reads one metric");
  ExpectRefused("sum by (a) (m{a=''})",
                "m= cannot express by (a), because the series lack the tag");
  EXPECT_THAT(TranslateToM("sum(").status(), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(MTranslationTest, AnExactTranslationComesBack) {
  for (const std::string m :
       {"zimsum:1m-avg:cpu{host=*}{dc=lga}", "mimmin:10s-last:sys.cpu{host=literal_or(a|\"b c\")}",
        "none:1h-count:cpu{}{dc=not_key()}", "avg:1m-max-nan:cpu{host=regexp(^web)}",
        "dev:500ms-dev-nan:\"a b\"{}{host=not_literal_or(a)}"}) {
    const absl::StatusOr<Translation> promql = TranslateToPromql(m);
    ASSERT_OK(promql) << m;
    EXPECT_EQ(M(promql->text), m) << promql->text;
    EXPECT_EQ(TranslateToM(promql->text)->conditions, promql->conditions) << m;
  }
}

}  // namespace
}  // namespace hourcell::m_translation_test
