#include "bench/lab/layouts/region_ledger.h"

#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/layouts/split_rule.h"
#include "codec/base/random.h"

namespace hourcell::layouts::region_ledger_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kRows = 2'000;

SplitSettings Settings(SplitRule rule) {
  return SettingsOf(rule, {.bytes = kRows * 100, .writes = kRows, .leading_bytes = 1}, 1);
}

std::string RowKey(uint64_t number) {
  return fmt::format("{:08}", number);
}

// kRows rows of 100 bytes and a point each; `order(i)` is the number of the i-th.
template <typename Order>
void Fill(RegionLedger* ledger, const Order& order) {
  for (uint64_t i = 0; i < kRows; ++i)
    ledger->Record({.row = RowKey(order(i)), .bytes = 100, .points = 1});
}

uint64_t Shuffled(uint64_t i) {
  return i * 7'919 % kRows;  // 7919 is a prime, so all rows come once
}

TEST(RegionLedgerTest, OneRegionWithoutAPolicy) {
  RegionLedger ledger(Settings(SplitRule::kNone), {.points = kRows, .seed = 1});
  Fill(&ledger, Shuffled);

  EXPECT_THAT(ledger.Starts(), ElementsAre(""));
  EXPECT_EQ(ledger.splits(), 0u);
  ASSERT_THAT(ledger.windows(), SizeIs(kWindowsMax));
  EXPECT_EQ(ledger.windows().back().hottest_share, 1);
}

TEST(RegionLedgerTest, RowsInAnyOrderSpreadOverRegionsOfEqualSize) {
  RegionLedger ledger(Settings(SplitRule::kConstant), {.points = kRows, .seed = 1});
  Fill(&ledger, Shuffled);

  EXPECT_GE(ledger.Starts().size(), 10u);
  EXPECT_EQ(ledger.Starts().size(), ledger.splits() + 1);
  EXPECT_LT(ledger.windows().back().hottest_share, 0.4);
  EXPECT_EQ(ledger.windows().back().regions, ledger.Starts().size());
}

TEST(RegionLedgerTest, AscendingRowsKeepTheLastRegionHotHoweverManyThereAre) {
  RegionLedger ledger(Settings(SplitRule::kConstant), {.points = kRows, .seed = 1});
  Fill(&ledger, [](uint64_t i) { return i; });

  EXPECT_GT(ledger.splits(), 5u);
  for (const LoadWindow& window : ledger.windows())
    EXPECT_EQ(window.hottest_share, 1);
}

TEST(RegionLedgerTest, SplitsAreSaidOnceAndBeginARegion) {
  RegionLedger ledger(Settings(SplitRule::kIncreasing), {.points = kRows, .seed = 1});
  std::vector<std::string> cuts;
  for (uint64_t i = 0; i < kRows; ++i) {
    std::string cut = ledger.Record({.row = RowKey(Shuffled(i)), .bytes = 100, .points = 1});
    if (!cut.empty()) cuts.push_back(std::move(cut));
  }

  EXPECT_EQ(cuts.size(), ledger.splits());
  for (const std::string& cut : cuts)
    EXPECT_THAT(ledger.Starts(), Contains(cut));
}

TEST(RegionLedgerTest, PresplitRegionsShareTheLoadFromTheFirstWindowOn) {
  RegionLedger ledger(Settings(SplitRule::kPresplit), {.points = kRows, .seed = 1});
  const std::vector<std::string> keys = {RowKey(500), RowKey(1'000), RowKey(1'500)};
  ledger.Presplit(keys);
  Fill(&ledger, Shuffled);

  EXPECT_THAT(ledger.Starts(), ElementsAre("", keys[0], keys[1], keys[2]));
  for (const LoadWindow& window : ledger.windows()) {
    EXPECT_LT(window.hottest_share, 0.5);
    EXPECT_LT(window.gini, 0.4);
  }
}

TEST(RegionLedgerTest, APrefixIsNeverCut) {
  RegionLedger ledger(Settings(SplitRule::kKeyPrefix), {.points = kRows, .seed = 1});
  for (uint64_t i = 0; i < kRows; ++i) {
    const std::string row = fmt::format("{}{}", "abcd"[i % 4], RowKey(Shuffled(i)));
    ledger.Record({.row = row, .bytes = 100, .points = 1});
  }

  EXPECT_THAT(ledger.Starts(), ElementsAre("", "b", "c", "d"));
  EXPECT_GT(ledger.refusals(), 0u);
}

TEST(RegionLedgerTest, OneHotRowIsNeverCut) {
  RegionLedger ledger(Settings(SplitRule::kIncreasing), {.points = kRows, .seed = 1});
  Fill(&ledger, [](uint64_t) { return 1u; });

  EXPECT_EQ(ledger.splits(), 0u);
  EXPECT_GT(ledger.refusals(), 0u);
}

// Four rows in five are of one tenth of the key space. By size the regions there would be as large
// as the others; by load there are more of them.
TEST(RegionLedgerTest, LoadIsCutWhereItIs) {
  Random random(1);
  std::vector<uint64_t> rows;
  for (uint64_t i = 0; i < kRows; ++i)
    rows.push_back(random.Below(10) < 8 ? 1'000 + random.Below(200) : random.Below(kRows));
  const auto hottest = [&](SplitRule rule) {
    RegionLedger ledger(Settings(rule), {.points = kRows, .seed = 1});
    Fill(&ledger, [&](uint64_t i) { return rows[i]; });
    double share = 0;
    for (size_t i = kWindowsMax / 2; i < kWindowsMax; ++i)
      share += ledger.windows()[i].hottest_share;
    return share / (kWindowsMax / 2);
  };

  EXPECT_LT(hottest(SplitRule::kLoad), hottest(SplitRule::kIncreasing));
}

TEST(RegionLedgerTest, MapHasEveryPointInItsRegionAndWindow) {
  RegionLedger ledger(Settings(SplitRule::kConstant), {.points = kRows, .seed = 1});
  Fill(&ledger, [](uint64_t i) { return i; });
  const LoadMap map = ledger.PointsByRegion();

  ASSERT_THAT(map.rows, SizeIs(ledger.Starts().size()));
  uint64_t total = 0;
  for (const std::vector<uint64_t>& windows : map.rows) {
    ASSERT_THAT(windows, SizeIs(kWindowsMax));
    total += std::accumulate(windows.begin(), windows.end(), uint64_t{0});
  }
  EXPECT_EQ(total, kRows);
  EXPECT_GT(map.rows.front().front(), 0u);  // rows ascend: the first region gets the first ones
  EXPECT_EQ(map.rows.front().back(), 0u);
  EXPECT_GT(map.rows.back().back(), 0u);
}

TEST(RegionLedgerTest, SameWritesSameRegions) {
  const auto starts = [] {
    RegionLedger ledger(Settings(SplitRule::kLoad), {.points = kRows, .seed = 3});
    Fill(&ledger, Shuffled);
    return ledger.Starts();
  };

  EXPECT_EQ(starts(), starts());
}

}  // namespace
}  // namespace hourcell::layouts::region_ledger_test
