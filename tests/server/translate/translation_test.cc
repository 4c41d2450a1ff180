// Translations are true: both languages, asked about the same points, give the same values.

#include "server/translate/translation.h"

#include <set>
#include <string>
#include <vector>

#include <absl/strings/str_replace.h>
#include <gmock/gmock.h>

#include "engine/query/aggregator.h"
#include "server/translate/m_translation.h"
#include "server/translate/promql_translation.h"
#include "tests/server/translate/translated_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::translation_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::vector<std::string> kFills = {"", "-nan", "-null", "-zero"};
const std::vector<std::string> kRates = {"", "rate:", "rate{counter}:", "rate{dropcounter}:"};
const std::vector<std::string> kIntervals = {"1m", "10s", "7s", "90s", "1h", "2500ms"};
const std::vector<std::string> kFilters = {
    "",
    "{host=*}",
    "{dc=*}",
    "{}{host=web01|db.1}",
    "{host=Web02,dc=*}",
    "{host=iliteral_or(WEB01|cache)}",
    "{}{host=not_literal_or(web01),dc=not_literal_or(lga|x)}",
    "{host=not_iliteral_or(web01)}",
    "{host=wildcard(*eb0*)}",
    "{host=iwildcard(w*1)}",
    "{dc=regexp(l?g|s)}",
    "{host=regexp(^[wd].*1$)}",
    "{host=regexp(x*)}",
    "{host=*}{dc=not_key()}",
    "{}{nosuch=*}",
    "{}{dc=nosuch}",
};

class TranslationTest : public TranslatedStoreTest {
 protected:
  std::string RandomFilters() { return kFilters[random_.Below(kFilters.size())]; }
  std::string RandomInterval() { return kIntervals[random_.Below(kIntervals.size())]; }

  // Compares the answers of a query and of its translation. Counts those with values.
  void Compare(const std::string& m, const Translation& translation, int64_t from_ms = kFromMs) {
    const int64_t step_ms = translation.step_ms == 0 ? 20'000 : translation.step_ms;
    const bool only_groups = !m.starts_with("none:");
    const Answer of_m = AnswerOfM(m, only_groups);
    const Answer of_promql = AnswerOfPromql(translation.text, step_ms);
    EXPECT_EQ(Difference(of_m, of_promql, from_ms), "") << m << "\n" << translation.text;
    if (ValuesIn(of_m) > 0) ++compared_;
  }

  size_t compared_ = 0;
};

TEST_F(TranslationTest, ExactTranslationsGiveTheSameValues) {
  PutRandomPoints("cpu");
  PutRandomPoints("sys.cpu-user/x");
  std::set<std::string> exact;
  for (const std::string_view aggregator : AggregatorNames()) {
    for (const std::string_view function : AggregatorNames()) {
      if (function == "none") continue;
      for (const std::string& fill : kFills) {
        for (const std::string& rate : kRates) {
          const std::string m =
              fmt::format("{}:{}-{}{}:{}{}{}", aggregator, RandomInterval(), function, fill, rate,
                          random_.Below(2) == 0 ? "cpu" : "sys.cpu-user/x", RandomFilters());
          const absl::StatusOr<Translation> translation = TranslateToPromql(m);
          if (!translation.ok() || !translation->conditions.empty()) continue;
          exact.insert(fmt::format("{}{}", aggregator, fill));
          Compare(m, *translation);
        }
      }
    }
  }
  EXPECT_THAT(exact, testing::ElementsAre(
                         "avg-nan", "avg-null", "dev-nan", "dev-null", "max-nan", "max-null",
                         "mimmax", "mimmax-nan", "mimmax-null", "mimmin", "mimmin-nan",
                         "mimmin-null", "min-nan", "min-null", "none", "none-nan", "none-null",
                         "pfsum-nan", "pfsum-null", "squareSum", "squareSum-nan", "squareSum-null",
                         "sum-nan", "sum-null", "zimsum", "zimsum-nan", "zimsum-null"));
  EXPECT_GT(compared_, 200u);
}

TEST_F(TranslationTest, EachFilterIsExact) {
  PutRandomPoints("cpu");
  for (const std::string& filters : kFilters) {
    for (const std::string aggregator : {"none", "zimsum"}) {
      const std::string m = aggregator + ":1m-avg:cpu" + filters;
      const absl::StatusOr<Translation> translation = TranslateToPromql(m);
      ASSERT_OK(translation) << m;
      EXPECT_THAT(translation->conditions, IsEmpty()) << m;
      Compare(m, *translation);
    }
  }
  EXPECT_EQ(compared_, 2 * (kFilters.size() - 2)) << "two of the filters pass no series";
}

TEST_F(TranslationTest, TranslationsWithConditionsHoldUnderThem) {
  PutRegularPoints("full");
  for (const std::string_view aggregator : AggregatorNames()) {
    for (const std::string bucket :
         {"", "1m-avg:", "1m-median:", "20s-last-nan:", "1m-sum-zero:", "5m-count:"}) {
      for (const std::string& rate : kRates) {
        const std::string m = fmt::format("{}:{}{}full{{dc=*}}", aggregator, bucket, rate);
        const absl::StatusOr<Translation> translation = TranslateToPromql(m);
        if (!translation.ok()) continue;
        Compare(m, *translation, kFromMs + (rate.empty() ? 0 : 300'000));
      }
    }
  }
  EXPECT_GT(compared_, 150u);
}

TEST_F(TranslationTest, TranslationsToMGiveTheSameValues) {
  PutRandomPoints("cpu");
  const std::string range = R"([9s999ms] offset -9s999ms)";
  for (const std::string op : {"", "sum", "min", "max", "avg", "stddev"}) {
    for (const std::string function : {"avg", "sum", "min", "max", "count", "last", "stddev"}) {
      for (const std::string matchers :
           {R"(host!="")", R"(host=~"web01|db\\.1")", R"(host!="",host!="web01")",
            R"(host!="",dc="")", R"(host=~"w.*1",dc!~"sea|x",dc=~".+")"}) {
        const std::string values =
            fmt::format("{}_over_time(cpu{{{}}}{})", function, matchers, range);
        const std::string text = op.empty() ? values : fmt::format("{} by (host) ({})", op, values);
        const absl::StatusOr<Translation> translation = TranslateToM(text);
        ASSERT_OK(translation) << text;
        EXPECT_THAT(translation->conditions, IsEmpty()) << text;
        Compare(translation->text, {.text = text, .step_ms = translation->step_ms});
      }
    }
  }
  EXPECT_GT(compared_, 150u);
}

TEST_F(TranslationTest, RangesThatEndAtTheirTimeAreThoseOfTheBucketBefore) {
  PutRegularPoints("full", 5);
  const absl::StatusOr<Translation> translation = TranslateToM("avg_over_time(full[1m])");
  ASSERT_OK(translation);

  Compare(translation->text, {.text = "avg_over_time(full[1m] offset -1m)", .step_ms = 60'000});

  EXPECT_EQ(compared_, 1u);
}

// Each condition is needed: without it, some of these queries have other values.
TEST_F(TranslationTest, WithoutTheirConditionsTheValuesDiffer) {
  PutRandomPoints("cpu");
  for (const std::string m :
       {"sum:10s-avg:cpu", "min:10s-avg:cpu", "pfsum:10s-avg:cpu", "avg:10s-avg:cpu",
        "count:10s-avg:cpu", "zimsum:10s-avg-zero:cpu", "none:10s-avg:rate:cpu",
        "none:10s-avg-nan:rate{counter}:cpu", "zimsum:10s-avg-nan:rate{dropcounter}:cpu",
        "none:1m-median:cpu", "median:10s-avg-nan:cpu", "sum:cpu", "none:rate:cpu"}) {
    const absl::StatusOr<Translation> translation = TranslateToPromql(m);
    ASSERT_OK(translation) << m;
    EXPECT_THAT(translation->conditions, Not(IsEmpty())) << m;
    const int64_t step_ms = translation->step_ms == 0 ? 20'000 : translation->step_ms;
    EXPECT_NE(Difference(AnswerOfM(m, !m.starts_with("none")),
                         AnswerOfPromql(translation->text, step_ms), kFromMs + 60'000),
              "")
        << m;
  }
}

TEST_F(TranslationTest, AnotherOffsetOrRangeIsNoticed) {
  PutRandomPoints("cpu");
  const std::string m = "zimsum:1m-avg:cpu{host=*}";
  const absl::StatusOr<Translation> translation = TranslateToPromql(m);
  ASSERT_OK(translation);
  ASSERT_THAT(translation->text, HasSubstr("[59s999ms] offset -59s999ms"));
  const Answer of_m = AnswerOfM(m, true);
  for (const std::string planted :
       {"[59s999ms] offset -1m", "[1m] offset -59s999ms", "[59s999ms] offset -59s998ms",
        "[59s999ms]", "[1m] offset -1m", "[59s] offset -59s"}) {
    const std::string text =
        absl::StrReplaceAll(translation->text, {{"[59s999ms] offset -59s999ms", planted}});
    EXPECT_NE(Difference(of_m, AnswerOfPromql(text, 60'000)), "") << text;
  }
}

}  // namespace
}  // namespace hourcell::translation_test
