#include "codec/cells/integer_column.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::integer_column_test {
namespace {

using Values = std::vector<uint64_t>;

std::string Column(const Values& values) {
  std::string column;
  AppendIntegerColumn(values, &column);
  return column;
}

// Predictors by the numbers of packed_cell.h.
enum { kLine, kLevel, kChord, kDelta, kSlope, kCentred, kSecondDelta, kSmallDelta };

int PredictorOf(const Values& values) {
  return static_cast<uint8_t>(Column(values).front()) >> 5;
}

Values Series(size_t count, const std::function<int64_t(int64_t)>& value_at) {
  Values values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(static_cast<uint64_t>(value_at(static_cast<int64_t>(i))));
  return values;
}

// Noise of three bits, the same every time.
int64_t Noise(int64_t i) {
  return static_cast<int64_t>(Random(static_cast<uint64_t>(i)).Next() % 8);
}

// Decodes with the first and last value known; a following byte is not taken.
void ExpectRoundTrip(const Values& values) {
  const std::string column = Column(values) + '\x5A';
  Values decoded(values.size(), 77);
  decoded.front() = values.front();
  decoded.back() = values.back();
  std::string_view rest = column;
  IntegerTotals totals;

  ASSERT_EQ(TakeIntegerColumn(&rest, decoded, &totals), nullptr);

  EXPECT_EQ(decoded, values);
  EXPECT_EQ(rest, "\x5A");
  const auto less = [](uint64_t a, uint64_t b) {
    return static_cast<int64_t>(a) < static_cast<int64_t>(b);
  };
  const auto [min, max] = std::minmax_element(values.begin(), values.end(), less);
  EXPECT_EQ(totals.min, static_cast<int64_t>(*min));
  EXPECT_EQ(totals.max, static_cast<int64_t>(*max));
  EXPECT_EQ(totals.sum, std::accumulate(values.begin(), values.end(), uint64_t{0}));
}

TEST(IntegerColumnTest, PredictorFitsTheSeries) {
  EXPECT_EQ(PredictorOf({5}), kLine);
  EXPECT_EQ(PredictorOf({5, 9}), kLine);
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return 7 - 3 * i; })), kLine);
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return 1000 * Noise(i) + i % 2; })), kLevel);
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return 1000 * i + Noise(i); })), kChord);
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return i * i * i; })), kSecondDelta);
  int64_t walk = 0;
  EXPECT_EQ(PredictorOf(Series(99, [&](int64_t i) { return walk += Noise(i) / 3 - 1; })),
            kSmallDelta);
  EXPECT_EQ(PredictorOf(Series(99, [&](int64_t i) { return walk += 999 * (Noise(i) - 3); })),
            kDelta);
  EXPECT_EQ(PredictorOf(Series(999, [&](int64_t i) { return walk += 90000 + Noise(i); })), kSlope);
  // Ten seconds apart but for some gaps.
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return 10 * i + 77 * (i / 20); })), kCentred);
}

TEST(IntegerColumnTest, SmallWalkTakesItsEntropy) {
  int64_t walk = 0;
  // Steps of -1, 0 and 1 in 1, 2 and 1 of 4 cases: 1.5 bits.
  const Values values = Series(360, [&](int64_t i) {
    const int64_t noise = Noise(i);
    return walk += (noise & 1) + (noise >> 1 & 1) - 1;
  });
  EXPECT_LE(Column(values).size(), 360 * 1.6 / 8 + 5);
}

TEST(IntegerColumnTest, ConstantWithAFewStepsTakesAFewBytes) {
  EXPECT_LE(Column(Series(360, [](int64_t i) { return i < 100 ? 5 : 6; })).size(), 8U);
  EXPECT_EQ(Column(Series(3600, [](int64_t) { return -1; })).size(), 1U);
}

TEST(IntegerColumnTest, CommonDivisorIsTakenOut) {
  int64_t walk = 0;
  const Values small = Series(360, [&](int64_t i) { return walk += Noise(i) - 3; });
  Values large = small;
  for (uint64_t& value : large)
    value = value * 4096 + 17;
  EXPECT_LE(Column(large).size(), Column(small).size() + 4);
  ExpectRoundTrip(large);
}

TEST(IntegerColumnTest, ExtremesRoundTrip) {
  constexpr uint64_t kMin = uint64_t{1} << 63;
  constexpr uint64_t kMax = kMin - 1;
  for (const Values& values : std::vector<Values>{{0},
                                                  {kMin, kMax},
                                                  {kMin, kMax, kMin},
                                                  {kMax, kMin, kMax, 0},
                                                  {0, kMin, 0, kMin, kMin},
                                                  {0, kMin - 2, 0, kMax - 1, 0},
                                                  {~uint64_t{0}, 0, 1, kMax, kMin, kMin + 1}}) {
    ExpectRoundTrip(values);
  }
}

// A series of one of many shapes; `bits` is how wide its steps are.
Values RandomValues(Random* random) {
  const size_t count = 1 + random->Below(random->Below(4) == 0 ? 500 : 20);
  const uint64_t shape = random->Below(5);
  const uint64_t shift = random->Below(64);
  const uint64_t slope = random->Next() >> random->Below(64);
  const uint64_t factor = random->Below(2) == 0 ? 1 : random->Next() >> random->Below(64);
  uint64_t value = random->Next() >> random->Below(64);
  uint64_t delta = 0;
  Values values;
  for (size_t i = 0; i < count; ++i) {
    uint64_t noise = (random->Next() >> shift) * factor;
    if (random->Below(2) == 0) noise = 0 - noise;
    if (random->Below(50) == 0) noise = random->Next();
    delta += noise;
    value += shape == 0 ? noise : shape == 1 ? slope + noise : shape == 2 ? delta : 0;
    values.push_back(shape == 3 ? noise : shape == 4 ? i * slope + noise : value);
  }
  return values;
}

TEST(IntegerColumnTest, RandomColumnsRoundTrip) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ExpectRoundTrip(RandomValues(&random));
    if (HasFailure()) return;
  }
}

TEST(IntegerColumnTest, EveryTruncationIsRefused) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Values values = RandomValues(&random);
    const std::string column = Column(values);
    for (size_t size = 0; size < column.size(); ++size) {
      Values decoded = values;
      std::string_view rest = std::string_view(column).substr(0, size);
      IntegerTotals totals;
      EXPECT_NE(TakeIntegerColumn(&rest, decoded, &totals), nullptr);
    }
  }
}

TEST(IntegerColumnTest, AColumnCanHoldWhatWasAppended) {
  Values values(100'000, 5);
  values[50'000] = 6;
  const std::string column = Column(values);
  EXPECT_LT(column.size(), 400U);
  EXPECT_TRUE(CanHoldColumn(column.size(), values.size()));
  EXPECT_FALSE(CanHoldColumn(column.size(), 3'600'000));
}

}  // namespace
}  // namespace hourcell::integer_column_test
