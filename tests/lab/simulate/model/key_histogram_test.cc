#include "bench/lab/simulate/model/key_histogram.h"

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"

namespace hourcell::key_histogram_test {
namespace {

KeyMass Mass(uint64_t bytes) {
  return {.cells = bytes, .rows = 1, .bytes = bytes};
}

std::string KeyOf(uint64_t number) {
  return fmt::format("row-{:08}", number);
}

TEST(KeyHistogramTest, FewKeysAreExact) {
  KeyHistogram keys(16);
  keys.Add("b", Mass(20), 2);
  keys.Add("a", Mass(10), 1);
  keys.Add("b", Mass(5), 3);

  ASSERT_EQ(keys.bins().size(), 2U);
  EXPECT_EQ(keys.bins()[1].first, "b");
  EXPECT_EQ(keys.bins()[1].mass, (KeyMass{.cells = 25, .rows = 2, .bytes = 25}));
  EXPECT_EQ(keys.bins()[1].oldest_ms, 2U);
  EXPECT_EQ(keys.bins()[1].newest_ms, 3U);
  EXPECT_EQ(keys.BytesBetween("", "b"), 10U);
  EXPECT_EQ(keys.BytesBetween("b", ""), 25U);
  EXPECT_EQ(keys.smallest(), "a");
  EXPECT_EQ(keys.largest(), "b");
  EXPECT_EQ(keys.LargestBelow("c"), "b");
  EXPECT_EQ(keys.LargestBelow("b"), "a");
  EXPECT_EQ(keys.LargestBelow("a"), "");
}

TEST(KeyHistogramTest, LargestBelowIsAKeyThatWasAdded) {
  KeyHistogram keys(8);
  std::set<std::string> added;
  for (uint64_t i = 0; i < 1'000; i += 10) {
    keys.Add(KeyOf(i), Mass(10), i);
    added.insert(KeyOf(i));
  }
  for (uint64_t i = 5; i < 1'000; i += 10) {
    const std::string below = keys.LargestBelow(KeyOf(i));
    EXPECT_LT(below, KeyOf(i));
    EXPECT_TRUE(added.contains(below)) << below;
  }
}

TEST(KeyHistogramTest, ManyKeysAreRightWithinTwoBins) {
  constexpr uint64_t kSeed = 20130101;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  Random random(kSeed);
  KeyHistogram keys(64);
  std::map<std::string, uint64_t> exact;
  uint64_t total = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = KeyOf(random.Below(1'000'000));
    const uint64_t bytes = 1 + random.Below(50);
    keys.Add(key, Mass(bytes), 1);
    exact[key] += bytes;
    total += bytes;
  }

  EXPECT_LE(keys.bins().size(), 65U);
  EXPECT_EQ(keys.mass().bytes, total);
  uint64_t below = 0;
  size_t checked = 0;
  for (const auto& [key, bytes] : exact) {
    if (++checked % 97 == 0) {
      const auto off = static_cast<double>(keys.BytesBetween("", key)) - static_cast<double>(below);
      EXPECT_LT(std::abs(off), 4.0 / 64 * static_cast<double>(total)) << key;
    }
    below += bytes;
  }
  EXPECT_NEAR(static_cast<double>(keys.BytesBetween("", keys.KeyAt(0.5))),
              0.5 * static_cast<double>(total), 2.0 / 64 * static_cast<double>(total));
}

// Five metrics whose hours come one after the other, with all the key space of a metric's other
// hours between them: what lies below an hour of the third is known however often files are merged.
TEST(KeyHistogramTest, GapsBetweenMetricsDoNotSwallowTheirHours) {
  constexpr uint64_t kHours = 36;
  constexpr uint64_t kHosts = 125;
  const auto row = [](uint64_t metric, uint64_t hour, uint64_t host) {
    std::string key;
    AppendBigEndian(metric, 3, &key);
    AppendBigEndian(1'356'998'400 + hour * 3'600, 4, &key);
    AppendBigEndian(host, 3, &key);
    return key;
  };
  KeyHistogram all(128);
  for (uint64_t hour = 0; hour < kHours; ++hour) {
    KeyHistogram file(128);
    for (uint64_t metric = 1; metric <= 5; ++metric) {
      for (uint64_t host = 0; host < kHosts; ++host)
        file.Add(row(metric, hour, host), Mass(10), 1);
    }
    all.Merge(file);
  }

  const auto total = static_cast<double>(all.mass().bytes);
  EXPECT_EQ(all.mass().bytes, 5 * kHours * kHosts * 10);
  for (uint64_t hour = 0; hour <= kHours; ++hour) {
    const double share = (2 + static_cast<double>(hour) / static_cast<double>(kHours)) / 5;
    EXPECT_NEAR(static_cast<double>(all.BytesBetween("", row(3, hour, 0))) / total, share, 0.02)
        << hour;
  }
  for (size_t i = 1; i < all.bins().size(); ++i)
    EXPECT_LT(all.bins()[i - 1].last, all.bins()[i].first) << i;
}

TEST(KeyHistogramTest, AHeavyKeyKeepsItsOwnBin) {
  KeyHistogram keys(8);
  for (uint64_t i = 0; i < 10'000; ++i) {
    keys.Add(KeyOf(i), Mass(1), 1);
    keys.Add(KeyOf(5'000), Mass(1), 1);
  }

  uint64_t of_heavy = 0;
  for (const KeyBin& bin : keys.bins()) {
    if (bin.is_one_key() && bin.first == KeyOf(5'000)) of_heavy += bin.mass.bytes;
  }

  EXPECT_GT(of_heavy, 9'000U);
  EXPECT_LE(keys.BytesBetween("", KeyOf(5'000)), 7'000U);
}

TEST(KeyHistogramTest, MergeAddsUp) {
  KeyHistogram left(8);
  KeyHistogram right(8);
  for (uint64_t i = 0; i < 100; ++i) {
    left.Add(KeyOf(i), Mass(3), i);
    right.Add(KeyOf(i + 50), Mass(2), 1'000 + i);
  }

  left.Merge(right);

  EXPECT_EQ(left.mass(), (KeyMass{.cells = 500, .rows = 200, .bytes = 500}));
  EXPECT_EQ(left.newest_ms(), 1'099U);
  EXPECT_EQ(left.smallest(), KeyOf(0));
  EXPECT_EQ(left.largest(), KeyOf(149));
  EXPECT_LE(left.bins().size(), 9U);
}

TEST(KeyHistogramTest, ACutLosesNothing) {
  KeyHistogram keys(8);
  for (uint64_t i = 0; i < 1'000; ++i)
    keys.Add(KeyOf(i), Mass(10), i);
  const KeyMass before = keys.mass();

  const KeyHistogram above = keys.CutFrom(KeyOf(400));

  EXPECT_EQ(keys.mass().bytes + above.mass().bytes, before.bytes);
  EXPECT_EQ(keys.mass().cells + above.mass().cells, before.cells);
  EXPECT_NEAR(static_cast<double>(keys.mass().bytes), 4'000, 1'300);
  EXPECT_LT(keys.largest(), KeyOf(400));
  EXPECT_GE(above.smallest(), KeyOf(400));
}

TEST(KeyHistogramTest, ACutBetweenKeysIsExact) {
  KeyHistogram keys(16);
  for (uint64_t i = 0; i < 10; ++i)
    keys.Add(KeyOf(i), Mass(10), i);

  const KeyHistogram above = keys.CutFrom(KeyOf(4));

  EXPECT_EQ(keys.mass().bytes, 40U);
  EXPECT_EQ(above.mass().bytes, 60U);
  EXPECT_EQ(above.smallest(), KeyOf(4));
}

TEST(KeyHistogramTest, WhatIsOldExpires) {
  KeyHistogram keys(16);
  keys.Add("a", Mass(10), 100);
  keys.Add("b", Mass(10), 200);
  keys.Add("c", Mass(10), 100);
  keys.Add("c", Mass(10), 300);

  const KeyMass expired = keys.Expire(201);

  // Half of c's time is past.
  EXPECT_EQ(expired.bytes, 30U);
  EXPECT_EQ(keys.mass().bytes, 10U);
  EXPECT_EQ(keys.smallest(), "c");
  EXPECT_EQ(keys.Expire(301).bytes, 10U);
  EXPECT_TRUE(keys.empty());
}

TEST(KeyHistogramTest, FirstKeyFromIsABound) {
  KeyHistogram keys(16);
  keys.Add("b", Mass(1), 1);
  keys.Add("d", Mass(1), 1);

  EXPECT_EQ(keys.FirstKeyFrom("a"), "b");
  EXPECT_EQ(keys.FirstKeyFrom("b"), "b");
  EXPECT_EQ(keys.FirstKeyFrom("c"), "d");
  EXPECT_EQ(keys.FirstKeyFrom("e"), "");
}

}  // namespace
}  // namespace hourcell::key_histogram_test
