// Expressions over series with native histograms.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/evaluation/evaluator.h"
#include "promql/text/parser.h"
#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql::native_histograms_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kMinuteMs = 60'000;

// Counts of the buckets (1, 2] and (2, 4].
HistogramPointer Of(double low, double high, int schema = 0) {
  return std::make_shared<const NativeHistogram>(
      NativeHistogram{.schema = schema,
                      .count = low + high,
                      .sum = 10 * (low + high),
                      .positive = {{0, low}, {1, high}}});
}

class NativeHistogramsTest : public testing::Test {
 protected:
  // The series of the result at `steps` minutes from minute 0 on, and the warnings.
  std::vector<std::string> Ask(std::string_view text, size_t steps = 4) {
    const absl::StatusOr<ExpressionPtr> expression = ParseQuery(text);
    EXPECT_OK(expression);
    const EvaluationOptions options{.steps = {.start_ms = 0, .step_ms = kMinuteMs, .count = steps},
                                    .memory = nullptr};
    const absl::StatusOr<Evaluation> evaluation = Evaluate(**expression, options, &source_);
    EXPECT_OK(evaluation);
    if (!evaluation.ok()) return {};
    std::vector<std::string> texts;
    if (const auto* vector = std::get_if<VectorResult>(&evaluation->value)) {
      texts = TextsOf(vector->series);
    }
    for (const std::string& warning : evaluation->warnings)
      texts.push_back("! " + warning);
    return texts;
  }

  void LoadTwo() {
    source_.LoadHistograms(kMinuteMs, R"(h{a="1"})",
                           {Of(1, 0), Of(3, 1), Of(5, 2), Of(1, 1)});  // the last after a reset
    source_.LoadHistograms(kMinuteMs, R"(h{a="2"})", {nullptr, Of(4, 4), Of(6, 8), nullptr});
  }

  ListSource source_;
};

TEST_F(NativeHistogramsTest, ASelectorTakesThemAsItTakesNumbers) {
  source_.LoadHistograms(2 * kMinuteMs, "h", {Of(1, 0), Of(2, 0)});
  source_.Load(kMinuteMs, "h _ _ _ stale _ 7");

  EXPECT_THAT(Ask("h", 2), ElementsAre(R"({__name__="h"} h(1 10 0:1 1:0) h(1 10 0:1 1:0))"));
  EXPECT_THAT(Ask("h offset -2m", 4), ElementsAre(R"({__name__="h"} h(2 20 0:2 1:0) _ _ 7)"));
}

TEST_F(NativeHistogramsTest, HistogramsHaveACountASumAFractionAndQuantiles) {
  LoadTwo();
  source_.Load(kMinuteMs, R"(h{a="3"} 1 1)");

  EXPECT_THAT(Ask("histogram_count(h)"), ElementsAre(R"({a="1"} 1 4 7 2)", R"({a="2"} _ 8 14 14)"));
  EXPECT_THAT(Ask("histogram_sum(h)", 2), ElementsAre(R"({a="1"} 10 40)", R"({a="2"} _ 80)"));
  EXPECT_THAT(Ask("histogram_fraction(1.5, 2, h)", 2),
              ElementsAre(R"({a="1"} 0.5 0.375)", R"({a="2"} _ 0.25)"));
  EXPECT_THAT(Ask("histogram_quantile(0.5, h)", 2),
              ElementsAre(R"({a="1"} 1.5 1.6666666666666665)", R"({a="2"} _ 2)"));
}

TEST_F(NativeHistogramsTest, AClassicAndANativeHistogramOfTheSameLabelsHaveNoQuantile) {
  source_.LoadHistograms(kMinuteMs, "h", {nullptr, Of(1, 1), Of(1, 1), Of(1, 1)});
  source_.Load(kMinuteMs, R"(h{le="+Inf"} 2 2 stale)");
  source_.Load(kMinuteMs, R"(h{le="1"} 1 1 stale)");

  EXPECT_THAT(Ask("histogram_quantile(0.5, h)"), ElementsAre("{} 1 _ 2 2"));
}

TEST_F(NativeHistogramsTest, RatesAreHistograms) {
  LoadTwo();

  // The last one of the first series follows a reset.
  EXPECT_THAT(Ask("increase(h[3m])"),
              ElementsAre(R"({a="1"} _ h(4.5 45 0:3 1:1.5) h(9 90 0:6 1:3) h(8 80 0:5 1:3))",
                          R"({a="2"} _ _ h(9 90 0:3 1:6) h(18 180 0:6 1:12))"));
  EXPECT_THAT(Ask(R"(delta(h{a="1"}[2m]))"),
              ElementsAre(R"({a="1"} _ h(6 60 0:4 1:2) h(6 60 0:4 1:2) h(-2 -20 0:-2))"));
  EXPECT_THAT(Ask(R"(histogram_count(rate(h{a="1"}[2m])))", 3),
              ElementsAre(R"({a="1"} _ 0.05 0.05)"));
}

TEST_F(NativeHistogramsTest, AWindowOfNumbersAndHistogramsHasNoRate) {
  source_.LoadHistograms(kMinuteMs, "h", {Of(1, 0), Of(2, 0)});
  source_.Load(kMinuteMs, "h _ _ 1 2");

  EXPECT_THAT(Ask("increase(h[1m])", 4), ElementsAre("{} _ h(1 10 0:1) _ 1"));
}

TEST_F(NativeHistogramsTest, RatesHaveTheLowestResolutionOfTheirWindow) {
  source_.LoadHistograms(kMinuteMs, "h", {Of(1, 0, 1), Of(3, 2, 1), Of(8, 1, 0)});

  EXPECT_THAT(Ask("increase(h[1m])", 3), ElementsAre("{} _ h(4 40 0:2 1:2 /1) h(4 40 0:3 1:1)"));
}

TEST_F(NativeHistogramsTest, SumsAreHistogramsUnlessThereAreNumbers) {
  LoadTwo();
  source_.Load(kMinuteMs, R"(h{a="3"} _ _ _ 1)");

  EXPECT_THAT(Ask("sum(h)"),
              ElementsAre("{} h(1 10 0:1 1:0) h(12 120 0:7 1:5) h(21 210 0:11 1:10) _"));
  EXPECT_THAT(Ask("sum by (a) (h)", 2), ElementsAre(R"({a="1"} h(1 10 0:1 1:0) h(4 40 0:3 1:1))",
                                                    R"({a="2"} _ h(8 80 0:4 1:4))"));
  EXPECT_THAT(Ask("histogram_quantile(0.5, sum(h))", 2), ElementsAre("{} 1.5 1.8571428571428572"));
}

TEST_F(NativeHistogramsTest, TheyCountAsElements) {
  LoadTwo();
  source_.Load(kMinuteMs, R"(h{a="3"} 1 1 1 1)");

  EXPECT_THAT(Ask("count(h)"), ElementsAre("{} 2 3 3 3"));
  EXPECT_THAT(Ask("group(h)"), ElementsAre("{} 1 1 1 1"));
  EXPECT_THAT(Ask("absent(h)"), IsEmpty());
  EXPECT_THAT(Ask("count_over_time(h[1m])"),
              ElementsAre(R"({a="1"} 1 2 2 2)", R"({a="2"} _ 1 2 1)", R"({a="3"} 1 2 2 2)"));
  EXPECT_THAT(Ask(R"(present_over_time(h{a="2"}[1m]))"), ElementsAre(R"({a="2"} _ 1 1 1)"));
  EXPECT_THAT(Ask(R"(absent_over_time(h{a="2"}[1m]))"), ElementsAre(R"({a="2"} 1 _ _ _)"));
  EXPECT_THAT(Ask(R"(timestamp(h{a="2"}))"), ElementsAre(R"({a="2"} _ 60 120 120)"));
}

TEST_F(NativeHistogramsTest, TheLastOneOfAWindowIsKept) {
  LoadTwo();

  EXPECT_THAT(Ask(R"(last_over_time(h{a="2"}[1m]))"),
              ElementsAre(R"({__name__="h", a="2"} _ h(8 80 0:4 1:4) h(14 140 0:6 1:8) )"
                          R"(h(14 140 0:6 1:8))"));
}

TEST_F(NativeHistogramsTest, TwoAreAddedButNotANumberAndAHistogram) {
  LoadTwo();
  source_.Load(kMinuteMs, R"(n{a="1"} 1 1)");

  EXPECT_THAT(Ask("h + h", 2), ElementsAre(R"({a="1"} h(2 20 0:2 1:0) h(8 80 0:6 1:2))",
                                           R"({a="2"} _ h(16 160 0:8 1:8))"));
  EXPECT_THAT(Ask(R"(h{a="1"} + on () group_right () h{a="2"})", 2),
              ElementsAre(R"({a="2"} _ h(12 120 0:7 1:5))"));
  EXPECT_THAT(Ask("h + n", 2), IsEmpty());
}

TEST_F(NativeHistogramsTest, SetsAndLabelsKeepThem) {
  LoadTwo();
  source_.Load(kMinuteMs, R"(n{a="1"} _ 1)");

  EXPECT_THAT(Ask("h and n", 2), ElementsAre(R"({__name__="h", a="1"} _ h(4 40 0:3 1:1))"));
  EXPECT_THAT(Ask("n or h", 2), ElementsAre(R"({__name__="h", a="1"} h(1 10 0:1 1:0) _)",
                                            R"({__name__="h", a="2"} _ h(8 80 0:4 1:4))",
                                            R"({__name__="n", a="1"} _ 1)"));
  EXPECT_THAT(Ask(R"-(label_replace(h{a="1"}, "b", "x$1", "a", "(.*)"))-", 1),
              ElementsAre(R"({__name__="h", a="1", b="x1"} h(1 10 0:1 1:0))"));
  EXPECT_THAT(Ask(R"(h{a="1"} @ 60)", 2),
              ElementsAre(R"({__name__="h", a="1"} h(4 40 0:3 1:1) h(4 40 0:3 1:1))"));
  EXPECT_THAT(Ask(R"(histogram_count(last_over_time(sum(h)[2m:1m])))", 3),
              ElementsAre("{} 1 12 21"));
}

TEST_F(NativeHistogramsTest, WhatTakesNumbersOnlyLeavesThemOutAndSaysSo) {
  LoadTwo();
  source_.Load(kMinuteMs, R"(h{a="3"} 4 4)");

  EXPECT_THAT(Ask("abs(h)", 2),
              ElementsAre(R"({a="3"} 4 4)", "! abs: native histograms are left out"));
  EXPECT_THAT(Ask("-h", 2),
              ElementsAre(R"({a="3"} -4 -4)", "! unary -: native histograms are left out"));
  EXPECT_THAT(Ask("avg(h)", 2), ElementsAre("{} 4 4", "! avg: native histograms are left out"));
  EXPECT_THAT(Ask("topk(3, h)", 2), ElementsAre(R"({__name__="h", a="3"} 4 4)",
                                                "! topk: native histograms are left out"));
  EXPECT_THAT(Ask(R"(count_values("v", h))", 1),
              ElementsAre(R"({v="4"} 1)", "! count_values: native histograms are left out"));
  EXPECT_THAT(Ask("h * 2 > 1", 2),
              ElementsAre(R"({a="3"} 8 8)", "! *: native histograms are left out"));
  EXPECT_THAT(Ask("h - h", 2),
              ElementsAre(R"({a="3"} 0 0)", "! -: native histograms are left out"));
  EXPECT_THAT(Ask("sum_over_time(h[1m])", 2),
              ElementsAre(R"({a="3"} 4 8)", "! sum_over_time: native histograms are left out"));
  EXPECT_THAT(Ask(R"(scalar(h{a="1"}))", 2),
              ElementsAre("! scalar: native histograms are left out"));
  EXPECT_THAT(Ask(R"(abs(h{a="3"}))", 2), ElementsAre(R"({a="3"} 4 4)")) << "no warning";
}

TEST_F(NativeHistogramsTest, ARangeVectorHasThem) {
  LoadTwo();
  const absl::StatusOr<ExpressionPtr> expression = ParseQuery(R"(h{a="2"}[2m])");
  ASSERT_OK(expression);

  const auto evaluation =
      Evaluate(**expression, {.steps = {.start_ms = 2 * kMinuteMs}, .is_instant = true}, &source_);

  ASSERT_OK(evaluation);
  const SeriesPoints& series = std::get<MatrixResult>(evaluation->value).series.at(0);
  EXPECT_THAT(series.times, ElementsAre(kMinuteMs, 2 * kMinuteMs));
  ASSERT_EQ(series.histograms.size(), 2);
  EXPECT_EQ(*series.histograms[1], *Of(6, 8));
}

class CountingAccount final : public MemoryAccount {
 public:
  explicit CountingAccount(size_t limit) : limit_(limit) {}
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

TEST_F(NativeHistogramsTest, TheirMemoryIsCountedAndGivenBack) {
  LoadTwo();
  const absl::StatusOr<ExpressionPtr> expression = ParseQuery(
      "abs(h) or sum(h + h) or rate(h[3m]) or label_replace(h, \"a\", \"\", \"b\", \"x\")");
  ASSERT_OK(expression);
  size_t enough = 0;
  for (size_t limit = 0;; limit += 64) {
    CountingAccount account(limit);
    {
      MemoryHold hold(&account);
      const auto evaluation = Evaluate(
          **expression,
          {.steps = {.start_ms = 0, .step_ms = kMinuteMs, .count = 4}, .memory = &hold}, &source_);
      if (evaluation.ok()) enough = limit;
      EXPECT_TRUE(evaluation.ok() || absl::IsResourceExhausted(evaluation.status()));
      EXPECT_TRUE(evaluation.ok() || account.used() == 0) << limit;
    }
    EXPECT_EQ(account.used(), 0) << limit;
    if (enough > 0) break;
  }
  // Eleven histograms at least.
  EXPECT_GT(enough, 11 * Of(1, 1)->MemoryBytes());
}

}  // namespace
}  // namespace hourcell::promql::native_histograms_test
