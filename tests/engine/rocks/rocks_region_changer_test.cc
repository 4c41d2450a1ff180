// Splits and merges of regions on RocksDB. The tests for every engine are in table_store_test.cc.

#include "engine/rocks/rocks_region_changer.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "engine/regions/region_invariants.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/store_observer.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/region_trim.h"
#include "tests/support/restless_env.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_region_changer_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TableId kTable = TableId::kData;

std::string Key(int i) {
  return fmt::format("k{:05}", i);
}

class RegionChangeTest : public testing::Test {
 protected:
  RegionChangeTest() { Reopen(); }

  void Reopen() {
    store_.reset();
    absl::StatusOr<std::unique_ptr<TableStore>> opened =
        OpenRocksTableStore(db_path(), TinyOptions(directory_.path()));
    ASSERT_OK(opened);
    store_ = *std::move(opened);
  }

  std::string db_path() const { return directory_.file("db"); }

  void Set(const std::string& key, const std::string& value) {
    const Mutation row{kTable, Mutation::Kind::kSet, key, value};
    ASSERT_OK(store_->ApplyUnlogged({&row, 1}));
    model_[key] = value;
  }
  void Delete(const std::string& key) {
    const Mutation row{kTable, Mutation::Kind::kDelete, key, ""};
    ASSERT_OK(store_->ApplyUnlogged({&row, 1}));
    model_.erase(key);
  }
  // Dissimilar rows [first, last), in files, of 200 bytes.
  void Fill(int first, int last) {
    for (int i = first; i < last; ++i) {
      std::string value;
      while (value.size() < 200)
        value += static_cast<char>(fill_.Next());
      Set(Key(i), value);
    }
    ASSERT_OK(store_->Flush(kTable));
  }

  absl::Status Split(std::vector<std::string> keys) {
    return store_->regions()->Split(kTable, {.keys = std::move(keys)});
  }
  absl::Status Merge(size_t first, size_t last) {
    const std::vector<RegionInfo> regions = store_->regions()->Regions(kTable);
    std::vector<RegionId> ids;
    for (size_t i = first; i <= last; ++i)
      ids.push_back(regions[i].id);
    return store_->regions()->MergeRegions(kTable, ids);
  }
  void TrimAll() { ASSERT_OK(TrimAllRegions(store_->regions(), kTable)); }

  std::vector<std::string> Starts() {
    std::vector<std::string> starts;
    for (const RegionInfo& region : store_->regions()->Regions(kTable))
      starts.push_back(region.range.start);
    return starts;
  }

  std::map<std::string, std::string> Rows() {
    std::map<std::string, std::string> rows;
    const absl::Status scanned =
        store_->Snapshot()->Scan(kTable, {}, [&](std::string_view key, std::string_view value) {
          EXPECT_TRUE(rows.emplace(key, value).second) << key;
          return true;
        });
    EXPECT_OK(scanned);
    return rows;
  }

  // The rows are the model's, the regions tile, and nothing else is left.
  void Check() {
    EXPECT_TRUE(Rows() == model_) << Rows().size() << " rows; expected " << model_.size();
    for (const RegionFinding& finding : CheckInvariants(store_->regions()->Regions(kTable)))
      ADD_FAILURE() << finding.text;
    EXPECT_THAT(Staged(), IsEmpty());
  }

  std::vector<std::string> Staged() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(db_path() + ".split", none))
      names.push_back(entry.path().filename());
    return names;
  }

  TempDir directory_;
  std::unique_ptr<TableStore> store_;
  std::map<std::string, std::string> model_;
  Random fill_{1};
};

TEST_F(RegionChangeTest, CutsARegionIntoMany) {
  Fill(0, 1000);
  ASSERT_OK(Split({Key(200), Key(400), Key(900)}));
  EXPECT_THAT(Starts(), ElementsAre("", Key(200), Key(400), Key(900)));
  Check();
  TrimAll();
  Check();
  for (const RegionInfo& region : store_->regions()->Regions(kTable)) {
    EXPECT_FALSE(region.has_references);
    EXPECT_THAT(region.parents, ElementsAre(RegionId{1}));
  }
  Reopen();
  Check();
}

TEST_F(RegionChangeTest, DaughtersAreCutAgainBeforeTheyAreTrimmed) {
  Fill(0, 1000);
  ASSERT_OK(Split({Key(500)}));
  ASSERT_OK(Split({Key(250)}));
  ASSERT_OK(Split({Key(100)}));
  Check();
  TrimAll();
  Check();
}

TEST_F(RegionChangeTest, APointAboveAllRowsLeavesAnEmptyRegion) {
  Fill(0, 100);
  ASSERT_OK(Split({Key(999)}));
  const std::vector<RegionUse> uses = store_->RegionUses(kTable).value();
  ASSERT_THAT(uses, SizeIs(2));
  EXPECT_EQ(uses[1].files, 0u);
  EXPECT_FALSE(uses[1].region.has_references);
  Check();
}

TEST_F(RegionChangeTest, RefusesKeysThatAreNotInsideOfOneRegion) {
  Fill(0, 10);
  ASSERT_OK(Split({Key(5)}));
  EXPECT_THAT(Split({}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Split({""}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Split({Key(5)}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("k00005")));
  EXPECT_THAT(Split({Key(3), Key(7)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("k00007")));
  EXPECT_THAT(Split({Key(7), Key(6)}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(store_->regions()->Split(TableId::kUid, {.keys = {"a"}}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(Starts(), ElementsAre("", Key(5)));
}

TEST_F(RegionChangeTest, MergesNeighboursWithTheirRows) {
  Fill(0, 1000);
  ASSERT_OK(Split({Key(300), Key(600)}));
  // Both have young files, the one with older and with younger ones than the other.
  Fill(0, 10);
  Fill(700, 710);
  Fill(5, 15);
  Delete(Key(3));
  std::unique_ptr<TableView> before = store_->Snapshot();

  ASSERT_OK(Merge(0, 2));

  EXPECT_THAT(Starts(), ElementsAre(""));
  EXPECT_THAT(store_->regions()->Regions(kTable)[0].parents, SizeIs(3));
  Check();
  EXPECT_FALSE(before->Get(kTable, Key(3)).value().has_value());
  EXPECT_TRUE(before->Get(kTable, Key(999)).value().has_value());
  before.reset();
  ASSERT_OK(store_->Compact(kTable));
  Check();
  Reopen();
  Check();
  ASSERT_OK(Split({Key(500)}));
  Check();
}

TEST_F(RegionChangeTest, EmptyNeighboursCostALineOfTheCatalogue) {
  std::vector<std::string> keys;
  for (int i = 1; i < 40; ++i)
    keys.push_back(Key(i * 100));
  ASSERT_OK(store_->regions()->Presplit(kTable, {.keys = keys}));
  Fill(1000, 1090);
  const uint64_t files = store_->RegionUses(kTable).value()[10].files;
  ASSERT_GT(files, 0u);

  ASSERT_OK(Merge(0, 39));

  EXPECT_THAT(Starts(), ElementsAre(""));
  EXPECT_EQ(store_->RegionUses(kTable).value()[0].files, files);
  Set(Key(1), "left");
  Set(Key(3950), "right");
  Check();
  ASSERT_OK(store_->Compact(kTable));
  Check();
  Reopen();
  Check();
}

// Rows of a sister that are left in the files must not come back when the range grows over them.
TEST_F(RegionChangeTest, AMergeBringsNoRowBackThatWasDeletedSince) {
  Fill(0, 1000);
  ASSERT_OK(Split({Key(500)}));
  for (int i = 500; i < 1000; ++i)
    Delete(Key(i));
  ASSERT_OK(store_->Compact(kTable));
  ASSERT_OK(Merge(0, 1));
  Check();
}

TEST_F(RegionChangeTest, RefusesToMergeWhatAreNoNeighbours) {
  ASSERT_OK(store_->regions()->Presplit(kTable, {.keys = {"b", "c"}}));
  const std::vector<RegionInfo> regions = store_->regions()->Regions(kTable);
  const auto merge = [&](std::vector<RegionId> ids) {
    return store_->regions()->MergeRegions(kTable, ids);
  };
  EXPECT_THAT(merge({}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(merge({regions[0].id}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(merge({regions[0].id, regions[0].id}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(merge({regions[2].id, regions[0].id}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("neighbours")));
  EXPECT_THAT(merge({regions[0].id, RegionId{7}}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Starts(), SizeIs(3));
}

// Writers, readers, splits, merges and trims at once.
TEST_F(RegionChangeTest, WritersAndReadersGoOn) {
  Fill(0, 2000);
  std::atomic<bool> stop = false;
  std::vector<std::jthread> threads;
  constexpr int kWriters = 2;
  std::vector<std::map<std::string, std::string>> written(kWriters);
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      Random random(static_cast<uint64_t>(writer) + 1);
      for (int round = 0; !stop; ++round) {
        std::vector<Mutation> group;
        for (int i = 0; i < 5; ++i) {
          const int row = static_cast<int>(random.Below(1000)) * kWriters + writer;
          group.push_back({kTable, Mutation::Kind::kSet, Key(row), fmt::format("v{}", round)});
        }
        ASSERT_OK(store_->ApplyUnlogged(group));
        for (const Mutation& mutation : group)
          written[static_cast<size_t>(writer)][mutation.key] = mutation.value;
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop)
      EXPECT_EQ(Rows().size(), 2000u);
  });
  threads.emplace_back([&] {
    while (!stop)
      EXPECT_OK(store_->Flush(kTable));
  });
  Random random(7);
  for (int round = 0; round < 12; ++round) {
    const size_t regions = Starts().size();
    if (regions < 3 || random.Below(2) == 0) {
      Split({Key(1 + static_cast<int>(random.Below(1998)))}).IgnoreError();  // may begin one
    } else {
      const size_t first = random.Below(regions - 1);
      const absl::Status merged = Merge(first, first + 1);
      EXPECT_TRUE(merged.ok() || absl::IsUnavailable(merged)) << merged;
    }
    EXPECT_OK(store_->regions()->TrimRegions(kTable));
  }
  stop = true;
  threads.clear();
  for (const auto& rows : written) {
    for (const auto& [key, value] : rows)
      model_[key] = value;
  }
  Check();
  Reopen();
  Check();
}

// RocksDB imports it without a look, which ended the process.
TEST_F(RegionChangeTest, ARegionWithADamagedFileIsNotSplit) {
  Fill(0, 200);
  std::filesystem::path largest;
  for (const auto& file : std::filesystem::directory_iterator(db_path())) {
    if (file.path().extension() != ".sst") continue;
    if (largest.empty() || file.file_size() > std::filesystem::file_size(largest)) largest = file;
  }
  const std::string whole = ReadFile(largest.string());
  std::string damaged = whole;
  damaged[30] = static_cast<char>(damaged[30] ^ 4);  // in its first block
  WriteFile(largest.string(), damaged);
  EXPECT_THAT(Split({Key(100)}), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(Starts(), ElementsAre(""));

  WriteFile(largest.string(), whole);
  EXPECT_OK(Split({Key(100)}));
  Check();
}

// Random changes and writes, compared with a model, in files of every age.
TEST_F(RegionChangeTest, RandomChangesKeepEveryRow) {
  constexpr uint64_t kSeed = 20;
  std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
  Random random(kSeed);
  const auto row = [&] { return Key(static_cast<int>(random.Below(500))); };
  for (int step = 0; step < 250 && !HasFailure(); ++step) {
    const size_t regions = Starts().size();
    switch (random.Below(8)) {
      case 0:
        Split({row()}).IgnoreError();  // may begin a region
        break;
      case 1:
        if (regions > 1) {
          const size_t first = random.Below(regions - 1);
          ASSERT_OK(Merge(first, std::min(regions - 1, first + 1 + random.Below(3))));
        }
        break;
      case 2:
        ASSERT_OK(store_->regions()->TrimRegions(kTable));
        break;
      case 3:
        ASSERT_OK(store_->Flush(kTable));
        break;
      case 4:
        if (random.Below(4) == 0) {
          ASSERT_OK(store_->Compact(kTable));
        } else if (random.Below(4) == 0) {
          Reopen();
        }
        break;
      default:
        for (int i = 0; i < 20; ++i)
          Set(row(), fmt::format("{}{}", step, std::string(100, 'x')));
        Delete(row());
    }
    if (step % 10 == 0) Check();
  }
  Check();
}

TEST_F(RegionChangeTest, NoOptionsFileIsWritten) {
  ASSERT_OK(store_->regions()->Presplit(kTable, {.keys = {"b", "c"}}));
  for (const auto& entry : std::filesystem::directory_iterator(db_path()))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("OPTIONS")));
}

TEST_F(RegionChangeTest, SaysWhatRegionsTake) {
  Fill(0, 1000);
  ASSERT_OK(Split({Key(500)}));
  Set(Key(1), std::string(100'000, 'x'));
  const std::vector<RegionUse> uses = store_->RegionUses(kTable).value();
  ASSERT_THAT(uses, SizeIs(2));
  const auto total = static_cast<double>(uses[0].file_bytes + uses[1].file_bytes);
  EXPECT_NEAR(static_cast<double>(uses[0].file_bytes) / total, 0.5, 0.2);
  EXPECT_GT(uses[0].memory_bytes, uses[1].memory_bytes);
  EXPECT_GT(uses[0].files, 0u);
}

// The median of many files, as the split policies look for it.
TEST_F(RegionChangeTest, AProbeFindsTheMedian) {
  Fill(0, 2000);
  Fill(2000, 4000);
  ASSERT_OK(store_->Compact(kTable));
  const RegionId id = store_->regions()->Regions(kTable)[0].id;
  const RegionProbe probe = store_->regions()->ProbeRegion(kTable, id).value();
  const SplitPoint point =
      FindSplitPoint({.range = {}, .files = probe.files, .place = SplitPlace::kBytes}, probe.probe);
  ASSERT_TRUE(point.found()) << point.reason;
  EXPECT_THAT(point.key, AllOf(testing::Ge(Key(1700)), testing::Le(Key(2300))));
  EXPECT_TRUE(model_.contains(point.key)) << point.key;
  EXPECT_THAT(store_->regions()->ProbeRegion(kTable, RegionId{99}),
              StatusIs(absl::StatusCode::kNotFound));
}

// The n-th write to the disk fails, for each n, while regions are split, trimmed and merged.
class RegionFaultTest : public testing::Test {
 protected:
  std::unique_ptr<TableStore> Open(std::vector<StoreObserver*> observers = {}) {
    Options options = TinyOptions(directory_->path());
    options.env = env_.get();
    options.observers = std::move(observers);
    options.clock = clock_;
    absl::StatusOr<std::unique_ptr<TableStore>> opened =
        OpenRocksTableStore(directory_->file("db"), options);
    EXPECT_OK(opened);
    return opened.ok() ? *std::move(opened) : nullptr;
  }

  static absl::Status Set(TableStore* store, const std::string& key, const std::string& value) {
    const Mutation row{kTable, Mutation::Kind::kSet, key, value};
    return store->ApplyUnlogged({&row, 1});
  }

  void Fill(TableStore* store) {
    for (int i = 0; i < 60; ++i) {
      ASSERT_OK(Set(store, Key(i), "v"));
      if (i % 20 != 19) continue;
      ASSERT_OK(store->Flush(kTable));
    }
  }

  // A refused change is tried no further.
  static absl::Status Change(TableStore* store) {
    HOURCELL_RETURN_IF_ERROR(store->regions()->Split(kTable, {.keys = {Key(20), Key(30)}}));
    HOURCELL_RETURN_IF_ERROR(store->regions()->TrimRegions(kTable).status());
    const std::vector<RegionInfo> regions = store->regions()->Regions(kTable);
    const std::vector<RegionId> ids = {regions[0].id, regions[1].id};
    return store->regions()->MergeRegions(kTable, ids);
  }

  static void Check(TableStore* store) {
    int rows = 0;
    EXPECT_OK(store->Snapshot()->Scan(kTable, {}, [&](std::string_view key, auto) {
      EXPECT_EQ(key, Key(rows++));
      return true;
    }));
    EXPECT_EQ(rows, 60);
    EXPECT_THAT(CheckInvariants(store->regions()->Regions(kTable)), IsEmpty());
  }

  void Start() {
    directory_.emplace();
    fs_ = std::make_shared<FaultFs>();
    env_ = NewRestlessEnv(fs_);
  }

  std::optional<TempDir> directory_;
  Clock* clock_ = nullptr;  // null: the machine's
  std::shared_ptr<FaultFs> fs_;
  std::unique_ptr<rocksdb::Env> env_;
};

// The ids that changes were to give to new regions, in order.
class IdRecorder : public StoreObserver {
 public:
  absl::Status BeforeRegionChange(const RegionChange& change) override {
    for (const ObservedRegion& daughter : change.daughters)
      ids.push_back(daughter.id);
    return absl::OkStatus();
  }

  std::vector<uint64_t> ids;
};

// Families are named by ids: one that could not be dropped must not be met again by its name.
TEST_F(RegionFaultTest, IdsOfAFailedChangeAreNotUsedAgainByTheNextProcess) {
  Start();
  ManualClock clock(1);  // ids are times unless they would not ascend
  clock_ = &clock;
  IdRecorder recorder;
  std::unique_ptr<TableStore> store = Open({&recorder});
  Fill(store.get());
  ASSERT_OK(Set(store.get(), Key(0), "v"));
  fs_->FailOn({.operations = FaultFs::kCreate, .is_lasting = true, .files = FaultFs::kSstFile});
  ASSERT_FALSE(store->regions()->Split(kTable, {.keys = {Key(20)}}).ok());
  store.reset();
  fs_->Heal();

  store = Open({&recorder});
  ASSERT_OK(store->regions()->Split(kTable, {.keys = {Key(20)}}));

  EXPECT_THAT(recorder.ids, ElementsAre(3, 4, 5, 6));
}

TEST_F(RegionFaultTest, AFailedWriteLosesNothing) {
  constexpr uint64_t kStride = kIsSanitized ? 3 : 1;
  bool has_failed = true;
  for (uint64_t n = 1; has_failed && n < 1000 && !HasFailure(); n += kStride) {
    SCOPED_TRACE(testing::Message() << "write " << n);
    Start();
    std::unique_ptr<TableStore> store = Open();
    Fill(store.get());
    fs_->FailOn({.nth = n});
    const uint64_t before = fs_->Count();
    Change(store.get()).IgnoreError();
    has_failed = fs_->Count() - before >= n;
    fs_->Heal();
    Check(store.get());
    // A region whose commit failed refuses writes; any that it does accept must stay.
    const bool is_written = Set(store.get(), Key(25), "w").ok() && store->Flush(kTable).ok();
    store.reset();
    store = Open();
    ASSERT_NE(store, nullptr);
    Check(store.get());
    EXPECT_TRUE(!is_written || store->Snapshot()->Get(kTable, Key(25)).value() == "w");
    ASSERT_OK(Set(store.get(), Key(25), "x"));
    std::error_code none;
    EXPECT_FALSE(std::filesystem::exists(directory_->file("db") + ".split", none));
  }
  EXPECT_FALSE(has_failed) << "the sweep never came to its end";
}

// After a failed commit it is unknown which region has the keys, until the store is opened again.
TEST_F(RegionFaultTest, ARegionWhoseChangeFailedHalfWayTakesNoOther) {
  constexpr uint32_t kWrites = FaultFs::kAppend | FaultFs::kSync;
  bool has_failed = true;
  int refused = 0;
  for (uint64_t n = 1; has_failed && n < 200 && !HasFailure(); ++n) {
    SCOPED_TRACE(testing::Message() << "write " << n);
    Start();
    const std::unique_ptr<TableStore> store = Open();
    Fill(store.get());
    fs_->FailOn(
        {.operations = kWrites, .nth = n, .is_lasting = true, .with = FaultFs::Failure::kNoSpace});
    const uint64_t before = fs_->Count(kWrites);
    store->regions()->Split(kTable, {.keys = {Key(20)}}).IgnoreError();
    has_failed = fs_->Count(kWrites) - before >= n;
    fs_->Heal();
    // The database continues.
    const Mutation row{TableId::kUid, Mutation::Kind::kSet, "a", "b"};
    store->Apply({&row, 1}, /*sync=*/false).IgnoreError();
    const absl::Status again = store->regions()->Split(kTable, {.keys = {Key(10)}});
    if (absl::IsUnavailable(again) && again.message().find("halfway") != again.message().npos)
      ++refused;
    Check(store.get());
  }
  EXPECT_FALSE(has_failed) << "the sweep never came to its end";
  EXPECT_GT(refused, 0);
}

TEST_F(RegionFaultTest, APowerLossAtAnyWriteLosesNothing) {
  // With ThreadSanitizer RocksDB rests for a second after each failure, see restless_env.h.
  constexpr uint64_t kStride = kIsThreadSanitized ? 12 : kIsSanitized ? 4 : 1;
  bool has_failed = true;
  for (uint64_t n = 1; has_failed && n < 1000 && !HasFailure(); n += kStride) {
    SCOPED_TRACE(testing::Message() << "write " << n);
    Start();
    std::unique_ptr<TableStore> store = Open();
    Fill(store.get());
    const uint64_t before = fs_->Count();
    fs_->FailOn({.nth = n, .is_lasting = true});
    Change(store.get()).IgnoreError();
    has_failed = fs_->Count() - before >= n;
    store.reset();
    fs_->LoseUnsynced(/*seed=*/n, FaultFs::Loss::kEnds);
    fs_->Heal();
    store = Open();
    ASSERT_NE(store, nullptr);
    Check(store.get());
    ASSERT_OK(Set(store.get(), Key(25), "x"));
  }
  EXPECT_FALSE(has_failed) << "the sweep never came to its end";
}

// Writers of all regions wait while RocksDB imports the files of a daughter: for the sync of the
// manifest, which may have records of flushes, too. They wait for no other sync of a split.
TEST_F(RegionFaultTest, OtherRegionsAreWrittenWhileASplitSyncs) {
  Start();
  const std::unique_ptr<TableStore> store = Open();
  Fill(store.get());
  ASSERT_OK(store->regions()->Split(kTable, {.keys = {Key(40)}}));
  ASSERT_OK(Set(store.get(), Key(10), "v"));
  std::vector<std::future<absl::Status>> writes;
  std::vector<std::string> waited_for;
  const std::thread::id splitting = std::this_thread::get_id();
  fs_->SetHook([&](FaultFs::Operation operation, const std::string& path) {
    const bool is_sync = operation == FaultFs::kSync || operation == FaultFs::kDirectorySync;
    if (!is_sync || std::this_thread::get_id() != splitting) return;
    writes.push_back(
        std::async(std::launch::async, [&] { return Set(store.get(), Key(50), "v"); }));
    // A write that waits does so until the sync ends, which is after the hook.
    const auto limit =
        std::chrono::seconds(FaultFs::KindOf(path) == FaultFs::kManifestFile ? 1 : 60);
    if (writes.back().wait_for(limit) == std::future_status::ready) return;
    waited_for.push_back(std::filesystem::path(path).filename().string().substr(0, 8));
  });
  ASSERT_OK(store->regions()->Split(kTable, {.keys = {Key(20)}}));
  fs_->SetHook({});

  EXPECT_THAT(waited_for, ElementsAre("MANIFEST", "MANIFEST"));
  EXPECT_GT(writes.size(), waited_for.size());
  for (std::future<absl::Status>& write : writes)
    EXPECT_OK(write.get());
  Check(store.get());
}

// A row that cannot be read is not treated as missing: families that no row of the catalogue names
// are dropped when a store is opened.
TEST_F(RegionFaultTest, AFailedReadWhileOpeningDropsNoRegion) {
  Start();
  std::unique_ptr<TableStore> store = Open();
  Fill(store.get());
  // Long keys, so that the catalogue has several blocks, and any block may fail.
  std::vector<std::string> keys;
  for (int i = 4; i < 60; i += 5)
    keys.push_back(Key(i) + std::string(2000, 'x'));
  ASSERT_OK(store->regions()->Split(kTable, {.keys = keys}));
  ASSERT_OK(store->Flush(TableId::kSystem));
  bool has_failed = true;
  for (uint64_t n = 1; has_failed && !HasFailure(); n += 1 + n / 16) {
    SCOPED_TRACE(testing::Message() << "read " << n);
    store.reset();
    fs_->FailOn({.operations = FaultFs::kAllReads, .nth = n});
    Options options = TinyOptions(directory_->path());
    options.env = env_.get();
    const size_t before = fs_->Log().size();
    auto opened = OpenRocksTableStore(directory_->file("db"), options);
    has_failed = fs_->Log().size() > before;
    EXPECT_FALSE(absl::IsNotFound(opened.status())) << opened.status();
    opened = absl::UnknownError("closed");
    fs_->Heal();
    store = Open();
    ASSERT_NE(store, nullptr) << fs_->Log();
    EXPECT_THAT(store->regions()->Regions(kTable), SizeIs(13));
    Check(store.get());
  }
}

}  // namespace
}  // namespace hourcell::rocks_region_changer_test
