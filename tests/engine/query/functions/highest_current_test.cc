#include "engine/query/functions/highest_current.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/query/result_collector.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/support/status_matchers.h"

namespace hourcell::highest_current_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A series with one point; without any at 0 ms.
struct LastPoint {
  int64_t ms = 0;
  double value = 0;
};

std::vector<std::string> Kept(size_t count, const std::vector<LastPoint>& series, size_t* peak) {
  CountedMemory memory;
  QueryResult result;
  {
    HighestCurrent function(count, &memory);
    ResultCollector out(&result);
    for (size_t i = 0; i < series.size(); ++i) {
      Span span;
      if (series[i].ms > 0) span.push_back(series[i].ms, Value::Float(series[i].value));
      const std::string name = fmt::format("{}", i);
      SeriesView view;
      view.metric = name;
      view.points = {.t = span.t, .v = span.v, .is_float = span.is_float};
      EXPECT_OK(function.Add(/*input=*/0, view, &out));
    }
    EXPECT_OK(function.Finish(&out));
  }
  EXPECT_EQ(memory.held, 0u);
  *peak = memory.peak;
  std::vector<std::string> names;
  for (const ResultSeries& one : result.series)
    names.push_back(one.metric);
  return names;
}

std::vector<std::string> NaiveKept(size_t count, const std::vector<LastPoint>& series) {
  int64_t last = 1;
  for (const LastPoint& one : series)
    last = std::max(last, one.ms);
  const auto current = [&](size_t i) {
    return series[i].ms == last && !std::isnan(series[i].value);
  };
  std::vector<size_t> order(series.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    if (current(a) != current(b)) return current(a);
    return current(a) && series[a].value > series[b].value;
  });
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(count, order.size()); ++i)
    names.push_back(fmt::format("{}", order[i]));
  return names;
}

TEST(HighestCurrentTest, KeepsWhatASortOfAllKeeps) {
  Random random(4);
  for (int round = 0; round < 500; ++round) {
    std::vector<LastPoint> series(random.Below(12));
    for (LastPoint& one : series) {
      one.ms = static_cast<int64_t>(random.Below(4));
      one.value = random.Below(5) == 0 ? kNan : static_cast<double>(random.Below(4));
    }
    const size_t count = 1 + random.Below(5);
    size_t peak = 0;
    EXPECT_EQ(Kept(count, series, &peak), NaiveKept(count, series)) << round;
  }
}

TEST(HighestCurrentTest, HoldsNoMoreThanTwiceWhatItKeeps) {
  size_t peak_of_few = 0;
  size_t peak_of_many = 0;
  const auto rising = [](size_t count) {
    std::vector<LastPoint> series(count);
    for (size_t i = 0; i < count; ++i)
      series[i] = {.ms = 5, .value = static_cast<double>(i % 7)};
    return series;
  };
  Kept(2, rising(8), &peak_of_few);
  Kept(2, rising(9), &peak_of_many);
  EXPECT_EQ(peak_of_few, peak_of_many);
}

}  // namespace
}  // namespace hourcell::highest_current_test
