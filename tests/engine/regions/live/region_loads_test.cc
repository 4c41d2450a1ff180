#include "engine/regions/live/region_loads.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hourcell::region_loads_test {
namespace {

std::vector<RegionInfo> TwoRegions() {
  RegionInfo left{.table = "data", .range = {.start = "", .end = "m"}, .id = {1}};
  RegionInfo right{.table = "data", .range = {.start = "m", .end = ""}, .id = {2}};
  left.state = right.state = RegionState::kOpen;
  return {left, right};
}

Mutation Row(const std::string& key) {
  return {TableId::kData, Mutation::Kind::kMerge, key, "v"};
}

SplitSettings SmallWindows() {
  SplitSettings settings;
  settings.append.window = 10;
  settings.load = {.requests_per_s_min = 10, .record_ms_min = 1000, .observations_min = 10};
  return settings;
}

TEST(RegionLoadsTest, TellsAscendingRowsFromOthers) {
  RegionLoads loads(SmallWindows());
  loads.SetRegions(TwoRegions(), [](const RegionInfo& region) {
    return region.id.value == 1 ? std::string("f") : std::string();
  });
  for (int i = 0; i < 20; ++i)
    loads.Record(
        1000, std::vector<Mutation>{Row(fmt::format("a{:02}", i)), Row(fmt::format("p{:02}", i))});
  EXPECT_EQ(loads.Of({1}, 1000).append_share, 0);  // below the largest row it had
  EXPECT_EQ(loads.Of({1}, 1000).largest_key, "f");
  EXPECT_EQ(loads.Of({2}, 1000).append_share, 1);
  EXPECT_EQ(loads.Of({2}, 1000).largest_key, "p19");
}

TEST(RegionLoadsTest, FindsThePointThatHalvesTheLoad) {
  RegionLoads loads(SmallWindows());
  loads.SetRegions(TwoRegions(), [](const RegionInfo&) { return std::string(); });
  for (uint64_t ms = 0; ms < 5000; ms += 10)
    loads.Record(ms, std::vector<Mutation>{Row(fmt::format("a{:02}", ms / 10 * 7 % 100))});
  const LoadVerdict verdict = loads.Of({1}, 5000).verdict;
  EXPECT_GT(verdict.point, "a30") << verdict.reason;
  EXPECT_LT(verdict.point, "a70");
  EXPECT_EQ(loads.Of({2}, 5000).verdict.point, "");
}

TEST(RegionLoadsTest, KeepsWhatItKnowsOfRegionsThatStay) {
  RegionLoads loads(SmallWindows());
  int asked = 0;
  const auto nothing = [&asked](const RegionInfo&) { return ++asked, std::string(); };
  loads.Record(1, std::vector<Mutation>{Row("a")});  // of an unknown region
  loads.SetRegions(TwoRegions(), nothing);
  for (int i = 0; i < 10; ++i)
    loads.Record(1000, std::vector<Mutation>{Row(fmt::format("p{}", i))});
  std::vector<RegionInfo> regions = TwoRegions();
  regions[0].id = {3};
  loads.SetRegions(regions, nothing);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(loads.Of({2}, 1000).append_share, 1);
  EXPECT_EQ(loads.Of({1}, 1000).largest_key, "");
}

}  // namespace
}  // namespace hourcell::region_loads_test
