#include "codec/histograms/exponential_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "tests/support/status_matchers.h"

namespace hourcell::exponential_histogram_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string BytesOfExponential(const ExponentialHistogram& histogram) {
  std::string bytes;
  AppendExponentialHistogram(histogram, &bytes);
  return bytes;
}

std::string FaultOfExponential(const ExponentialHistogram& histogram) {
  return std::string(CheckExponentialHistogram(histogram).message());
}

// The bucket of a positive value by the definition: base^index < value <= base^(index+1).
int32_t IndexOfValue(int scale, double value) {
  auto index = static_cast<int32_t>(std::ceil(std::ldexp(std::log2(value), scale))) - 1;
  while (ExponentialBound(scale, index) >= value)
    --index;
  while (ExponentialBound(scale, int64_t{index} + 1) < value)
    ++index;
  return index;
}

// The histogram that a client makes of values.
ExponentialHistogram HistogramOfValues(int scale,
                                       double zero_threshold,
                                       const std::vector<double>& values) {
  ExponentialHistogram histogram{.scale = scale, .zero_threshold = zero_threshold};
  std::map<int32_t, ExponentialCount> positive;
  std::map<int32_t, ExponentialCount> negative;
  double sum = 0;
  for (const double value : values) {
    sum += value;
    if (std::abs(value) <= zero_threshold) {
      ++histogram.zero_count;
    } else {
      ++(value > 0 ? positive : negative)[IndexOfValue(scale, std::abs(value))];
    }
  }
  histogram.count = static_cast<ExponentialCount>(values.size());
  histogram.sum = sum;
  for (const auto& [index, count] : positive)
    histogram.positive.push_back({index, count});
  for (const auto& [index, count] : negative)
    histogram.negative.push_back({index, count});
  return histogram;
}

ExponentialHistogram Example() {
  return {.scale = 0,
          .is_cumulative = true,
          .zero_count = 1,
          .count = 6,
          .sum = 10.5,
          .positive = {{0, 2}, {1, 3}}};
}

ExponentialHistogram WithEverything() {
  return {.scale = -3,
          .has_float_counts = true,
          .is_cumulative = true,
          .begins_anew = true,
          .zero_threshold = 0x1p-128,
          .zero_count = 0.5,
          .count = 1e18,
          .sum = -1,
          .min = -5,
          .max = 7,
          .positive = {{-7, 1.5}, {-6, 0.25}, {1000, 3}},
          .negative = {{-2'147'483'647 - 1, 1}, {2'147'483'647, 2}}};
}

std::vector<double> BoundsFrom(int scale, int64_t first, int64_t last) {
  std::vector<double> bounds;
  for (int64_t index = first; index <= last; ++index)
    bounds.push_back(ExponentialBound(scale, index));
  return bounds;
}

// Bounds of OpenTelemetry's data model, "Exponential Scale" and "Exponential Buckets".
TEST(ExponentialHistogramTest, BoundsAreThoseOfOpenTelemetrysDataModel) {
  EXPECT_THAT(BoundsFrom(0, -2, 3), ElementsAre(0.25, 0.5, 1, 2, 4, 8));
  EXPECT_THAT(BoundsFrom(-1, -1, 2), ElementsAre(0.25, 1, 4, 16));
  EXPECT_THAT(BoundsFrom(-2, -1, 2), ElementsAre(1.0 / 16, 1, 16, 256));
  const std::vector<double> of_3 = {1,       1.09051, 1.18921, 1.29684, 1.41421,
                                    1.54221, 1.68179, 1.83401, 2};
  const std::vector<double> bounds = BoundsFrom(3, 0, 8);
  ASSERT_EQ(bounds.size(), of_3.size());
  for (size_t i = 0; i < of_3.size(); ++i)
    EXPECT_NEAR(bounds[i], of_3[i], 5e-6) << i;
  EXPECT_NEAR(ExponentialBound(10, 1), 1.00068, 5e-6);
  EXPECT_EQ(ExponentialBound(-11, 1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(ExponentialBound(-11, -1), 0);
  EXPECT_EQ(ExponentialBound(20, int64_t{1} << 20), 2);
}

TEST(ExponentialHistogramTest, TheErrorIsThatOfTheBase) {
  EXPECT_NEAR(ExponentialErrorOf(0), 1.0 / 3, 1e-15);
  EXPECT_NEAR(ExponentialErrorOf(-1), 3.0 / 5, 1e-15);
  for (int scale = kExponentialScaleMin; scale <= kExponentialScaleMax; ++scale) {
    const long double base = std::exp2(std::ldexp(1.0L, -scale));
    const long double error = std::isinf(base) ? 1 : (base - 1) / (base + 1);
    EXPECT_NEAR(ExponentialErrorOf(scale), static_cast<double>(error), 1e-15) << scale;
  }
}

TEST(ExponentialHistogramTest, HasTheBytesOfItsHeader) {
  EXPECT_EQ(ToHex(BytesOfExponential(Example())),
            "12000000000000000000010640250000000000000100020203"
            "00");
  EXPECT_EQ(ToHex(BytesOfExponential(WithEverything())),
            "3ffd"                              // all flags, scale -3
            "37f0000000000000"                  // zero threshold
            "3fe0000000000000"                  // zero count
            "43abc16d674ec800"                  // count
            "bff0000000000000"                  // sum
            "c014000000000000401c000000000000"  // minimum, maximum
            "020d02"                            // two spans; -7, two buckets
            "3ff80000000000003fd0000000000000"
            "ed07014008000000000000"  // 1,005 empty buckets, then one
            "02ffffffff0f01"
            "3ff0000000000000"
            "feffffff0f01"
            "4000000000000000");
}

TEST(ExponentialHistogramTest, BytesGiveTheHistogramBack) {
  const uint64_t seed = 20261127;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  EXPECT_THAT(ParseExponentialHistogram(BytesOfExponential(Example())), IsOkAndHolds(Example()));
  EXPECT_THAT(ParseExponentialHistogram(BytesOfExponential(WithEverything())),
              IsOkAndHolds(WithEverything()));
  for (int round = 0; round < 200; ++round) {
    ExponentialHistogram histogram{.has_float_counts = random.Below(2) == 0};
    histogram.scale = kExponentialScaleMin + static_cast<int>(random.Below(32));
    for (std::vector<ExponentialBucket>* buckets : {&histogram.positive, &histogram.negative}) {
      auto index = static_cast<int32_t>(random.Below(2000)) - 1000;
      for (uint64_t left = random.Below(40); left > 0; --left) {
        const auto count = static_cast<ExponentialCount>(random.Next() >> random.Below(64));
        const bool is_float = histogram.has_float_counts;
        buckets->push_back({index, is_float               ? static_cast<double>(count / 3 + 1)
                                   : count + 1 == 0x1p64L ? count
                                                          : count + 1});
        index += 1 + static_cast<int32_t>(random.Below(3));
      }
    }
    const auto again = ParseExponentialHistogram(BytesOfExponential(histogram));
    ASSERT_TRUE(again.ok()) << again.status() << " in round " << round;
    EXPECT_EQ(*again, histogram) << round;
  }
}

TEST(ExponentialHistogramTest, CountsHave64BitsWithoutLoss) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  ExponentialHistogram histogram{.count = static_cast<ExponentialCount>(kMost)};
  histogram.positive = {{0, static_cast<ExponentialCount>(kMost - 1)}};
  const auto again = ParseExponentialHistogram(BytesOfExponential(histogram));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(static_cast<uint64_t>(again->positive[0].count), kMost - 1);

  ExponentialHistogram sum = histogram;
  AddExponentialHistogram(histogram, &sum);
  EXPECT_EQ(static_cast<uint64_t>(sum.count), kMost);
  EXPECT_EQ(static_cast<uint64_t>(sum.positive[0].count), kMost);
}

TEST(ExponentialHistogramTest, EveryTruncationAndEveryAddedByteIsRefused) {
  for (const ExponentialHistogram& histogram : {Example(), WithEverything()}) {
    const std::string bytes = BytesOfExponential(histogram);
    for (size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(ParseExponentialHistogram(bytes.substr(0, size)).ok()) << size;
    EXPECT_FALSE(ParseExponentialHistogram(bytes + '\0').ok());
  }
}

// A flipped bit gives a refusal, or a histogram that encodes and sums.
TEST(ExponentialHistogramTest, EveryFlippedBitIsRefusedOrIsAnotherHistogram) {
  for (const ExponentialHistogram& histogram : {Example(), WithEverything()}) {
    const std::string bytes = BytesOfExponential(histogram);
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      const auto parsed = ParseExponentialHistogram(damaged);
      if (!parsed.ok()) continue;
      EXPECT_NE(*parsed, histogram) << bit;
      EXPECT_EQ(BytesOfExponential(*parsed),
                BytesOfExponential(*ParseExponentialHistogram(BytesOfExponential(*parsed))))
          << bit;
      ExponentialHistogram sum = *parsed;
      AddExponentialHistogram(histogram, &sum);
      EXPECT_FALSE(std::isnan(ExponentialPercentile(sum, 50)) && !parsed->min && !parsed->max)
          << bit;
    }
  }
}

TEST(ExponentialHistogramTest, FaultsAreNamed) {
  const auto with = [](auto change) {
    ExponentialHistogram histogram = Example();
    change(&histogram);
    return FaultOfExponential(histogram);
  };
  EXPECT_EQ(FaultOfExponential(Example()), "");
  EXPECT_THAT(with([](auto* h) { h->scale = 21; }), HasSubstr("a scale of -11 to 20, got 21"));
  EXPECT_THAT(with([](auto* h) { h->zero_threshold = -1; }), HasSubstr("threshold of 0 or more"));
  EXPECT_THAT(with([](auto* h) { h->zero_threshold = NAN; }), HasSubstr("got nan"));
  EXPECT_THAT(with([](auto* h) { h->count = -1; }), HasSubstr("a count of 0 or more, got -1"));
  EXPECT_THAT(with([](auto* h) { h->zero_count = 0.5; }), HasSubstr("got 0.5"));
  EXPECT_THAT(with([](auto* h) { h->positive[1].count = 0; }),
              HasSubstr("bucket 1: expected a count above 0, got 0"));
  EXPECT_THAT(with([](auto* h) { h->positive[1].index = 0; }),
              HasSubstr("bucket 0: expected one above 0"));
  EXPECT_THAT(with([](auto* h) {
                h->negative.clear();
                for (int i = 0; i < 40'000; ++i)
                  h->negative.push_back({i, 1});
              }),
              HasSubstr("at most 32767 buckets, got 40002"));
  const std::string gap =
      "1200000000000000000001064025000000000000020001020001"
      "0300";
  EXPECT_THAT(std::string(ParseExponentialHistogram(*FromHex(gap)).status().message()),
              HasSubstr("a gap between spans, got 0"));
}

TEST(ExponentialHistogramTest, ALowerScaleJoinsPairsOfBuckets) {
  ExponentialHistogram histogram{
      .scale = 1, .positive = {{-2, 1}, {-1, 2}, {0, 4}, {1, 8}, {2, 16}}, .negative = {{-1, 3}}};
  CoarsenExponentialHistogram(0, 0, &histogram);
  EXPECT_EQ(histogram.scale, 0);
  EXPECT_THAT(histogram.positive, ElementsAre(ExponentialBucket{-1, 3}, ExponentialBucket{0, 12},
                                              ExponentialBucket{1, 16}));
  EXPECT_THAT(histogram.negative, ElementsAre(ExponentialBucket{-1, 3}));
}

TEST(ExponentialHistogramTest, AHigherZeroThresholdTakesTheBucketsBelowIt) {
  ExponentialHistogram sum{
      .scale = 0, .zero_count = 1, .positive = {{-3, 1}, {-2, 2}, {-1, 4}, {0, 8}}};
  AddExponentialHistogram({.scale = 0, .zero_threshold = 0.3, .zero_count = 10}, &sum);
  EXPECT_EQ(sum.zero_threshold, 0.5) << "the bound above 0.3";
  EXPECT_EQ(sum.zero_count, 14);
  EXPECT_THAT(sum.positive, ElementsAre(ExponentialBucket{-1, 4}, ExponentialBucket{0, 8}));
}

ExponentialHistogram RandomHistogram(Random* random) {
  ExponentialHistogram histogram{.scale = static_cast<int>(random->Below(12)) - 4,
                                 .has_float_counts = random->Below(3) == 0};
  if (random->Below(2) == 0) histogram.zero_threshold = std::exp2(random->Fraction() * 12 - 8);
  histogram.zero_count = static_cast<ExponentialCount>(random->Below(100));
  histogram.sum = static_cast<double>(random->Below(1000));
  histogram.min = random->Fraction();
  histogram.max = random->Fraction() + 1;
  for (std::vector<ExponentialBucket>* buckets : {&histogram.positive, &histogram.negative}) {
    auto index = static_cast<int32_t>(std::ldexp(random->Fraction() * 16 - 8, histogram.scale));
    for (uint64_t left = random->Below(30); left > 0; --left) {
      buckets->push_back({index, static_cast<ExponentialCount>(1 + random->Below(100))});
      index += 1 + static_cast<int32_t>(random->Below(4));
    }
  }
  return histogram;
}

TEST(ExponentialHistogramTest, ASumDoesNotDependOnTheOrderOrTheGrouping) {
  const uint64_t seed = 20261128;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  for (int round = 0; round < 500; ++round) {
    const ExponentialHistogram a = RandomHistogram(&random);
    const ExponentialHistogram b = RandomHistogram(&random);
    const ExponentialHistogram c = RandomHistogram(&random);
    ExponentialHistogram left = a;
    AddExponentialHistogram(b, &left);
    AddExponentialHistogram(c, &left);
    ExponentialHistogram right = c;
    AddExponentialHistogram(b, &right);
    AddExponentialHistogram(a, &right);
    ExponentialHistogram outer = c;
    AddExponentialHistogram(a, &outer);
    AddExponentialHistogram(b, &outer);
    ASSERT_EQ(left, right) << round;
    ASSERT_EQ(left, outer) << round;
  }
}

// The sum of histograms is the histogram of all values.
TEST(ExponentialHistogramTest, ASumIsTheHistogramOfAllValues) {
  const uint64_t seed = 20261129;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> all;
    ExponentialHistogram sum{.scale = kExponentialScaleMax, .sum = 0.0};
    int lowest = kExponentialScaleMax;
    for (int part = 0; part < 4; ++part) {
      std::vector<double> values;
      for (int i = 0; i < 100; ++i)
        values.push_back(std::exp2(random.Fraction() * 20 - 10) * (random.Below(4) == 0 ? -1 : 1));
      const int scale = static_cast<int>(random.Below(11)) - 4;
      lowest = std::min(lowest, scale);
      AddExponentialHistogram(HistogramOfValues(scale, 0, values), &sum);
      all.insert(all.end(), values.begin(), values.end());
    }
    ExponentialHistogram expected = HistogramOfValues(lowest, 0, all);
    expected.sum = sum.sum;
    EXPECT_EQ(sum, expected) << round;
  }
}

TEST(ExponentialHistogramTest, PercentilesAreWithinTheErrorOfTheScale) {
  const uint64_t seed = 20261130;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  for (int scale = -4; scale <= kExponentialScaleMax; ++scale) {
    std::vector<double> values(1000);
    for (double& value : values) {
      value = std::exp2(random.Fraction() * 40 - 20);
      if (random.Below(5) == 0) value = -value;
      if (random.Below(20) == 0) value = 0;
    }
    const ExponentialHistogram histogram = HistogramOfValues(scale, 0, values);
    std::ranges::sort(values);
    // Rounding of logarithms adds less than this part of the bound.
    const double bound = ExponentialErrorOf(scale) * (1 + 1e-6);
    for (const double percentile :
         {0.0, 0.1, 1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 100.0}) {
      const auto rank = static_cast<size_t>(std::max(1.0, std::ceil(percentile * 10 - 1e-9)));
      const double exact = values[rank - 1];
      const double got = ExponentialPercentile(histogram, percentile);
      EXPECT_LE(std::abs(got - exact), bound * std::abs(exact))
          << percentile << " at scale " << scale << ": " << got << " for " << exact;
    }
  }
}

TEST(ExponentialHistogramTest, PercentilesStayWithinTheMinimumAndTheMaximum) {
  ExponentialHistogram histogram{.scale = 0, .positive = {{0, 1}, {3, 1}}};
  EXPECT_DOUBLE_EQ(ExponentialPercentile(histogram, 50), 4.0 / 3);
  EXPECT_DOUBLE_EQ(ExponentialPercentile(histogram, 100), 32.0 / 3);
  histogram.min = 1.75;
  histogram.max = 9;
  EXPECT_EQ(ExponentialPercentile(histogram, 50), 1.75);
  EXPECT_EQ(ExponentialPercentile(histogram, 100), 9);
  EXPECT_EQ(ExponentialPercentile({}, 50), 0);
}

TEST(ExponentialHistogramTest, AnIncreaseIsTheHistogramOfTheValuesInBetween) {
  ExponentialHistogram now{.scale = 1,
                           .is_cumulative = true,
                           .zero_count = 5,
                           .count = 20,
                           .sum = 9,
                           .min = 1,
                           .max = 2,
                           .positive = {{0, 10}, {1, 5}}};
  const ExponentialHistogram before{.scale = 0,
                                    .is_cumulative = true,
                                    .zero_count = 2,
                                    .count = 8,
                                    .sum = 4,
                                    .positive = {{0, 6}}};
  SubtractExponentialHistogram(before, &now);
  EXPECT_EQ(now, (ExponentialHistogram{.scale = 0,
                                       .is_cumulative = true,
                                       .zero_count = 3,
                                       .count = 12,
                                       .sum = 5,
                                       .positive = {{0, 9}}}));
}

TEST(ExponentialHistogramTest, AProcessThatBeganAgainCountsWhole) {
  const ExponentialHistogram before{
      .is_cumulative = true, .count = 8, .positive = {{0, 6}, {2, 2}}};
  const ExponentialHistogram fewer{.is_cumulative = true, .count = 9, .positive = {{0, 9}}};
  ExponentialHistogram now = fewer;
  SubtractExponentialHistogram(before, &now);
  EXPECT_EQ(now, fewer) << "bucket 2 went away";
  ExponentialHistogram anew = before;
  anew.begins_anew = true;
  SubtractExponentialHistogram(before, &anew);
  EXPECT_EQ(anew.count, 8);
}

}  // namespace
}  // namespace hourcell::exponential_histogram_test
