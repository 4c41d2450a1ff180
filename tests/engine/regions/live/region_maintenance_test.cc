#include "engine/regions/live/region_maintenance.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/rows/row_key.h"
#include "codec/rows/tsuid.h"
#include "engine/regions/region_invariants.h"
#include "engine/rocks/regions/region_backlog.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/table/retention.h"
#include "tests/support/builders.h"
#include "tests/support/paused_lsm_compactions.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::region_maintenance_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kNow = 2'000'000'000'000;

RegionSettings Small() {
  RegionSettings settings;
  settings.split.policy = SplitPolicyKind::kConstantSize;
  settings.split.max_bytes = 100'000;
  settings.split.jitter = 0;
  settings.split.daughter_bytes_min = 10'000;
  settings.split.append.window = 100;
  settings.normalizer.merge_age_ms_min = 1000;
  settings.normalizer.period_ms = 60'000;
  return settings;
}

class RegionMaintenanceTest : public testing::Test {
 protected:
  void Start(const RegionSettings& settings) {
    auto opened = OpenRocksTableStore(directory_.file("db"), options());
    ASSERT_OK(opened);
    store_ = *std::move(opened);
    loads_.emplace(settings.split);
    maintenance_ = std::make_unique<RegionMaintenance>(
        settings, RegionMaintenance::Parts{
                      .tables = store_.get(),
                      .list = store_.get(),
                      .regions = store_->regions(),
                      .loads = &*loads_,
                      .clock = &clock_,
                      .stats = &stats_,
                      .warn = [this](std::string_view line) { warnings_.emplace_back(line); },
                      .ttl_ms = [this] { return ttl_ms_; },
                      .write_buffers_bytes = 16 << 20,
                      .history = &history_,
                      .puts = &puts_,
                      .keys_of =
                          [](std::span<const SampledPut> sampled) {
                            return std::vector<std::string>(sampled.size(), "a");
                          }});
    ASSERT_OK(maintenance_->Tick());
  }

  Options options() {
    Options options = TinyOptions(directory_.path());
    options.clock = &clock_;
    return options;
  }

  // Dissimilar rows of 100 bytes.
  void Write(const std::vector<std::string>& keys) {
    std::vector<Mutation> rows;
    for (const std::string& key : keys) {
      std::string value;
      while (value.size() < 100)
        value += static_cast<char>(random_.Next());
      rows.push_back({TableId::kData, Mutation::Kind::kSet, key, value});
    }
    ASSERT_OK(store_->ApplyUnlogged(rows));
    loads_->Record(static_cast<uint64_t>(clock_.MonotonicMs()), rows);
    ASSERT_OK(store_->Flush(TableId::kData));
  }

  // Runs the work of the engine's thread, until none is left.
  void Settle() {
    for (size_t before = 0; before != Sizes().size();) {
      before = Sizes().size();
      clock_.Advance(1000);
      ASSERT_OK(maintenance_->Tick());
      while (*maintenance_->Trim()) {
      }
    }
    EXPECT_THAT(CheckInvariants(store_->regions()->Regions(TableId::kData)), IsEmpty());
  }

  std::vector<uint64_t> Sizes() {
    std::vector<uint64_t> sizes;
    const std::vector<RegionUse> uses = store_->RegionUses(TableId::kData).value();
    for (const RegionUse& use : uses)
      sizes.push_back(use.file_bytes);
    return sizes;
  }
  uint64_t Stat(const std::string& name) { return stats_.counter(name)->value(); }

  TempDir directory_;
  ManualClock clock_{kNow};
  Stats stats_;
  int64_t ttl_ms_ = 0;
  std::vector<std::string> warnings_;
  std::unique_ptr<TableStore> store_;
  std::optional<RegionLoads> loads_;
  RegionHistory history_;
  PutSample puts_;
  std::unique_ptr<RegionMaintenance> maintenance_;
  Random random_{1};
};

std::vector<std::string> RandomKeys(int count, Random* random) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i)
    keys.push_back(fmt::format("k{:08x}", random->Next() & 0xffffffff));
  return keys;
}

TEST_F(RegionMaintenanceTest, CutsALargeRegionInTwoOfOneSize) {
  Start(Small());
  Random random(3);
  Write(RandomKeys(1500, &random));
  Settle();
  const std::vector<uint64_t> sizes = Sizes();
  ASSERT_THAT(sizes, SizeIs(2));
  const double share = static_cast<double>(sizes[0]) / static_cast<double>(sizes[0] + sizes[1]);
  EXPECT_GT(share, 0.45);
  EXPECT_LT(share, 0.55);
  EXPECT_EQ(Stat("region.splits"), 1u);
}

TEST_F(RegionMaintenanceTest, AscendingRowsLeaveFullRegions) {
  Start(Small());
  for (int i = 0; i < 5000; i += 250) {
    std::vector<std::string> keys;
    for (int j = i; j < i + 250; ++j)
      keys.push_back(fmt::format("k{:06}", j));
    Write(keys);
    Settle();
  }
  std::vector<uint64_t> sizes = Sizes();
  ASSERT_GE(sizes.size(), 4u);
  sizes.pop_back();  // the one that is written to
  for (const uint64_t size : sizes)
    EXPECT_GT(size, 90'000u);
}

TEST_F(RegionMaintenanceTest, RowsAfterASplitCountForTheDaughtersAtOnce) {
  Start(Small());
  Random random(3);
  Write(RandomKeys(1500, &random));
  ASSERT_OK(maintenance_->Tick());
  ASSERT_THAT(Sizes(), SizeIs(2));

  Write(RandomKeys(400, &random));
  for (const RegionInfo& region : store_->regions()->Regions(TableId::kData)) {
    const RegionLoads::Load load =
        loads_->Of(region.id, static_cast<uint64_t>(clock_.MonotonicMs()));
    EXPECT_FALSE(load.is_cold) << region.id.value;
  }
}

TEST_F(RegionMaintenanceTest, FollowsTheLoad) {
  RegionSettings settings = Small();
  settings.split.policy = SplitPolicyKind::kLoad;
  settings.split.max_bytes = uint64_t{1} << 40;
  settings.split.initial_bytes = uint64_t{1} << 40;
  settings.split.load.requests_per_s_min = 100;
  settings.split.daughter_bytes_min = 1;
  Start(settings);
  Random random(3);
  Write(RandomKeys(1000, &random));
  // Two neighbouring places are hot.
  for (int second = 0; second < 20; ++second) {
    std::vector<std::string> keys;
    for (int i = 0; i < 150; ++i)
      keys.push_back(fmt::format("k8{:03}{}", random.Below(2), random.Below(1000)));
    Write(keys);
    clock_.Advance(1000);
    ASSERT_OK(maintenance_->Tick());
  }
  const std::vector<RegionInfo> regions = store_->regions()->Regions(TableId::kData);
  ASSERT_GE(regions.size(), 2u);
  EXPECT_GT(regions[1].range.start, "k8000");
  EXPECT_LE(regions[1].range.start, "k80019");
  EXPECT_GT(regions[1].pinned_until_ms, static_cast<uint64_t>(clock_.NowMs()));
}

TEST_F(RegionMaintenanceTest, NamesARegionThatCannotBeCut) {
  RegionSettings settings = Small();
  settings.split.restriction = {.kind = RestrictionKind::kKeyPrefix, .prefix_length = 4};
  Start(settings);
  Random random(3);
  std::vector<std::string> keys = RandomKeys(1500, &random);
  for (std::string& key : keys)
    key = "same" + key;
  Write(keys);
  Settle();
  EXPECT_THAT(Sizes(), SizeIs(1));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("cannot be split")));
  EXPECT_EQ(Stat("region.unsplittable"), 1u);
  EXPECT_THAT(maintenance_->ReasonOf({1}), HasSubstr("cannot be"));
}

TEST_F(RegionMaintenanceTest, MergesWhatATtlLeavesEmpty) {
  Start(Small());
  ASSERT_OK(store_->regions()->Presplit(TableId::kData, {.keys = {"b", "c", "d", "e", "f"}}));
  Random random(3);
  Write(RandomKeys(100, &random));
  Settle();
  EXPECT_THAT(Sizes(), SizeIs(6));
  clock_.Advance(120'000);
  Settle();
  EXPECT_THAT(Sizes(), SizeIs(2));  // a table of two is left alone
  EXPECT_GE(Stat("region.merges"), 1u);
}

TEST_F(RegionMaintenanceTest, LeavesPinnedRegionsAndYoungOnesAlone) {
  RegionSettings settings = Small();
  settings.normalizer.merge_age_ms_min = 1'000'000'000;
  Start(settings);
  ASSERT_OK(store_->regions()->Presplit(
      TableId::kData, {.keys = {"b", "c", "d"}, .pinned_until_ms = kNow + 10'000'000}));
  clock_.Advance(120'000);
  Settle();
  EXPECT_THAT(Sizes(), SizeIs(4));
  ttl_ms_ = 60'000;  // old enough, pinned all the same
  clock_.Advance(120'000);
  Settle();
  EXPECT_THAT(Sizes(), SizeIs(4));
  clock_.Advance(10'000'000);
  Settle();
  EXPECT_THAT(Sizes(), SizeIs(1));
}

TEST_F(RegionMaintenanceTest, WarnsOfMoreRegionsThanMemoryHasRoomFor) {
  Start(Small());
  std::vector<std::string> keys;
  for (char c = 'b'; c < 'z'; ++c)
    keys.emplace_back(1, c);
  ASSERT_OK(store_->regions()->Presplit(TableId::kData, {.keys = keys}));
  ASSERT_OK(maintenance_->Tick());
  ASSERT_OK(maintenance_->Tick());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("25")));
}

TEST_F(RegionMaintenanceTest, ARegionWhoseWritesAreBlockedIsSplitByTheBusyPolicy) {
  if (!PausedLsmCompactions::kWorks) GTEST_SKIP() << "not under ThreadSanitizer";
  RegionSettings settings = Small();
  settings.split.policy = SplitPolicyKind::kBusy;
  settings.split.max_bytes = 1 << 30;
  settings.split.busy.age_ms_min = 0;
  settings.split.busy.window_ms = 10'000;
  settings.split.blocking_files = 100;
  ASSERT_NO_FATAL_FAILURE(Start(settings));
  std::vector<std::string> keys;
  for (int i = 0; i < 400; ++i)
    keys.push_back(fmt::format("k{:03}", i));
  ASSERT_NO_FATAL_FAILURE(Write(keys));
  for (int window = 0; window < 2; ++window) {
    clock_.Advance(10'000);
    ASSERT_OK(maintenance_->Tick());
  }
  EXPECT_THAT(Sizes(), SizeIs(1)) << "nothing was blocked";

  PausedLsmCompactions paused;
  for (uint64_t i = 1; i < RegionBacklog::kYoungFilesMax; ++i)  // one is there
    ASSERT_NO_FATAL_FAILURE(Write({keys[i]}));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(store_->IsLagging(TableId::kData, keys[0]));
  for (int window = 0; window < 2; ++window) {
    clock_.Advance(10'000);
    ASSERT_OK(maintenance_->Tick());
  }
  EXPECT_THAT(Sizes(), SizeIs(2)) << maintenance_->ReasonOf(
      store_->regions()->Regions(TableId::kData)[0].id);
}

// Rows sorted by time, so that regions fill, age and become empty.
TEST_F(RegionMaintenanceTest, UnderATtlThereAreAsManyRegionsAfterTenTtlsAsAfterTwo) {
  constexpr int kTtlHours = 10;
  Layout layout;
  layout.fields = {RowField::kBaseTime, RowField::kMetric, RowField::kSalt, RowField::kTags};
  const RowKeyCodec codec(layout);
  Retention retention;
  retention.Set({.store_ttl_s = kTtlHours * 3600});
  const RowExpiry expiry(layout, &retention, &clock_);
  ttl_ms_ = kTtlHours * 3'600'000;
  ASSERT_NO_FATAL_FAILURE(Start(Small()));
  store_->SetExpiry(&expiry);

  size_t regions_after_two = 0;
  uint64_t bytes_after_two = 0;
  for (int hour = 1; hour <= 10 * kTtlHours; ++hour) {
    std::vector<std::string> keys;
    for (Uid tagv = 1; tagv <= 400; ++tagv) {
      const TagUids tags[] = {{1, tagv}};
      codec.Append(EncodeTsuid(layout, 1, tags), kHourSpan.BaseS(clock_.NowMs()),
                   &keys.emplace_back());
    }
    ASSERT_NO_FATAL_FAILURE(Write(keys));
    ASSERT_NO_FATAL_FAILURE(Settle());
    while (*store_->DropExpired() > 0) {
    }
    clock_.Advance(3'600'000);
    ASSERT_NO_FATAL_FAILURE(Settle());
    uint64_t bytes = 0;
    for (const uint64_t size : Sizes())
      bytes += size;
    if (hour == 2 * kTtlHours) {
      regions_after_two = Sizes().size();
      bytes_after_two = bytes;
    }
    if (hour == 10 * kTtlHours) {
      EXPECT_GT(regions_after_two, 2u);
      EXPECT_LE(5 * Sizes().size(), 6 * regions_after_two);
      EXPECT_LE(5 * bytes, 6 * bytes_after_two);
    }
  }
  EXPECT_GT(Stat("region.merges"), 10u);
  maintenance_.reset();
  store_.reset();  // before the objects it borrows
}

TEST_F(RegionMaintenanceTest, KeepsTheHistoryOfItsRegions) {
  Start(Small());
  Write({"a", "b"});
  puts_.Add(6'400, [](size_t) { return SampledPut{}; });
  clock_.Advance(RegionHistory::kStepMs);
  ASSERT_OK(maintenance_->Tick());

  const RegionLoadReport report = history_.Read(0);
  ASSERT_THAT(report.regions, SizeIs(1));
  ASSERT_EQ(report.steps, 1u);
  EXPECT_EQ(report.regions[0].steps[0].rows_written, 2u);
  EXPECT_EQ(report.regions[0].steps[0].points_written, 6'400u);
}

}  // namespace
}  // namespace hourcell::region_maintenance_test
