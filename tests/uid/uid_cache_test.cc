#include "uid/uid_cache.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sanitizers.h"

namespace hourcell::uid_cache_test {
namespace {

using testing::Eq;
using testing::Optional;

TEST(UidCacheTest, FindsBothDirectionsOfWhatWasInserted) {
  UidCache cache(/*names_max=*/10);

  cache.Insert("cpu", 1);

  EXPECT_THAT(cache.Find("cpu"), Optional(Uid{1}));
  EXPECT_THAT(cache.NameOf(1), Optional(Eq("cpu")));
  EXPECT_EQ(cache.Find("mem"), std::nullopt);
  EXPECT_EQ(cache.NameOf(2), std::nullopt);
  EXPECT_EQ(cache.hits(), 2U);
  EXPECT_EQ(cache.misses(), 2U);
}

TEST(UidCacheTest, FillsOneDirectionOnly) {
  UidCache cache(/*names_max=*/10);

  cache.FillUid("cpu", 1, cache.erasures());
  cache.FillName(2, "mem", cache.erasures());

  EXPECT_THAT(cache.Find("cpu"), Optional(Uid{1}));
  EXPECT_EQ(cache.NameOf(1), std::nullopt);
  EXPECT_THAT(cache.NameOf(2), Optional(Eq("mem")));
  EXPECT_EQ(cache.Find("mem"), std::nullopt);
}

TEST(UidCacheTest, KeepsAtMostNamesMaxEachWay) {
  for (const size_t names_max : {2U, 3U, 10U, 101U}) {
    SCOPED_TRACE(names_max);
    UidCache cache(names_max);

    for (Uid uid = 1; uid <= 1000; ++uid) {
      cache.Insert(std::to_string(uid), uid);
      ASSERT_LE(cache.size(), names_max);
      ASSERT_LE(cache.names_size(), names_max);
    }

    EXPECT_THAT(cache.Find("1000"), Optional(Uid{1000}));
    EXPECT_EQ(cache.Find("1"), std::nullopt);
  }
}

// docs/overload.md counts with this.
constexpr size_t kBytesPerNameMax = 48;

TEST(UidCacheTest, ANameTakesWhatTheSumOfMemorySays) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer has its own allocations";
  // Half of it is just too much for a table, which doubles: as with the default of a million.
  constexpr size_t kNamesMax = 125'000;
  const auto allocated = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const size_t before = allocated();
  UidCache cache(kNamesMax);
  size_t most = 0;
  for (Uid uid = 1; uid <= 3 * kNamesMax; ++uid) {
    cache.Insert(fmt::format("host{:010}", uid), uid);  // a string's own bytes hold 15
    if (uid % 100 == 0) most = std::max(most, allocated() - before);
  }
  EXPECT_LE(most, kBytesPerNameMax * kNamesMax);
  EXPECT_GE(most, kBytesPerNameMax * kNamesMax * 3 / 4) << "or it says too much";
}

TEST(UidCacheTest, KeepsWhatIsUsed) {
  UidCache cache(/*names_max=*/10);
  cache.Insert("used", 1);

  for (Uid uid = 2; uid <= 1000; ++uid) {
    cache.Insert(std::to_string(uid), uid);
    ASSERT_THAT(cache.Find("used"), Optional(Uid{1}));
    ASSERT_THAT(cache.NameOf(1), Optional(Eq("used")));
  }

  EXPECT_LE(cache.size(), 10U);
}

TEST(UidCacheTest, InsertReplacesInBothGenerations) {
  UidCache cache(/*names_max=*/4);
  cache.Insert("a", 1);
  cache.Insert("b", 2);
  cache.Insert("c", 3);  // "a" and "b" are old now

  cache.Insert("a", 11);
  cache.Insert("c", 13);

  EXPECT_THAT(cache.Find("a"), Optional(Uid{11}));
  EXPECT_THAT(cache.Find("c"), Optional(Uid{13}));
  // 13 had no name, so that there was a new generation.
  EXPECT_EQ(cache.size(), 2U);
}

TEST(UidCacheTest, EraseForgetsBothDirectionsAndGenerations) {
  UidCache cache(/*names_max=*/4);
  cache.Insert("old", 1);
  cache.Insert("b", 2);
  cache.Insert("young", 3);

  cache.Erase("old", 1);
  cache.Erase("young", 3);

  EXPECT_EQ(cache.Find("old"), std::nullopt);
  EXPECT_EQ(cache.NameOf(1), std::nullopt);
  EXPECT_EQ(cache.Find("young"), std::nullopt);
  EXPECT_EQ(cache.NameOf(3), std::nullopt);
  EXPECT_THAT(cache.Find("b"), Optional(Uid{2}));
}

TEST(UidCacheTest, ClearForgetsEverything) {
  UidCache cache(/*names_max=*/4);
  for (Uid uid = 1; uid <= 4; ++uid)
    cache.Insert(std::to_string(uid), uid);

  cache.Clear();

  EXPECT_EQ(cache.size(), 0U);
  EXPECT_EQ(cache.names_size(), 0U);
  EXPECT_EQ(cache.Find("4"), std::nullopt);
}

TEST(UidCacheTest, LateFillDoesNotBringBackWhatWasErased) {
  UidCache cache(/*names_max=*/10);
  const uint64_t before = cache.erasures();

  cache.Erase("cpu", 1);
  cache.FillUid("cpu", 1, before);
  cache.FillName(1, "cpu", before);

  EXPECT_EQ(cache.Find("cpu"), std::nullopt);
  EXPECT_EQ(cache.NameOf(1), std::nullopt);
}

TEST(UidCacheTest, ManyThreadsSeeOnlyTrueMappings) {
  UidCache cache(/*names_max=*/20);
  std::atomic<int> wrong = 0;
  const auto work = [&] {
    for (Uid i = 0; i < 5000; ++i) {
      const Uid uid = 1 + i % 50;
      const std::string name = std::to_string(uid);
      if (const auto found = cache.Find(name); found && *found != uid) ++wrong;
      if (const auto found = cache.NameOf(uid); found && *found != name) ++wrong;
      cache.Insert(name, uid);
      if (uid % 7 == 0) cache.Erase(name, uid);
    }
  };

  std::thread other(work);
  work();
  other.join();

  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache.size(), 20U);
}

}  // namespace
}  // namespace hourcell::uid_cache_test
