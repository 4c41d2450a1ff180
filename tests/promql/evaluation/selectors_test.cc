#include "promql/evaluation/selectors.h"

#include <gtest/gtest.h>

#include "promql/text/parser.h"
#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr int64_t kSelectorMinuteMs = 60'000;
constexpr int64_t kLookbackMs = 5 * kSelectorMinuteMs;

Steps StepsAt(int64_t start_ms, size_t count) {
  return {.start_ms = start_ms, .step_ms = kSelectorMinuteMs, .count = count};
}

VectorSelector SelectorOf(std::string_view text) {
  const auto expression = ParseQuery(text);
  HOURCELL_CHECK(expression.ok());
  return std::get<VectorSelector>((*expression)->node);
}

TEST(SelectorsTest, AnOffsetMovesTheWindows) {
  const Windows windows = WindowsOf({.offset_ms = 1000}, 5000, StepsAt(100'000, 3), {});

  const TimeRange range = RangeOf(windows);

  EXPECT_EQ(range.start_ms, 94'000);
  EXPECT_EQ(range.end_ms, 100'000 + 2 * kSelectorMinuteMs - 1000);
}

TEST(SelectorsTest, AFixedTimeIsThatOfAllSteps) {
  const QueryTimes times{.start_ms = 7000, .end_ms = 9000};
  const auto range_at = [&](TimeShift shift) {
    const TimeRange range = RangeOf(WindowsOf(shift, 500, StepsAt(100'000, 3), times));
    return std::pair(range.start_ms, range.end_ms);
  };

  EXPECT_THAT(range_at({.at = TimeShift::At::kTime, .at_ms = 5000}), Pair(4500, 5000));
  EXPECT_THAT(range_at({.offset_ms = 1000, .at = TimeShift::At::kTime, .at_ms = 5000}),
              Pair(3500, 4000));
  EXPECT_THAT(range_at({.at = TimeShift::At::kStart}), Pair(6500, 7000));
  EXPECT_THAT(range_at({.at = TimeShift::At::kEnd}), Pair(8500, 9000));
}

TEST(SelectorsTest, FarTimesDoNotOverflow) {
  const TimeShift far{.offset_ms = -9'000'000'000'000,
                      .at = TimeShift::At::kTime,
                      .at_ms = std::numeric_limits<int64_t>::max()};

  const TimeRange range = RangeOf(WindowsOf(far, kLookbackMs, StepsAt(0, 1), {}));

  EXPECT_GT(range.start_ms, 0);
  EXPECT_GT(range.end_ms, range.start_ms);
}

TEST(SelectorsTest, TheLastPointsAreSortedByLabels) {
  ListSource source;
  source.Load(kSelectorMinuteMs, R"(m{a="2"} 1 2 stale 4)");
  source.Load(kSelectorMinuteMs, R"(m{a="1"} _ _ 7 _)");
  source.Load(kSelectorMinuteMs, R"(m{a="3"} stale stale stale stale)");
  Budget budget(nullptr, nullptr);
  const Windows windows = WindowsOf({}, kLookbackMs, StepsAt(0, 5), {});

  const auto vector = SelectInstant(SelectorOf("m"), windows, Selected::kValue, &source, &budget);

  ASSERT_OK(vector);
  EXPECT_THAT(TextsOf(*vector), ElementsAre("{__name__=\"m\", a=\"1\"} _ _ 7 7 7",
                                            "{__name__=\"m\", a=\"2\"} 1 2 _ 4 4"));
  EXPECT_THAT(source.reads(), ElementsAre(Pair(-kLookbackMs, 4 * kSelectorMinuteMs)));
}

TEST(SelectorsTest, TheTimesOfTheLastPointsAreInSeconds) {
  ListSource source;
  source.Load(kSelectorMinuteMs, R"(m 1 _ stale 4)");
  Budget budget(nullptr, nullptr);
  const Windows windows = WindowsOf({}, kLookbackMs, StepsAt(0, 5), {});

  const auto vector = SelectInstant(SelectorOf("m"), windows, Selected::kTime, &source, &budget);

  ASSERT_OK(vector);
  EXPECT_THAT(TextsOf(*vector), ElementsAre("{__name__=\"m\"} 0 0 _ 180 180"));
}

TEST(SelectorsTest, ARangeHasNoStaleMarkers) {
  ListSource source;
  source.Load(kSelectorMinuteMs, R"(m{a="1"} 1 stale 3)");
  source.Load(kSelectorMinuteMs, R"(m{a="2"} stale)");
  source.Load(kSelectorMinuteMs, R"(m{a="3"} 5)");
  Budget budget(nullptr, nullptr);
  std::vector<std::string> texts;

  ASSERT_OK(SelectRange(
      SelectorOf("m"), WindowsOf({}, kLookbackMs, StepsAt(kLookbackMs, 1), {}),
      WindowNeeds::kPoints, &source, &budget, [&](const Labels& labels, PointsView points) {
        texts.push_back(std::string(labels.Get("a")) + ":" + std::to_string(points.size()));
        return absl::OkStatus();
      }));

  EXPECT_THAT(texts, ElementsAre("1:2", "3:1"));
}

}  // namespace
}  // namespace hourcell::promql
