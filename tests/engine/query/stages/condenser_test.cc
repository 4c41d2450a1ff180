#include "engine/query/stages/condenser.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "codec/limits.h"
#include "codec/value.h"
#include "engine/query/stages/downsampler.h"

namespace hourcell::condenser_test {
namespace {

using Needs = WindowSpec::Needs;

constexpr int64_t kHourMs = kQualifierSpanMs;

void Push(uint32_t offset_ms, Value value, CellColumns* columns) {
  columns->offset_ms.push_back(offset_ms);
  columns->bits.push_back(value.is_integer() ? static_cast<uint64_t>(value.integer())
                                             : std::bit_cast<uint64_t>(value.floating()));
  const int precision = offset_ms % 1000 == 0 ? 0 : CellColumns::kMsPrecision;
  columns->flags.push_back(static_cast<uint8_t>(ValueFlags(value) | precision));
}

// The values of a row's points, of one kind.
enum class Values : uint8_t { kIntegers, kPositive, kNegative };

CellColumns RowOf(Values values, size_t size, Random* random) {
  std::vector<uint32_t> offsets;
  for (size_t i = 0; i < size; ++i)
    offsets.push_back(static_cast<uint32_t>(random->Below(kQualifierSpanMs)));
  // Windows often begin and end at whole hours.
  if (random->Below(2) == 0) offsets.push_back(0);
  if (random->Below(2) == 0) offsets.push_back(kQualifierSpanMs - 1);
  std::ranges::sort(offsets);
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  CellColumns columns;
  for (const uint32_t offset : offsets) {
    const double sign = values == Values::kNegative ? -1 : 1;
    const Value value = values == Values::kIntegers
                            ? Value::Integer(static_cast<int64_t>(random->Below(2001)) - 1000)
                            : Value::Float(sign * random->Fraction());
    Push(offset, value, &columns);
  }
  return columns;
}

// What the functions of a window depend on.
struct WindowFacts {
  uint64_t count = 0;
  double sum = 0;
  double min = INFINITY;
  double max = -INFINITY;
  std::string ends;
};

WindowFacts FactsOf(const Span& span, const WindowSpec& windows, size_t window) {
  const int64_t end_ms = windows.first_end_ms + static_cast<int64_t>(window) * windows.step_ms;
  WindowFacts facts;
  std::string last;
  for (size_t i = 0; i < span.size(); ++i) {
    if (span.t[i] < end_ms - windows.range_ms || span.t[i] > end_ms) continue;
    facts.count += span.weights.empty() ? 1 : span.weights[i];
    facts.sum += span.ToDouble(i);
    facts.min = std::min(facts.min, span.ToDouble(i));
    facts.max = std::max(facts.max, span.ToDouble(i));
    last = fmt::format("{}@{}", span.ToDouble(i), span.t[i]);
    if (facts.ends.empty()) facts.ends = last + " to ";
  }
  facts.ends += last;
  return facts;
}

class CondenserTest : public testing::Test {
 protected:
  // Rows of some hours, as they are and condensed.
  void AddRows(const WindowSpec& windows, Values values) {
    QueryRange range{.start_ms = 0, .end_ms = 10 * kHourMs, .scan = {}};
    const auto points = MakeSpanBuilder(std::nullopt, range);
    range.windows = windows;
    const auto condensed = MakeSpanBuilder(std::nullopt, range);
    for (int64_t hour = 0; hour < 10; ++hour) {
      const CellColumns columns = RowOf(values, random_.Below(40) + 1, &random_);
      const auto summary = Summarize(columns);
      points->AddRow(hour * kHourMs, columns, 0, columns.size());
      if (summary.has_value() && random_.Below(8) != 0 &&
          condensed->AddSummary(hour * kHourMs, *summary)) {
        ++rows_condensed_;
      } else {
        condensed->AddRow(hour * kHourMs, columns, 0, columns.size());
      }
    }
    points_ = points->Finish();
    condensed_ = condensed->Finish();
  }

  void ExpectEqualWindows(const WindowSpec& windows) const {
    for (size_t i = 0; i < windows.count; ++i) {
      const WindowFacts want = FactsOf(points_, windows, i);
      const WindowFacts got = FactsOf(condensed_, windows, i);
      EXPECT_EQ(got.ends, want.ends) << "window " << i;
      if (windows.needs == Needs::kEnds) continue;
      EXPECT_EQ(got.count, want.count) << "window " << i;
      const double tolerance = windows.needs == Needs::kSum ? 1e-12 * std::abs(want.sum) : INFINITY;
      EXPECT_NEAR(got.sum, want.sum, tolerance) << "window " << i;
      EXPECT_TRUE(windows.needs != Needs::kMin || got.min == want.min) << "window " << i;
      EXPECT_TRUE(windows.needs != Needs::kMax || got.max == want.max) << "window " << i;
    }
  }

  Random random_{20261128};
  Span points_;
  Span condensed_;
  size_t rows_condensed_ = 0;
};

TEST_F(CondenserTest, WindowsHaveTheSameFunctions) {
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(round);
    WindowSpec windows{.needs = static_cast<Needs>(round % 4),
                       .step_ms = kHourMs * static_cast<int64_t>(1 + random_.Below(3)),
                       .count = 1 + random_.Below(6),
                       .range_ms = kHourMs * static_cast<int64_t>(random_.Below(4))};
    windows.first_end_ms = kHourMs * static_cast<int64_t>(random_.Below(5));
    // Whole hours, the millisecond before, and any times.
    if (round % 3 == 1) windows.first_end_ms -= 1;
    if (round % 3 == 2) {
      windows.first_end_ms += static_cast<int64_t>(random_.Below(kHourMs));
      windows.range_ms += static_cast<int64_t>(random_.Below(kHourMs));
    }
    AddRows(windows, static_cast<Values>(round % 5 % 3));
    ExpectEqualWindows(windows);
  }
  EXPECT_GT(rows_condensed_, 2000u);
}

TEST_F(CondenserTest, ADividedRowStaysAsItIs) {
  // One window, from 1,000 to 2,000 ms.
  const WindowSpec one{.first_end_ms = 2000, .range_ms = 1000};
  EXPECT_TRUE(IsDivided(one, 500, 1500));
  EXPECT_TRUE(IsDivided(one, 1500, 2500));
  EXPECT_FALSE(IsDivided(one, 1000, 2000));
  EXPECT_FALSE(IsDivided(one, 0, 1000)) << "the last point alone is in it";
  EXPECT_FALSE(IsDivided(one, 2000, 9000)) << "the first point alone is in it";
  EXPECT_FALSE(IsDivided(one, 2001, 9000));

  // Five windows, the last one from 9,000 to 10,000 ms.
  const WindowSpec five{.first_end_ms = 2000, .step_ms = 2000, .count = 5, .range_ms = 1000};
  EXPECT_TRUE(IsDivided(five, 8500, 9500));
  EXPECT_TRUE(IsDivided(five, 9999, 10'001));
  EXPECT_FALSE(IsDivided(five, 10'000, 90'000));
  EXPECT_FALSE(IsDivided(five, 8000, 9000));
}

TEST_F(CondenserTest, ARowIsThreePointsWithWeights) {
  CellColumns columns;
  for (uint32_t i = 0; i < 100; ++i)
    Push(i * 1000, Value::Integer(i), &columns);
  const auto summary = Summarize(columns);
  ASSERT_TRUE(summary.has_value());
  Span span;
  span.push_back(1, Value::Integer(7));  // of a row before

  ASSERT_TRUE(AppendCondensed({.first_end_ms = 2 * kHourMs, .range_ms = 2 * kHourMs}, kHourMs,
                              *summary, &span));

  EXPECT_EQ(span.t, (std::vector<int64_t>{1, kHourMs, kHourMs + 1, kHourMs + 99'000}));
  EXPECT_EQ(span.weights, (std::vector<uint32_t>{1, 1, 98, 1}));
  EXPECT_EQ(span.is_float, (std::vector<uint8_t>{1, 1, 1, 1}));
  EXPECT_EQ(span.ToDouble(0), 7);
  EXPECT_EQ(span.ToDouble(2), 4950 - 99);
}

TEST_F(CondenserTest, ASumThatMayBeInexactIsNotUsed) {
  const auto condenses = [](Needs needs, const std::vector<double>& values) {
    CellColumns columns;
    for (uint32_t i = 0; i < 100; ++i)
      Push(i, Value::Float(values[i % values.size()]), &columns);
    Span span;
    const bool condensed =
        AppendCondensed({.needs = needs, .first_end_ms = kHourMs, .range_ms = kHourMs}, 0,
                        *Summarize(columns), &span);
    EXPECT_EQ(condensed, !span.empty());
    return condensed;
  };

  EXPECT_TRUE(condenses(Needs::kSum, {0.1, 0.25, 3e200}));
  EXPECT_TRUE(condenses(Needs::kSum, {-0.1, -0.25}));
  EXPECT_FALSE(condenses(Needs::kSum, {1e16, 0.1, -1e16})) << "values cancel each other";
  EXPECT_TRUE(condenses(Needs::kMax, {1e16, 0.1, -1e16}));
  EXPECT_FALSE(condenses(Needs::kSum, {1e301, 1e307})) << "the sum may be infinite";
  EXPECT_TRUE(condenses(Needs::kEnds, {1e301, 1e307}));
}

TEST_F(CondenserTest, ASumOfIntegersThatOverflowsIsNotUsed) {
  const auto condenses = [](int64_t value) {
    CellColumns columns;
    for (uint32_t i = 0; i < 100; ++i)
      Push(i, Value::Integer(value), &columns);
    Span span;
    return AppendCondensed({.first_end_ms = kHourMs, .range_ms = kHourMs}, 0, *Summarize(columns),
                           &span);
  };

  EXPECT_TRUE(condenses(90'000'000'000'000'000));
  EXPECT_FALSE(condenses(1'700'000'000'000'000'000)) << "a time in nanoseconds";
  EXPECT_FALSE(condenses(-1'700'000'000'000'000'000));
}

TEST_F(CondenserTest, ThreePointsStayAsTheyAre) {
  CellColumns columns;
  for (uint32_t i = 0; i < 3; ++i)
    Push(i, Value::Float(0.1), &columns);
  Span span;
  EXPECT_FALSE(AppendCondensed({.first_end_ms = kHourMs, .range_ms = kHourMs}, 0,
                               *Summarize(columns), &span));
}

TEST_F(CondenserTest, ShortStepsDivideEachRow) {
  EXPECT_FALSE(MayBeUndivided({.step_ms = 60'000, .count = 2}));
  EXPECT_TRUE(MayBeUndivided({.step_ms = kHourMs, .count = 2}));
  EXPECT_TRUE(MayBeUndivided({.step_ms = 1, .count = 1}));
}

}  // namespace
}  // namespace hourcell::condenser_test
