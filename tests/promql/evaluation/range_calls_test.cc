#include "promql/evaluation/range_calls.h"

#include <gtest/gtest.h>

#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kCallMinuteMs = 60'000;

Windows WindowsAt(int64_t start_ms, size_t count, int64_t range_ms) {
  return {.steps = {.start_ms = start_ms, .step_ms = kCallMinuteMs, .count = count},
          .range_ms = range_ms};
}

Subquery SubqueryOf(int64_t range_ms, int64_t step_ms) {
  return {.inner = nullptr, .range_ms = range_ms, .step_ms = step_ms, .shift = {}};
}

// All series of a source.
auto SeriesOf(const ListSource& source) {
  return [&](VisitPoints visit) -> absl::Status {
    for (const SeriesPoints& series : source.series())
      HOURCELL_RETURN_IF_ERROR(visit(series.labels, series.view()));
    return absl::OkStatus();
  };
}

TEST(RangeCallsTest, StepsOfASubqueryAreMultiplesOfItsStep) {
  const auto check = [](int64_t start_ms, int64_t range_ms, int64_t step_ms, Steps expected,
                        int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    EXPECT_EQ(StepsOfSubquery(SubqueryOf(range_ms, step_ms), WindowsAt(start_ms, 1, range_ms), 7),
              expected);
  };
  check(100, 50, 20, {.start_ms = 60, .step_ms = 20, .count = 3}, __LINE__);
  check(100, 40, 20, {.start_ms = 60, .step_ms = 20, .count = 3}, __LINE__);  // both ends
  check(99, 40, 20, {.start_ms = 60, .step_ms = 20, .count = 2}, __LINE__);
  check(10, 50, 20, {.start_ms = -40, .step_ms = 20, .count = 3}, __LINE__);
  check(-5, 50, 20, {.start_ms = -40, .step_ms = 20, .count = 2}, __LINE__);
  check(100, 50, 0, {.start_ms = 56, .step_ms = 7, .count = 7}, __LINE__);  // the default step
}

TEST(RangeCallsTest, ASubqueryMayHaveNoStep) {
  EXPECT_EQ(StepsOfSubquery(SubqueryOf(10, 60), WindowsAt(50, 1, 10), 7), std::nullopt);
}

TEST(RangeCallsTest, ColumnsAreVisitedAsPoints) {
  Budget budget(nullptr, nullptr);
  const HeldVector vector =
      Held(&budget, {{R"({a="1"})", {1, 2, 3}}, {R"({a="2"})", {kNoValue, 5, kNoValue}}});
  std::vector<std::string> texts;

  ASSERT_OK(VisitColumns(vector, {.start_ms = 10, .step_ms = 5, .count = 3},
                         [&](const Labels& labels, PointsView points) {
                           std::string text(labels.Get("a"));
                           for (size_t i = 0; i < points.size(); ++i)
                             text += " " + std::to_string(points.times[i]) + "=" +
                                     NumberText(points.values[i]);
                           texts.push_back(text);
                           return absl::OkStatus();
                         }));

  EXPECT_THAT(texts, ElementsAre("1 10=1 15=2 20=3", "2 15=5"));
}

TEST(RangeCallsTest, AFunctionDropsTheMetricNameAndEmptySeries) {
  ListSource source;
  source.Load(kCallMinuteMs, R"(m{a="2"} 1 2 3)");
  source.Load(kCallMinuteMs, R"(m{a="1"} 5 5 5)");
  source.Load(kCallMinuteMs * 1000, R"(m{a="3"} _ 1)");
  Budget budget(nullptr, nullptr);
  bool leaves_out = false;
  const Windows windows = WindowsAt(kCallMinuteMs, 2, kCallMinuteMs);

  const auto sums =
      CallOfRange(Function::kSumOverTime, windows, {}, SeriesOf(source), &budget, &leaves_out);
  const auto last =
      CallOfRange(Function::kLastOverTime, windows, {}, SeriesOf(source), &budget, &leaves_out);

  ASSERT_OK(sums);
  ASSERT_OK(last);
  EXPECT_THAT(TextsOf(*sums), ElementsAre("{a=\"1\"} 10 10", "{a=\"2\"} 3 5"));
  EXPECT_THAT(TextsOf(*last),
              ElementsAre("{__name__=\"m\", a=\"1\"} 5 5", "{__name__=\"m\", a=\"2\"} 2 3"));
}

TEST(RangeCallsTest, SeriesThatDifferInTheMetricAreRefusedEvenIfTheyNeverMeet) {
  ListSource source;
  source.Load(kCallMinuteMs, "m 1 _ _ _");
  source.Load(kCallMinuteMs, "n _ _ _ 1");
  Budget budget(nullptr, nullptr);
  bool leaves_out = false;

  EXPECT_THAT(CallOfRange(Function::kSumOverTime, WindowsAt(0, 4, 1000), {}, SeriesOf(source),
                          &budget, &leaves_out),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("same labelset")));
}

TEST(RangeCallsTest, FactorsOfHoltWintersAreCheckedWhereThereArePoints) {
  ListSource source;
  source.Load(kCallMinuteMs, "m _ 1 2");
  Budget budget(nullptr, nullptr);
  bool leaves_out = false;
  const std::vector<double> half = {0.5, 0.5, 0.5};
  const auto call = [&](const std::vector<double>& smoothing) {
    const std::vector<std::span<const double>> parameters = {smoothing, half};
    return CallOfRange(Function::kHoltWinters, WindowsAt(0, 3, kCallMinuteMs), parameters,
                       SeriesOf(source), &budget, &leaves_out)
        .status();
  };

  EXPECT_OK(call({7, 0.5, 0.5}));
  EXPECT_THAT(call({0.5, 0.5, 1.5}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "invalid smoothing factor. Expected: 0 < sf < 1, got: 1.500000"));
}

TEST(RangeCallsTest, AbsentOverTimeIsOneWhereNoSeriesHasPoints) {
  ListSource source;
  source.Load(kCallMinuteMs, R"(m{a="1"} 1 _ _ _)");
  source.Load(kCallMinuteMs, R"(m{a="2"} _ _ _ 1)");
  Budget budget(nullptr, nullptr);

  const auto absent =
      AbsentOverTime(WindowsAt(0, 4, 1000), LabelsOf(R"({b="x"})"), SeriesOf(source), &budget);
  const auto present =
      AbsentOverTime(WindowsAt(0, 4, kCallMinuteMs * 10), Labels(), SeriesOf(source), &budget);

  ASSERT_OK(absent);
  ASSERT_OK(present);
  EXPECT_THAT(TextsOf(*absent), ElementsAre("{b=\"x\"} _ 1 1 _"));
  EXPECT_THAT(TextsOf(*present), IsEmpty());
}

}  // namespace
}  // namespace hourcell::promql
