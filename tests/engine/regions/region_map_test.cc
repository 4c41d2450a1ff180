#include "engine/regions/region_map.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/engine/regions/region_builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell::region_map_test {
namespace {

using testing::HasSubstr;

RegionMap MapOf(const std::vector<std::string>& split_keys) {
  auto map = RegionMap::Make(TiledRegions(split_keys));
  HOURCELL_CHECK(map.ok());
  return *std::move(map);
}

// The result that Find must give, by the definition.
size_t NaiveFind(const RegionMap& map, std::string_view key) {
  for (size_t i = 0; i < map.size(); ++i) {
    if (map.regions()[i].range.Contains(key)) return i;
  }
  return map.size();
}

// Keys of few bytes out of few letters: heads that agree, prefixes of each other, zero bytes.
std::string RandomKey(Random* random, size_t size_max) {
  constexpr std::string_view kBytes(
      "\0\x01"
      "a\xFF",
      4);
  std::string key = random->Below(2) == 0 ? "" : "prefix.8";
  if (random->Below(20) == 0) key = "pre";
  for (uint64_t size = random->Below(size_max + 1); size > 0; --size)
    key += kBytes[random->Below(kBytes.size())];
  return key;
}

TEST(RegionMapTest, OneRegionHasAllKeys) {
  const RegionMap map = MapOf({});

  EXPECT_EQ(map.Find(""), 0U);
  EXPECT_EQ(map.Find("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), 0U);
}

TEST(RegionMapTest, FindsByStartKey) {
  const RegionMap map = MapOf({"b", "d"});

  EXPECT_EQ(map.Find("a"), 0U);
  EXPECT_EQ(map.Find("b"), 1U);
  EXPECT_EQ(map.Find("c"), 1U);
  EXPECT_EQ(map.Find("d"), 2U);
}

TEST(RegionMapTest, TellsKeysThatAgreeInTheirHeads) {
  const std::string zero("b\0", 2);
  const RegionMap map = MapOf({"b", zero, "commonhead1", "commonhead2"});

  EXPECT_EQ(map.Find("b"), 1U);
  EXPECT_EQ(map.Find(zero), 2U);
  EXPECT_EQ(map.Find("commonhead"), 2U);
  EXPECT_EQ(map.Find("commonhead1"), 3U);
  EXPECT_EQ(map.Find("commonhead1z"), 3U);
  EXPECT_EQ(map.Find("commonhead2"), 4U);
}

TEST(RegionMapTest, TellsKeysAroundWhatAllStartsBeginWith) {
  const RegionMap map = MapOf({"metric1", "metric10", "metric2"});

  EXPECT_EQ(map.Find("met"), 0U);
  EXPECT_EQ(map.Find("metric"), 0U);
  EXPECT_EQ(map.Find("metric0"), 0U);
  EXPECT_EQ(map.Find("metric1"), 1U);
  EXPECT_EQ(map.Find("metric10"), 2U);
  EXPECT_EQ(map.Find("metric3"), 3U);
  EXPECT_EQ(map.Find("metrics"), 3U);
  EXPECT_EQ(map.Find("n"), 3U);
}

TEST(RegionMapTest, SortsTheRegionsItIsGiven) {
  std::vector<RegionInfo> regions = TiledRegions({"b", "d"});
  std::reverse(regions.begin(), regions.end());

  const auto map = RegionMap::Make(regions);

  ASSERT_OK(map);
  EXPECT_EQ(map->regions()[0].range.end, "b");
  EXPECT_EQ(map->Find("c"), 1U);
}

TEST(RegionMapTest, RefusesRegionsThatDoNotTile) {
  EXPECT_THAT(RegionMap::Make({OpenRegion("", "b", 1), OpenRegion("c", "", 2)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("hole between")));
  EXPECT_THAT(RegionMap::Make({}), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(RegionMapTest, OverlappingGivesHalfOpenIndexes) {
  const RegionMap map = MapOf({"b", "d"});
  using Indexes = RegionMap::Indexes;

  EXPECT_EQ(map.Overlapping("", ""), (Indexes{0, 3}));
  EXPECT_EQ(map.Overlapping("a", "b"), (Indexes{0, 1}));
  EXPECT_EQ(map.Overlapping("a", std::string("b\0", 2)), (Indexes{0, 2}));
  EXPECT_EQ(map.Overlapping("b", "d"), (Indexes{1, 2}));
  EXPECT_EQ(map.Overlapping("c", ""), (Indexes{1, 3}));
  EXPECT_EQ(map.Overlapping("c", "c"), (Indexes{0, 0}));
  EXPECT_EQ(map.Overlapping("c", "b"), (Indexes{0, 0}));
}

TEST(RegionMapTest, AgreesWithTheDefinitionOnRandomKeys) {
  constexpr uint64_t kSeed = 20240502;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int round = 0; round < 40; ++round) {
    std::set<std::string> split_keys;
    const std::string shared = round % 2 == 0 ? "" : "pre";
    for (uint64_t keys = random.Below(60); keys > 0; --keys)
      split_keys.insert(shared + RandomKey(&random, 5));
    split_keys.erase("");
    const RegionMap map = MapOf({split_keys.begin(), split_keys.end()});
    for (int i = 0; i < 200; ++i) {
      const std::string key = (random.Below(2) == 0 ? shared : "") + RandomKey(&random, 6);
      ASSERT_EQ(map.Find(key), NaiveFind(map, key)) << testing::PrintToString(key);
    }
  }
}

TEST(RegionMapTest, OverlappingAgreesWithTheDefinitionOnRandomRanges) {
  constexpr uint64_t kSeed = 20240503;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  std::set<std::string> split_keys;
  while (split_keys.size() < 30)
    split_keys.insert(RandomKey(&random, 4));
  split_keys.erase("");
  const RegionMap map = MapOf({split_keys.begin(), split_keys.end()});
  for (int i = 0; i < 2000; ++i) {
    const std::string start = RandomKey(&random, 4);
    const std::string end = RandomKey(&random, 4);
    const auto [first, last] = map.Overlapping(start, end);
    for (size_t index = 0; index < map.size(); ++index) {
      const bool want = map.regions()[index].range.Overlaps(start, end);
      ASSERT_EQ(first <= index && index < last, want)
          << testing::PrintToString(start) << " " << testing::PrintToString(end) << " " << index;
    }
  }
}

}  // namespace
}  // namespace hourcell::region_map_test
