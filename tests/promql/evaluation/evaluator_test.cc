#include "promql/evaluation/evaluator.h"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "promql/text/parser.h"
#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kEvaluatorMinuteMs = 60'000;

class TestAccount final : public MemoryAccount {
 public:
  explicit TestAccount(size_t limit) : limit_(limit) {}
  absl::Status Take(size_t bytes) override {
    if (bytes > limit_ - used_) return absl::ResourceExhaustedError("memory");
    used_ += bytes;
    return absl::OkStatus();
  }
  void GiveBack(size_t bytes) override { used_ -= bytes; }
  size_t used() const { return used_; }

 private:
  const size_t limit_;
  size_t used_ = 0;
};

absl::StatusOr<Evaluation> EvaluateText(std::string_view text,
                                        const EvaluationOptions& options,
                                        SeriesSource* source) {
  const absl::StatusOr<ExpressionPtr> expression = ParseQuery(text);
  if (!expression.ok()) return expression.status();
  return Evaluate(**expression, options, source);
}

EvaluationOptions InstantAt(int64_t ms) {
  return {.steps = {.start_ms = ms}, .is_instant = true};
}

EvaluationOptions RangeOfSteps(int64_t start_ms, int64_t step_ms, size_t count) {
  return {.steps = {.start_ms = start_ms, .step_ms = step_ms, .count = count}};
}

const Vector& VectorOf(const Evaluation& evaluation) {
  return std::get<VectorResult>(evaluation.value).series;
}

TEST(EvaluatorTest, AnInstantQueryKeepsTheOrderOfSort) {
  ListSource source;
  source.Load(kEvaluatorMinuteMs, R"(m{a="1"} 2)");
  source.Load(kEvaluatorMinuteMs, R"(m{a="2"} 1)");

  const auto instant = EvaluateText("sort(m)", InstantAt(0), &source);
  const auto range = EvaluateText("sort(m)", RangeOfSteps(0, 1, 1), &source);

  ASSERT_OK(instant);
  ASSERT_OK(range);
  EXPECT_THAT(TextsOf(VectorOf(*instant)),
              ElementsAre("{__name__=\"m\", a=\"2\"} 1", "{__name__=\"m\", a=\"1\"} 2"));
  EXPECT_THAT(TextsOf(VectorOf(*range)),
              ElementsAre("{__name__=\"m\", a=\"1\"} 2", "{__name__=\"m\", a=\"2\"} 1"));
}

TEST(EvaluatorTest, AScalarHasAValueAtEachStep) {
  ListSource source;

  const auto scalar = EvaluateText("time() * 2", RangeOfSteps(1000, 500, 3), &source);

  ASSERT_OK(scalar);
  EXPECT_THAT(std::get<ScalarResult>(scalar->value).values, ElementsAre(2, 3, 4));
}

TEST(EvaluatorTest, AStringIsAResultOfAnInstantQuery) {
  ListSource source;

  const auto text = EvaluateText("(\"a\")", InstantAt(0), &source);

  ASSERT_OK(text);
  EXPECT_EQ(std::get<StringResult>(text->value).value, "a");
}

TEST(EvaluatorTest, ARangeVectorIsAResultOfAnInstantQuery) {
  ListSource source;
  source.Load(kEvaluatorMinuteMs, R"(m{a="2"} 1 stale 3 4)");
  source.Load(kEvaluatorMinuteMs, R"(m{a="1"} 1 _ _ _)");

  const auto selector = EvaluateText("m[2m]", InstantAt(3 * kEvaluatorMinuteMs), &source);
  const auto subquery = EvaluateText("(m * 2)[2m:1m]", InstantAt(2 * kEvaluatorMinuteMs), &source);

  ASSERT_OK(selector);
  const auto& points = std::get<MatrixResult>(selector->value).series;
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_THAT(points[0].times, ElementsAre(2 * kEvaluatorMinuteMs, 3 * kEvaluatorMinuteMs));
  EXPECT_THAT(points[0].values, ElementsAre(3, 4));
  ASSERT_OK(subquery);
  const auto& steps = std::get<MatrixResult>(subquery->value).series;
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_EQ(steps[0].labels, LabelsOf(R"({a="1"})"));
  EXPECT_THAT(steps[0].values, ElementsAre(2, 2, 2));
  EXPECT_THAT(steps[1].times, ElementsAre(0, 2 * kEvaluatorMinuteMs));
}

TEST(EvaluatorTest, ARangeQueryOfARangeVectorIsRefused) {
  ListSource source;

  EXPECT_THAT(EvaluateText("m[5m]", RangeOfSteps(0, 1, 2), &source),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "invalid expression type \"range vector\" for range query, must be Scalar "
                       "or instant Vector"));
}

TEST(EvaluatorTest, ASelectorIsReadOnceForAllSteps) {
  ListSource source;
  source.Load(kEvaluatorMinuteMs, "m 0+1x100");

  ASSERT_OK(EvaluateText("rate(m[5m])",
                         RangeOfSteps(10 * kEvaluatorMinuteMs, kEvaluatorMinuteMs, 50), &source));

  EXPECT_THAT(source.reads(),
              ElementsAre(testing::Pair(5 * kEvaluatorMinuteMs, 59 * kEvaluatorMinuteMs)));
}

TEST(EvaluatorTest, AFixedTimeIsCalculatedOnceAndRepeated) {
  ListSource source;
  source.Load(kEvaluatorMinuteMs, "m 0+1x100");

  const auto result = EvaluateText(
      "sum(m @ 120) + m", RangeOfSteps(10 * kEvaluatorMinuteMs, kEvaluatorMinuteMs, 3), &source);

  ASSERT_OK(result);
  EXPECT_THAT(TextsOf(VectorOf(*result)), ElementsAre("{} 12 13 14"));
  EXPECT_EQ(source.reads()[0], std::pair(-3 * kEvaluatorMinuteMs, 2 * kEvaluatorMinuteMs));
}

TEST(EvaluatorTest, StartAndEndAreThoseOfTheQueryInSubqueriesToo) {
  ListSource source;
  source.Load(kEvaluatorMinuteMs, "m 0+1x100");

  const auto result =
      EvaluateText("max_over_time((m @ end() - m @ start())[2m:1m])",
                   RangeOfSteps(10 * kEvaluatorMinuteMs, kEvaluatorMinuteMs, 4), &source);

  ASSERT_OK(result);
  EXPECT_THAT(TextsOf(VectorOf(*result)), ElementsAre("{} 3 3 3 3"));
}

TEST(EvaluatorTest, ASubqueryWithoutStepsHasNoSeries) {
  ListSource source;
  source.Load(kEvaluatorMinuteMs, "m 0+1x100");

  const auto result = EvaluateText("sum_over_time(m[30s:1m])", InstantAt(90'000 - 1), &source);

  ASSERT_OK(result);
  EXPECT_THAT(VectorOf(*result), SizeIs(1));
  const auto none = EvaluateText("sum_over_time(m[10s:1m])", InstantAt(90'000), &source);
  ASSERT_OK(none);
  EXPECT_THAT(VectorOf(*none), IsEmpty());
}

TEST(EvaluatorTest, TheMinusRefusesNamesThatDifferEvenIfTheyNeverMeet) {
  ListSource source;
  source.Load(kEvaluatorMinuteMs, "m 1 stale");
  source.Load(kEvaluatorMinuteMs, "n _ _ 1");
  const EvaluationOptions options = RangeOfSteps(0, kEvaluatorMinuteMs, 3);

  EXPECT_THAT(EvaluateText("-{__name__=~\"m|n\"}", options, &source),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("same labelset")));
  EXPECT_OK(EvaluateText("abs({__name__=~\"m|n\"})", options, &source));
}

TEST(EvaluatorTest, TheMemoryOfTheResultStaysTaken) {
  ListSource source;
  for (int i = 0; i < 50; ++i)
    source.Load(kEvaluatorMinuteMs, fmt::format("m{{a=\"{}\"}} 0+1x100", i));
  TestAccount account(1 << 20);
  MemoryHold hold(&account);
  EvaluationOptions options = RangeOfSteps(0, kEvaluatorMinuteMs, 100);
  options.memory = &hold;

  const auto sum =
      EvaluateText("sum(rate(m[5m])) + sum_over_time(sum(m)[1h:1m])", options, &source);

  ASSERT_OK(sum);
  EXPECT_GE(hold.bytes(), 100 * sizeof(double));
  EXPECT_LE(hold.bytes(), 2000U);
  EXPECT_EQ(account.used(), hold.bytes());
}

TEST(EvaluatorTest, TooLittleMemoryIsAnErrorAndGivesAllBack) {
  ListSource source;
  for (int i = 0; i < 50; ++i)
    source.Load(kEvaluatorMinuteMs, fmt::format("m{{a=\"{}\"}} 0+1x100", i));
  for (const std::string_view text :
       {"sum(m)", "m", "rate(m[5m])", "m + on (a) m", "sum_over_time(m[1h:1m])", "topk(1, m)",
        "max_over_time(vector(1)[100y:1ms])", "max_over_time(timestamp(m)[100y:1ms])", "m[1h:1s]",
        "m[1h]"}) {
    SCOPED_TRACE(text);
    TestAccount account(10'000);
    MemoryHold hold(&account);
    EvaluationOptions options = InstantAt(100 * kEvaluatorMinuteMs);
    if (!text.starts_with("m[")) options = RangeOfSteps(0, kEvaluatorMinuteMs, 100);
    options.is_instant = options.steps.count == 1;
    options.memory = &hold;

    EXPECT_THAT(EvaluateText(text, options, &source),
                StatusIs(absl::StatusCode::kResourceExhausted));
    EXPECT_EQ(hold.bytes(), 0U);
  }
}

TEST(EvaluatorTest, AnErrorOfTheCheckEndsTheEvaluation) {
  ListSource source;
  for (int i = 0; i < 50; ++i)
    source.Load(kEvaluatorMinuteMs, fmt::format("m{{a=\"{}\"}} 0+1x100", i));
  const auto cancel = []() -> absl::Status { return absl::CancelledError("stop"); };
  absl::FunctionRef<absl::Status()> check = cancel;
  EvaluationOptions options = RangeOfSteps(0, kEvaluatorMinuteMs, 1000);
  options.check = &check;

  EXPECT_THAT(EvaluateText("sum(m)", options, &source), StatusIs(absl::StatusCode::kCancelled));
}

// Counters, gauges and buckets with gaps, resets, stale markers and NaN.
void LoadRandomSeries(Random* random, ListSource* source) {
  for (const char* name : {"c", "g", "h_bucket"}) {
    for (uint64_t i = 0; i < 6; ++i) {
      SeriesPoints series{.labels = LabelsOf(name), .times = {}, .values = {}};
      series.labels.Set("a", std::to_string(i % 3));
      series.labels.Set(*name == 'h' ? "le" : "b",
                        std::array{"1", "+Inf"}[static_cast<size_t>(i / 3)]);
      double value = 0;
      for (int64_t t = 0; t < 60 * kEvaluatorMinuteMs;
           t += 15'000 + static_cast<int64_t>(random->Below(3))) {
        const uint64_t event = random->Below(40);
        if (event == 0) t += static_cast<int64_t>(random->Below(600)) * 1000;
        if (event == 1) value = 0;
        value += *name == 'g' ? random->Fraction() - 0.5 : random->Fraction();
        series.times.push_back(t);
        series.values.push_back(event == 2   ? kStale
                                : event == 3 ? std::numeric_limits<double>::quiet_NaN()
                                             : value);
      }
      source->Add(std::move(series));
    }
  }
}

// Without the order of series, which sorts only instant results.
constexpr std::array kExpressions = {"c",
                                     "c offset 3m",
                                     "c offset -3m",
                                     "c @ 600",
                                     "c @ start()",
                                     "{__name__=~\"c|g\"}",
                                     "rate(c[5m])",
                                     "increase(c[7m])",
                                     "irate(c[2m])",
                                     "delta(g[5m])",
                                     "idelta(g[1m])",
                                     "deriv(g[5m])",
                                     "predict_linear(g[5m], 60)",
                                     "predict_linear(g[5m] @ 1200, 60)",
                                     "changes(g[5m])",
                                     "resets(c[10m])",
                                     "avg_over_time(g[3m])",
                                     "min_over_time(g[3m])",
                                     "max_over_time(g[3m])",
                                     "sum_over_time(g[3m])",
                                     "count_over_time(g[3m])",
                                     "stddev_over_time(g[3m])",
                                     "quantile_over_time(0.3, g[3m])",
                                     "last_over_time(g[1m])",
                                     "present_over_time(g[1m])",
                                     "absent_over_time(c{a=\"1\"}[1m])",
                                     "holt_winters(g[5m], 0.5, 0.5)",
                                     "max_over_time(rate(c[2m])[5m:30s])",
                                     "sum_over_time(sum(g)[10m:1m] offset 1m)",
                                     "avg_over_time((c @ 600)[5m:1m])",
                                     "max_over_time(c[3m:1m] @ 1200)",
                                     "-g",
                                     "abs(g)",
                                     "clamp(g, -1, 1)",
                                     "round(g, 0.1)",
                                     "sgn(g)",
                                     "hour(c * 1000)",
                                     "timestamp(c)",
                                     "timestamp(c + 1)",
                                     "sum(c)",
                                     "sum by (a) (c)",
                                     "avg without (b) (g)",
                                     "count(g > 0)",
                                     "stddev(g)",
                                     "topk(2, g)",
                                     "bottomk by (a) (1, g)",
                                     "quantile(0.5, g)",
                                     "count_values(\"v\", round(g))",
                                     "topk(scalar(round(count(g > 0))), g)",
                                     "histogram_quantile(0.9, rate(h_bucket[5m]))",
                                     "c + on (a, b) g",
                                     "c > g",
                                     "c * on (a) group_left sum by (a) (g)",
                                     "sum by (a) (g) - on (a) group_right c",
                                     "c and g > 0",
                                     "c or g",
                                     "c unless on (a, b) g > 0",
                                     "g > bool 0",
                                     "1 - g",
                                     "g == g",
                                     "label_replace(g, \"x\", \"$1\", \"a\", \"(.)\")",
                                     "label_join(g, \"x\", \"-\", \"a\", \"b\")",
                                     "absent(c{a=\"1\"})",
                                     "vector(time())",
                                     "g * scalar(sum(c))",
                                     "time() + scalar(g{a=\"0\"})"};

TEST(EvaluatorTest, ARangeHasTheValuesOfTheInstantsOfItsSteps) {
  Random random(20'230'131);
  ListSource source;
  LoadRandomSeries(&random, &source);
  const EvaluationOptions range_options = RangeOfSteps(7 * kEvaluatorMinuteMs + 123, 47'000, 60);
  for (const std::string_view text : kExpressions) {
    SCOPED_TRACE(text);
    // @ start() is the first step of the range, and of an instant that instant.
    const bool is_relative = text.find("start()") != text.npos;
    const auto range = EvaluateText(text, range_options, &source);
    ASSERT_OK(range);
    for (size_t step = 0; step < (is_relative ? 1 : range_options.steps.count); ++step) {
      const auto instant = EvaluateText(text, InstantAt(range_options.steps.at(step)), &source);
      ASSERT_OK(instant);
      std::vector<std::string> expected;
      std::vector<std::string> got;
      if (const auto* scalar = std::get_if<ScalarResult>(&instant->value)) {
        expected = {NumberText(scalar->values[0])};
        got = {NumberText(std::get<ScalarResult>(range->value).values[step])};
      } else {
        expected = TextsOf(VectorOf(*instant));
        for (const SeriesColumn& series : VectorOf(*range)) {
          if (!IsNoValue(series.values[step]))
            got.push_back(TextOfSeries({series.labels, {series.values[step]}}));
        }
      }
      std::ranges::sort(expected);
      std::ranges::sort(got);
      ASSERT_EQ(got, expected) << "at step " << step;
    }
  }
}

}  // namespace
}  // namespace hourcell::promql
