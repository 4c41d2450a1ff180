#include "engine/regions/split/load_sampler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::load_sampler_test {
namespace {

using testing::HasSubstr;

constexpr uint64_t kSeed = 20240531;

std::string Key(uint64_t number) {
  return fmt::format("k{:04}", number);
}

// 2,000 requests/s for 20 s, the i-th for the key of key_of(i).
template <typename KeyOf>
LoadVerdict Judged(const KeyOf& key_of, double rate_min = 1'000) {
  LoadSampler sampler({.requests_per_s_min = rate_min}, kSeed);
  constexpr uint64_t kRequests = 40'000;
  for (uint64_t i = 0; i < kRequests; ++i)
    sampler.RecordKey(i / 2, key_of(i));
  return sampler.Judge(kRequests / 2 - 1, "");
}

TEST(LoadScoreTest, SaysWhyAKeyIsNotThePoint) {
  const LoadSettings settings;

  EXPECT_EQ(ScoreOf({.left = 50, .right = 49}, settings).why, "99 observations; expected 100");
  EXPECT_EQ(ScoreOf({.left = 80, .right = 20}, settings).why,
            "imbalance 0.60; expected below 0.25");
  EXPECT_EQ(ScoreOf({.left = 50, .right = 50, .contained = 100}, settings).why,
            "0.50 of the requests span it; expected below 0.50");
  EXPECT_TRUE(ScoreOf({.left = 50, .right = 50}, settings).is_eligible);
}

TEST(LoadSamplerTest, CutsUniformRequestsInHalf) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);

  const LoadVerdict verdict = Judged([&](uint64_t) { return Key(random.Below(1'000)); });

  EXPECT_GT(verdict.point, Key(350)) << verdict.reason;
  EXPECT_LT(verdict.point, Key(650));
  EXPECT_EQ(verdict.hot_key, "");
  EXPECT_EQ(verdict.requests_per_s, 2'000);
}

TEST(LoadSamplerTest, CutsWhereTheRequestsAreNotWhereTheKeysAre) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);

  // Nine tenths of the requests go to a hundredth of the keys.
  const LoadVerdict verdict = Judged([&](uint64_t) {
    return Key(random.Below(10) == 0 ? random.Below(10'000) : 9'000 + random.Below(100));
  });

  EXPECT_GT(verdict.point, Key(9'000)) << verdict.reason;
  EXPECT_LT(verdict.point, Key(9'100));
}

TEST(LoadSamplerTest, TwoHotKeysEndInTwoRegions) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);

  const LoadVerdict verdict = Judged([](uint64_t i) { return i % 2 == 0 ? Key(3) : Key(7); });

  EXPECT_EQ(verdict.point, Key(7)) << verdict.reason;
}

TEST(LoadSamplerTest, OneHotKeyIsRefusedAndNamed) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);

  const LoadVerdict verdict =
      Judged([&](uint64_t) { return random.Below(5) == 0 ? Key(random.Below(1'000)) : Key(500); });

  EXPECT_EQ(verdict.point, "");
  EXPECT_EQ(verdict.hot_key, Key(500));
  EXPECT_THAT(verdict.reason, HasSubstr("one key, k0500, has most of the requests"));
}

TEST(LoadSamplerTest, NoMajorityMeansNoHotKey) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);

  // The vote has a winner in every stream, also where no key has more than a third.
  const LoadVerdict verdict = Judged([](uint64_t i) { return Key(i % 3); });

  EXPECT_EQ(verdict.hot_key, "");
}

TEST(LoadSamplerTest, TheRegionsStartIsNoPoint) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  LoadSampler sampler({.requests_per_s_min = 100}, kSeed);
  for (uint64_t i = 0; i < 40'000; ++i)
    sampler.RecordKey(i / 2, i % 2 == 0 ? "a" : "m");

  EXPECT_EQ(sampler.Judge(19'999, "a").point, "m");
  EXPECT_EQ(sampler.Judge(19'999, "m").point, "");
}

TEST(LoadSamplerTest, ScansAcrossAKeySpeakAgainstIt) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  LoadSampler sampler({.requests_per_s_min = 100}, kSeed);
  for (uint64_t i = 0; i < 40'000; ++i)
    sampler.RecordRange(i / 2, Key(i % 7), "");

  const LoadVerdict verdict = sampler.Judge(19'999, "");

  EXPECT_EQ(verdict.point, "");
  EXPECT_THAT(verdict.reason, HasSubstr("no key divides the requests"));
}

TEST(LoadSamplerTest, RangesCountOnTheSideOnWhichTheyEnd) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  LoadSampler sampler({.requests_per_s_min = 100}, kSeed);
  for (uint64_t i = 0; i < 40'000; ++i)
    sampler.RecordRange(i / 2, i % 2 == 0 ? "a" : "m", i % 2 == 0 ? "m" : "z");

  EXPECT_EQ(sampler.Judge(19'999, "a").point, "m");
}

TEST(LoadSamplerTest, BelowTheRateItDoesNotSample) {
  const LoadVerdict verdict = Judged([](uint64_t i) { return Key(i % 100); }, 5'000);

  EXPECT_EQ(verdict.point, "");
  EXPECT_EQ(verdict.reason, "2000 requests/s; expected 5000");
}

TEST(LoadSamplerTest, WatchesForAWhileFirst) {
  LoadSampler sampler({.requests_per_s_min = 100}, kSeed);
  for (uint64_t i = 0; i < 10'000; ++i)
    sampler.RecordKey(i / 2, Key(i % 100));

  EXPECT_EQ(sampler.Judge(5'000, "").reason, "watched for 4000 ms; expected 10000");
}

TEST(LoadSamplerTest, QuietSecondsForgetWhatWasSampled) {
  LoadSampler sampler({.requests_per_s_min = 100}, kSeed);
  for (uint64_t i = 0; i < 40'000; ++i)
    sampler.RecordKey(i / 2, Key(i % 100));
  ASSERT_NE(sampler.Judge(19'999, "").point, "");

  EXPECT_EQ(sampler.Judge(25'000, "").point, "");
  sampler.RecordKey(25'000, Key(1));

  EXPECT_EQ(sampler.Judge(25'001, "").reason, "0 requests/s; expected 100");
}

TEST(LoadSamplerTest, SameSeedGivesTheSamePoint) {
  const auto run = [](uint64_t i) { return Key(i * 7'919 % 1'000); };

  EXPECT_EQ(Judged(run).point, Judged(run).point);
}

}  // namespace
}  // namespace hourcell::load_sampler_test
