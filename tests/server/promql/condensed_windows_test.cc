// Range functions over stored series, of rows that are read by their summaries and of all points.

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/random.h"
#include "engine/maintenance.h"
#include "engine/query/query_control.h"
#include "promql/evaluation/selectors.h"
#include "promql/values/range_functions.h"
#include "server/promql/store_source.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/server/promql/promql_fixture.h"

namespace hourcell::condensed_windows_test {
namespace {

using promql::Function;
using promql::WindowNeeds;
using promql::Windows;

constexpr int64_t kHourMs = 3'600'000;

class CondensedWindowsTest : public PromqlTest {
 protected:
  using Columns = std::map<std::string, std::vector<double>>;

  // The columns of the function, and in points_ the number of points that were read for them.
  Columns Calculate(Function function, const Windows& windows, WindowNeeds needs) {
    Columns columns;
    points_ = 0;
    const auto visit = [&](const promql::Labels& labels, promql::PointsView points) {
      points_ += points.size();
      std::vector<double>& column = columns[SeriesText(labels)];
      column.resize(windows.steps.count);
      promql::ApplyRangeFunction(function, points, windows, {}, column);
      return absl::OkStatus();
    };
    QueryControl control;
    CountedMemory counted;
    MemoryHold memory(&counted);
    StoreSource source(&reader(), {.deadline_ms = 0, .control = &control}, &memory);
    promql::Budget budget(nullptr, nullptr);
    promql::VectorSelector selector;
    selector.matchers = {{"__name__", promql::MatchOperator::kEqual, "m"}};
    EXPECT_OK(promql::SelectRange(selector, windows, needs, &source, &budget, visit));
    return columns;
  }

  void ExpectEqual(const Columns& got, const Columns& want) {
    ASSERT_EQ(got.size(), want.size());
    for (const auto& [labels, column] : want) {
      for (size_t i = 0; i < column.size(); ++i) {
        const double value = got.at(labels)[i];
        EXPECT_EQ(promql::IsNoValue(value), promql::IsNoValue(column[i])) << labels << ' ' << i;
        if (promql::IsNoValue(column[i])) continue;
        EXPECT_NEAR(value, column[i], 1e-12 * std::abs(column[i])) << labels << ' ' << i;
      }
    }
  }

  Random random_{20261128};
  size_t points_ = 0;
};

TEST_F(CondensedWindowsTest, FunctionsGiveWhatAllPointsGive) {
  std::vector<PromTestSeries> series;
  for (uint64_t i = 0; i < 6; ++i) {
    series.push_back({.labels = {{"__name__", "m"}, {"i", std::to_string(i)}}});
    // Each ten seconds, or at random; integers, or fractions, which have both signs in a series.
    for (int64_t time = kMs; time < kMs + 6 * kHourMs;
         time += 10'000 + static_cast<int64_t>(random_.Below(i % 2 == 0 ? 1 : 30'000))) {
      const double value = i < 3 ? static_cast<double>(random_.Below(1000))
                                 : random_.Fraction() - (i == 5 ? 0.5 : 0);
      series.back().samples.push_back({random_.Below(3000) == 0 ? promql::kStale : value, time});
    }
  }
  Write(series);
  ASSERT_OK(tsdb().maintenance().Seal());

  // The start of the data is a whole hour.
  static_assert(kMs % kHourMs == 0);
  const std::vector<Windows> all = {
      {.steps = {kMs + kHourMs, kHourMs, 5}, .range_ms = kHourMs},
      {.steps = {kMs + kHourMs - 1, kHourMs, 6}, .range_ms = kHourMs},
      {.steps = {kMs + 2 * kHourMs, kHourMs, 5}, .range_ms = 2 * kHourMs},
      {.steps = {kMs + 5 * kHourMs + 1'234'567, 1, 1}, .range_ms = 4 * kHourMs},
      {.steps = {kMs, 1, 3},
       .range_ms = 5 * kHourMs,
       .is_fixed = true,
       .fixed_ms = kMs + 6 * kHourMs},
      {.steps = {kMs + kHourMs, 600'000, 30}, .range_ms = kHourMs}};
  for (const Function function :
       {Function::kSumOverTime, Function::kAvgOverTime, Function::kCountOverTime,
        Function::kMinOverTime, Function::kMaxOverTime, Function::kLastOverTime,
        Function::kPresentOverTime, Function::kStddevOverTime}) {
    for (size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(testing::Message()
                   << "function " << static_cast<int>(function) << ", windows " << i);
      const Columns want = Calculate(function, all[i], WindowNeeds::kPoints);
      const size_t stored = points_;
      ExpectEqual(Calculate(function, all[i], promql::NeedsOf(function)), want);
      const bool is_condensed = function != Function::kStddevOverTime && i + 1 < all.size();
      EXPECT_EQ(points_ < stored, is_condensed);
    }
  }
}

TEST_F(CondensedWindowsTest, SeriesThatMayBeOneAreReadPointByPoint) {
  // The second is also without the label le="1" if the store has it by the default tag.
  std::vector<PromTestSeries> series = {{.labels = {{"__name__", "m"}, {"host", "a"}}},
                                        {.labels = {{"__name__", "m"}, {"le", "1"}}}};
  for (int64_t i = 0; i < 100; ++i) {
    for (PromTestSeries& one : series)
      one.samples.push_back({1, kMs + i * 1000});
  }
  Write(series);
  for (int64_t i = 0; i < 100; ++i)
    Put({"m", "host=unknown le=1", kStartS + 50 + i, 2});
  ASSERT_OK(tsdb().maintenance().Seal());
  const Windows windows{.steps = {kMs + kHourMs, 1, 1}, .range_ms = kHourMs};

  const Columns sums = Calculate(Function::kSumOverTime, windows, WindowNeeds::kSum);

  EXPECT_EQ(sums, Calculate(Function::kSumOverTime, windows, WindowNeeds::kPoints));
  EXPECT_EQ(sums.size(), 2u);
}

}  // namespace
}  // namespace hourcell::condensed_windows_test
