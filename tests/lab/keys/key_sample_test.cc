#include "bench/lab/keys/key_sample.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/simulate/region_report.h"
#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "engine/regions/presplit/presplit.h"
#include "tests/support/status_matchers.h"

namespace hourcell::key_sample_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string RandomKey(Random* random) {
  std::string key;
  AppendBigEndian(random->Next(), 8, &key);
  return key;
}

double SumOf(const std::vector<double>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

TEST(KeySampleTest, KeepsAllKeysThatFit) {
  KeySample sample({.keys_max = 10});
  for (const char* key : {"d", "a", "c", "b"})
    sample.Add(key);

  const auto split = sample.Split(2, SmallSample::kAccept);

  ASSERT_TRUE(split.ok());
  EXPECT_THAT(split->keys, ElementsAre("c"));
  EXPECT_THAT(split->shares, ElementsAre(0.5, 0.5));
  EXPECT_DOUBLE_EQ(split->predicted_spread, std::sqrt(2.0 / 4));
}

TEST(KeySampleTest, WeighsKeys) {
  KeySample sample({.keys_max = 10});
  sample.Add("a", 10);
  sample.Add("b", 10);
  sample.Add("c", 60);
  sample.Add("d", 20);
  sample.Add("e", 0);

  const auto split = sample.Split(2, SmallSample::kAccept);

  // Below c are 20, below d 80; 50 is as near to both, and the lower is taken.
  EXPECT_THAT(split->keys, ElementsAre("c"));
  EXPECT_THAT(split->shares, ElementsAre(0.2, 0.8));
  EXPECT_EQ(sample.keys_offered(), 5u);
  EXPECT_EQ(sample.keys_kept(), 4u);
}

TEST(KeySampleTest, AHeavyKeyIsBoundedOnceOnEachSide) {
  KeySample sample({.keys_max = 1000});
  for (int i = 0; i < 100; ++i)
    sample.Add(fmt::format("k{:02}", i), i == 50 ? 900 : 1);

  const auto split = sample.Split(10, SmallSample::kAccept);

  EXPECT_THAT(split->keys, testing::Contains("k50"));
  EXPECT_THAT(split->keys, testing::Contains("k51"));
  EXPECT_TRUE(std::is_sorted(split->keys.begin(), split->keys.end()));
  EXPECT_EQ(std::adjacent_find(split->keys.begin(), split->keys.end()), split->keys.end());
  EXPECT_THAT(split->shares, SizeIs(split->keys.size() + 1));
  EXPECT_NEAR(SumOf(split->shares), 1, 1e-12);
}

TEST(KeySampleTest, OneKeyMakesOneRegion) {
  KeySample sample({.keys_max = 1000});
  for (int i = 0; i < 500; ++i)
    sample.Add("same");

  const auto split = sample.Split(4);

  ASSERT_TRUE(split.ok()) << split.status();
  EXPECT_THAT(split->keys, IsEmpty());
  EXPECT_THAT(split->shares, ElementsAre(1.0));
}

TEST(KeySampleTest, RefusesASampleTooSmall) {
  KeySample sample({.keys_max = 10'000});
  EXPECT_THAT(sample.Split(2, SmallSample::kAccept).status().message(),
              HasSubstr("got a sample of 0 keys"));
  for (int i = 0; i < 999; ++i)
    sample.Add(fmt::format("{:04}", i));

  EXPECT_THAT(
      sample.Split(10).status().message(),
      HasSubstr("expected at least 1000, for regions even to 10 %, got a sample of 999 keys"));
  EXPECT_TRUE(sample.Split(10, SmallSample::kAccept).ok());
  sample.Add("one more");
  EXPECT_TRUE(sample.Split(10).ok());
  EXPECT_THAT(sample.Split(1).status().message(), HasSubstr("expected 2 to 65536"));
}

TEST(KeySampleTest, WhatWeighsNothingLessIsSmaller) {
  KeySample sample({.keys_max = 10'000});
  for (int i = 0; i < 1000; ++i)
    sample.Add(fmt::format("{:04}", i), i == 0 ? 1'000'000 : 1);

  EXPECT_LT(sample.EffectiveSize(), 2);
  EXPECT_FALSE(sample.Split(2).ok());
}

TEST(KeySampleTest, LongKeysAreCut) {
  KeySample sample({.keys_max = 10, .key_bytes_max = 4});
  sample.Add("aaaa");
  sample.Add("bbbbbbbb");

  EXPECT_THAT(sample.Split(2, SmallSample::kAccept)->keys, ElementsAre("bbbb"));
}

TEST(KeySampleTest, ASeedGivesTheSameSample) {
  const auto split = [](uint64_t seed) {
    KeySample sample({.keys_max = 1000, .seed = seed});
    Random random(7);
    for (int i = 0; i < 20'000; ++i)
      sample.Add(RandomKey(&random));
    return sample.Split(10)->keys;
  };

  EXPECT_EQ(split(1), split(1));
  EXPECT_NE(split(1), split(2));
}

// Regions by a sample of 2,000 keys differ from each other as sqrt(R / N) says, not less and not
// more than twice that; and no more keys than these are kept.
TEST(KeySampleTest, SpreadIsAsPredicted) {
  constexpr uint32_t kRegions = 10;
  double spread = 0;
  constexpr int kSeeds = 20;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    KeySample sample({.keys_max = 2000, .seed = seed});
    Random random(seed + 100);
    for (int i = 0; i < 30'000; ++i)
      sample.Add(RandomKey(&random));
    EXPECT_EQ(sample.keys_kept(), 2000u);
    EXPECT_NEAR(sample.EffectiveSize(), 2000, 1e-6);
    const auto split = sample.Split(kRegions);
    ASSERT_TRUE(split.ok());
    std::vector<uint64_t> counts(kRegions);
    for (int i = 0; i < 100'000; ++i)
      ++counts[RegionIndexOf(split->keys, RandomKey(&random))];
    spread += SpreadOf(counts).relative_deviation / kSeeds;
  }

  const double predicted = PredictedSpread(kRegions, 2000);
  EXPECT_GT(spread, predicted / 2);
  EXPECT_LT(spread, predicted * 2);
}

// A tenth of the keys has nine tenths of the bytes: the regions are even in bytes all the same.
TEST(KeySampleTest, BytesAreBalancedThoughKeysAreNot) {
  constexpr uint32_t kRegions = 5;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    KeySample sample({.keys_max = 5000, .seed = seed});
    Random random(seed);
    std::vector<std::pair<std::string, uint64_t>> rows;
    for (int i = 0; i < 50'000; ++i) {
      std::string key = RandomKey(&random);
      const bool is_large = static_cast<uint8_t>(key[0]) < 26;
      rows.emplace_back(std::move(key), is_large ? 81 : 1);
      sample.Add(rows.back().first, rows.back().second);
    }
    const auto split = sample.Split(kRegions);
    ASSERT_TRUE(split.ok()) << split.status();
    std::vector<uint64_t> bytes(kRegions);
    for (const auto& [key, weight] : rows)
      bytes[RegionIndexOf(split->keys, key)] += weight;

    EXPECT_LT(SpreadOf(bytes).relative_deviation, 3 * split->predicted_spread);
    EXPECT_NEAR(SumOf(split->shares), 1, 1e-9);
  }
}

}  // namespace
}  // namespace hourcell::key_sample_test
