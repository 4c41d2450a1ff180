#include "server/changes/change_score.h"

#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::change_score_test {
namespace {

// 30 steps of a minute each.
constexpr ChangeTimes kTimes = {.start_ms = 1'800'000, .end_ms = 3'600'000, .step_ms = 60'000};
constexpr int kSteps = 60;

// The value of each step, `f(step)`; steps below 30 are before the range. NaN: none.
std::vector<StepValue> Line(const std::function<double(int)>& f) {
  std::vector<StepValue> line;
  for (int step = 0; step < kSteps; ++step)
    line.push_back({.ms = step * kTimes.step_ms, .value = f(step)});
  return line;
}

ChangeScore Score(const std::function<double(int)>& f) {
  return ScoreChange(Line(f), kTimes);
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Between -1 and 1, and as often up as down.
double Noise(int step) {
  return step % 2 == 0 ? std::abs(std::sin(step)) : -std::abs(std::sin(step));
}

TEST(ChangeScoreTest, AConstantSeriesScoresZero) {
  for (const double value : {0.0, 7.5, -3.0, 1e300}) {
    const ChangeScore score = Score([value](int) { return value; });
    EXPECT_EQ(score.score, 0) << value;
    EXPECT_EQ(score.before.mean, score.now.mean);
  }
}

TEST(ChangeScoreTest, AStepOfAConstantSeriesIsMeasuredByItsMean) {
  const ChangeScore score = Score([](int step) { return step < 30 ? 0.0 : 1.0; });

  EXPECT_NEAR(score.score, 100.0 * 30 / 32, 1e-9);
  EXPECT_EQ(score.type, ChangeType::kMoved);
  EXPECT_FALSE(score.is_rate);
  EXPECT_EQ(score.before.values, 30u);
  EXPECT_EQ(score.before.mean, 0);
  EXPECT_NEAR(score.now.mean, 1, 1e-12);
  EXPECT_EQ(score.line.size(), 60u);
  const ChangeScore small = Score([](int step) { return step < 30 ? 100.0 : 101.0; });
  EXPECT_LT(small.score, 1);
}

TEST(ChangeScoreTest, NoiseScoresBelowAStep) {
  const double noise = Score([](int step) { return 50 + Noise(step); }).score;
  const double moved = Score([](int step) { return (step < 30 ? 50 : 60) + Noise(step); }).score;

  EXPECT_LT(noise, 0.5);
  EXPECT_GT(moved, 5);
}

TEST(ChangeScoreTest, AStepDownScoresAsAStepUp) {
  const auto step_to = [](double before, double now) {
    return Score([=](int step) { return (step < 30 ? before : now) + Noise(step); }).score;
  };
  EXPECT_NEAR(step_to(20, 60), step_to(60, 20), 1e-9 + 0.1 * step_to(20, 60));
}

TEST(ChangeScoreTest, ADriftScoresBelowAStepOfTheSameSize) {
  const double drift = Score([](int step) { return 100 - step + Noise(step); }).score;
  const double moved = Score([](int step) { return (step < 30 ? 100 : 41) + Noise(step); }).score;

  EXPECT_GT(drift, 1);
  EXPECT_LT(drift * 5, moved);
}

TEST(ChangeScoreTest, OneSpikeBeforeHidesNoStep) {
  const auto with_spike = [](int step) {
    return step == 3 ? 500 : (step < 30 ? 2 : 40) + Noise(step);
  };
  EXPECT_GT(Score(with_spike).score, 20);
}

TEST(ChangeScoreTest, ACounterIsComparedByItsRate) {
  // 10 a second, then 25 a second.
  const ChangeScore score =
      Score([](int step) { return step < 30 ? 600.0 * step : 18'000 + 1'500.0 * (step - 30); });

  EXPECT_TRUE(score.is_rate);
  EXPECT_NEAR(score.before.mean, 10, 1e-9);
  EXPECT_NEAR(score.now.mean, 24.5, 1e-9);  // its first step is from the last one before
  EXPECT_GT(score.score, 10);
  const ChangeScore steady = Score([](int step) { return 600.0 * step; });
  EXPECT_TRUE(steady.is_rate);
  EXPECT_NEAR(steady.score, 0, 1e-9);
}

TEST(ChangeScoreTest, AResetOfACounterIsNoChange) {
  // Reset in the middle of step 40: its average is between.
  const ChangeScore score = Score([](int step) {
    if (step == 40) return 12'000.0;
    return step < 40 ? 600.0 * step : 600.0 * (step - 40);
  });

  EXPECT_TRUE(score.is_rate);
  EXPECT_NEAR(score.score, 0, 1e-6);
  EXPECT_NEAR(score.now.max, 10, 1e-9);
  EXPECT_EQ(score.line.size(), 57u);
}

TEST(ChangeScoreTest, ASeriesThatStartsOrEndsChanged) {
  const ChangeScore started = Score([](int step) { return step < 30 ? kNone : 5.0; });
  const ChangeScore ended = Score([](int step) { return step < 30 ? 5.0 : kNone; });
  const ChangeScore early = Score([](int step) { return step < 45 ? 5.0 : kNone; });

  EXPECT_EQ(started.type, ChangeType::kStarted);
  EXPECT_NEAR(started.score, 10.0 * 30 / 32, 1e-9);
  EXPECT_EQ(started.before.values, 0u);
  EXPECT_EQ(ended.type, ChangeType::kEnded);
  EXPECT_NEAR(ended.score, 10.0 * 30 / 32, 1e-9);
  EXPECT_EQ(early.type, ChangeType::kEnded);
  EXPECT_NEAR(early.score, 10.0 * 30 / 32, 1e-9);
}

TEST(ChangeScoreTest, ACounterThatStartsOrEndsChanged) {
  EXPECT_EQ(Score([](int step) { return step < 30 ? kNone : 60.0 * step; }).type,
            ChangeType::kStarted);
  EXPECT_EQ(Score([](int step) { return step < 30 ? 60.0 * step : kNone; }).type,
            ChangeType::kEnded);
}

TEST(ChangeScoreTest, AGapIsNoChange) {
  const auto f = [](int from, int to) {
    return Score([=](int step) { return step >= from && step < to ? kNone : 5.0; });
  };
  for (const ChangeScore& score : {f(10, 20), f(25, 45), f(35, 50), f(55, 60)}) {
    EXPECT_EQ(score.type, ChangeType::kMoved);
    EXPECT_EQ(score.score, 0);
  }
  // With a point each ten minutes, the series has not ended after the last one.
  EXPECT_EQ(Score([](int step) { return step % 10 == 0 ? 5.0 : kNone; }).score, 0);
}

TEST(ChangeScoreTest, FewValuesScoreLess) {
  const auto at = [](int distance) {
    return Score([=](int step) { return step % distance == 0 ? (step < 30 ? 1.0 : 2.0) : kNone; })
        .score;
  };
  EXPECT_GT(at(1), at(10));
  EXPECT_GT(at(10), at(30));
  EXPECT_GT(at(30), 0);
}

TEST(ChangeScoreTest, ValuesThatAreNotFiniteAreIgnored) {
  const double infinity = std::numeric_limits<double>::infinity();
  const ChangeScore score = Score([=](int step) {
    if (step % 7 == 0) return kNone;
    return step % 11 == 0 ? infinity : 5.0;
  });

  EXPECT_EQ(score.score, 0);
  EXPECT_EQ(score.now.max, 5);
  EXPECT_EQ(Score([](int) { return kNone; }).score, 0);
  EXPECT_EQ(ScoreChange({}, kTimes).score, 0);
}

TEST(ChangeScoreTest, HugeValuesOverflowNoSum) {
  const ChangeScore score = Score([](int step) { return step % 2 == 0 ? 1.7e308 : -1.7e308; });
  const ChangeScore moved = Score([](int step) { return step < 30 ? 1.7e308 : -1.7e308; });

  EXPECT_TRUE(std::isfinite(score.before.mean));
  EXPECT_TRUE(std::isfinite(score.score));
  EXPECT_EQ(moved.score, kChangeScoreMax);
  EXPECT_TRUE(std::isfinite(moved.now.mean));
}

TEST(ChangeScoreTest, EachScoreIsFiniteAndInItsRange) {
  Random random(20261127);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<StepValue> line;
    const uint64_t holes = 1 + random.Below(6);
    const double size = std::pow(10, static_cast<double>(random.Below(600)) - 300);
    for (int step = 0; step < kSteps; ++step) {
      if (random.Below(holes) != 0) continue;
      const double value = (static_cast<double>(random.Below(2'000)) - 1'000) * size;
      line.push_back({.ms = step * kTimes.step_ms, .value = value});
    }
    const size_t values = line.size();
    const ChangeScore score = ScoreChange(std::move(line), kTimes);
    EXPECT_GE(score.score, 0);
    EXPECT_LE(score.score, kChangeScoreMax);
    EXPECT_TRUE(std::isfinite(score.before.mean) && std::isfinite(score.now.mean));
    EXPECT_EQ(score.before.values + score.now.values, score.line.size());
    EXPECT_LE(score.line.size(), values);
  }
}

}  // namespace
}  // namespace hourcell::change_score_test
