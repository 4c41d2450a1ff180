// Named damages of the journal and RocksDB's WAL of a killed store. If synced bytes are missing,
// the open is refused and names the file; of unsynced bytes only the damaged blocks are lost, and
// the loss is reported. docs/damage.md has the table.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "engine/fsck.h"
#include "engine/fsck_admin.h"
#include "engine/journal/journal_block.h"
#include "engine/journal/journal_segment.h"
#include "engine/tsdb.h"
#include "tests/damage/full_store.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::killed_store_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Options SyncedOptions(const std::string& path) {
  Options options = FullStoreOptions(path);
  options.sync = Durability::kAlways;
  options.journal_segment_bytes = 4 << 10;
  return options;
}

// The files of a directory of the store with that ending, ascending; those of nothing left out.
std::vector<std::string> Files(const std::string& store,
                               const std::string& folder,
                               const std::string& ending) {
  std::vector<std::string> files;
  for (const std::string& name : FilesIn(store + "/" + folder)) {
    const std::string path = store + "/" + folder + "/" + name;
    if (name.ends_with(ending) && fs::file_size(path) > 0) files.push_back(path);
  }
  HOURCELL_CHECK(!files.empty());
  return files;
}

std::string Wal(const std::string& store) {
  return Files(store, "db", ".log").back();
}

std::vector<std::string> Segments(const std::string& store) {
  std::vector<std::string> segments = Files(store, "journal", ".log");
  HOURCELL_CHECK(segments.size() > 3);
  return segments;
}

// Of its bytes, the middle one.
void FlipMiddle(const std::string& path) {
  Damage(path, ReadFile(path).size() / 2);
}

void CutHalf(const std::string& path) {
  const std::string content = ReadFile(path);
  WriteFile(path, content.substr(0, content.size() / 2));
}

// Where a block is in its segment.
struct BlockPlace {
  size_t begin = 0;
  size_t end = 0;
  uint64_t sequence = 0;
};

// The blocks of a segment that is whole.
std::vector<BlockPlace> BlocksIn(const std::string& path) {
  const uint64_t number = SegmentNumberOf(fs::path(path).filename().string()).value();
  const std::string bytes = ReadFile(path);
  uint64_t sequence = DecodeSegmentHeader(bytes, number)->first_sequence;
  std::vector<BlockPlace> places;
  for (size_t at = kSegmentHeaderBytes; at < bytes.size(); at = places.back().end) {
    const auto block = DecodeJournalBlock(std::string_view(bytes).substr(at), number, sequence);
    HOURCELL_CHECK(block.ok());
    places.push_back({.begin = at, .end = at + block->size(), .sequence = sequence++});
  }
  return places;
}

struct KilledDamage {
  std::string name;
  std::function<void(const std::string& store)> damage;
  std::string says;
};

std::vector<KilledDamage> KilledDamages() {
  return {{"WalFlipped", [](const auto& s) { FlipMiddle(Wal(s)); }, ".log: expected the CRC"},
          {"WalCut", [](const auto& s) { CutHalf(Wal(s)); }, "that were synced"},
          {"WalMissing", [](const auto& s) { fs::remove(Wal(s)); }, ".log is missing"},
          {"SegmentFlipped", [](const auto& s) { FlipMiddle(Segments(s)[1]); }, "it was synced"},
          {"SegmentCut", [](const auto& s) { CutHalf(Segments(s)[1]); }, "it was synced"},
          {"SegmentMissing", [](const auto& s) { fs::remove(Segments(s)[1]); }, "is missing"},
          {"FirstSegmentMissing", [](const auto& s) { fs::remove(Segments(s)[0]); }, "are missing"},
          {"LastSegmentMissing", [](const auto& s) { fs::remove(Segments(s).back()); },
           "synced says are on disk"},
          {"LastSegmentFlipped", [](const auto& s) { FlipMiddle(Segments(s).back()); },
           "it was synced"},
          {"LastBlockCut",
           [](const auto& s) {
             const std::string last = Segments(s).back();
             fs::resize_file(last, BlocksIn(last).back().begin);
           },
           "synced says are on disk"},
          {"AllSegmentsMissing",
           [](const auto& s) {
             for (const std::string& segment : Segments(s))
               fs::remove(segment);
           },
           "synced says are on disk"},
          {"SegmentRenumbered",
           [](const auto& s) {
             fs::rename(Segments(s).back(), s + "/journal/" + fmt::format("{:020}.log", 99));
           },
           "is missing"},
          {"JournalMissing", [](const auto& s) { fs::remove_all(s + "/journal"); },
           "journal is missing"}};
}

class KilledStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto tsdb = Tsdb::Open(SyncedOptions(dir_.file("store")));
    ASSERT_OK(tsdb);
    for (int i = 0; i < 400; ++i) {
      OwnedPoint point("m", fmt::format("host=h{}", i % 40), 1356998400 + i, i);
      ASSERT_OK((*tsdb)->points().Put(point.view()));
    }
    const AnnotationEdit note{.tsuid = "", .start_time = 1356998400, .description = "noted"};
    ASSERT_OK((*tsdb)->annotations().Put({&note, 1}, AnnotationWrite::kReplace));
    answers_ = AskAll(tsdb->get());
    killed_ = CopyStore(dir_.file("store"), dir_);
  }

  // One more, for each damage.
  std::string Copy() {
    CopyFiles(killed_, dir_.file("damaged"));
    return dir_.file("damaged");
  }

  TempDir dir_;
  std::string killed_;
  std::vector<StoreAnswer> answers_;
};

TEST_F(KilledStoreTest, AnswersAsBefore) {
  const auto tsdb = Tsdb::Open(SyncedOptions(Copy()));
  ASSERT_OK(tsdb);
  EXPECT_THAT(WrongAnswers(answers_, AskAll(tsdb->get())), testing::IsEmpty());
}

TEST_F(KilledStoreTest, WhatWasSyncedAndIsNotThereIsRefused) {
  for (const KilledDamage& damage : KilledDamages()) {
    SCOPED_TRACE(damage.name);
    const std::string store = Copy();
    damage.damage(store);
    const auto tsdb = Tsdb::Open(SyncedOptions(store));
    EXPECT_THAT(tsdb.status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(damage.says)));
  }
}

TEST_F(KilledStoreTest, AHeaderOfASegmentCostsNoBlock) {
  for (const size_t segment : {0u, 1u}) {
    SCOPED_TRACE(segment);
    const std::string store = Copy();
    Damage(Segments(store)[segment], 20);
    const auto tsdb = Tsdb::Open(SyncedOptions(store));
    ASSERT_OK(tsdb);
    EXPECT_THAT(WrongAnswers(answers_, AskAll(tsdb->get())), testing::IsEmpty());
    EXPECT_EQ((*tsdb)->stats().counter("journal.cut_bytes")->value(), kSegmentHeaderBytes);
  }
}

// The damage to the bytes from `begin` to `end` of a segment.
enum class Becomes : uint8_t { kFlipped, kZeros, kGarbage, kCutOff };

struct UnsyncedDamage {
  std::string name;
  size_t segment = 0;  // from the end, if `is_from_end`
  bool is_from_end = false;
  size_t begin = 0;
  size_t bytes = 1;
  Becomes becomes = Becomes::kFlipped;
  size_t points = 0;  // of 400 that are left at least
};

// A point is a separate block of some 40 bytes, and a segment has some 100 points.
std::vector<UnsyncedDamage> UnsyncedDamages() {
  return {{.name = "ABitInABlock", .begin = 2000, .points = 399},
          {.name = "ABitInTheFirstHeader", .begin = 20, .points = 400},
          {.name = "ABitInAnotherHeader", .segment = 1, .begin = 20, .points = 400},
          {.name = "ABitInTheLastBlocks",
           .segment = 0,
           .is_from_end = true,
           .begin = 100,
           .points = 399},
          {.name = "AZeroedSector",
           .begin = 512,
           .bytes = 512,
           .becomes = Becomes::kZeros,
           .points = 380},
          {.name = "GarbageInTwoSectors",
           .segment = 1,
           .begin = 1024,
           .bytes = 1024,
           .becomes = Becomes::kGarbage,
           .points = 365},
          {.name = "TheFrontOfTheFirstZeroed",
           .begin = 0,
           .bytes = 512,
           .becomes = Becomes::kZeros,
           .points = 380},
          {.name = "TheFirstCut",
           .begin = 2000,
           .bytes = 1 << 20,
           .becomes = Becomes::kCutOff,
           .points = 330},
          {.name = "AnotherEmptied",
           .segment = 1,
           .begin = 0,
           .bytes = 1 << 20,
           .becomes = Becomes::kCutOff,
           .points = 280},
          {.name = "TheLastCut",
           .segment = 0,
           .is_from_end = true,
           .begin = 101,
           .bytes = 1 << 20,
           .becomes = Becomes::kCutOff,
           .points = 280}};
}

// A store that is never synced, killed with 400 points in its journal, the values 0 to 399.
class KilledUnsyncedStoreTest : public testing::Test {
 protected:
  static constexpr int kPoints = 400;
  static constexpr int64_t kFrom = 1356998400;

  Options UnsyncedOptions(const std::string& path) {
    Options options = FullStoreOptions(path);
    options.sync = Durability::kNever;
    options.journal_segment_bytes = 4 << 10;
    options.warn = [this](std::string_view message) { warnings_.emplace_back(message); };
    return options;
  }

  void SetUp() override {
    const auto tsdb = Tsdb::Open(UnsyncedOptions(dir_.file("store")));
    ASSERT_OK(tsdb);
    for (int i = 0; i < kPoints; ++i) {
      OwnedPoint point("m", fmt::format("host=h{}", i % 5), kFrom + i, i);
      ASSERT_OK((*tsdb)->points().Put(point.view()));
    }
    killed_ = CopyStore(dir_.file("store"), dir_);
  }

  static std::set<int64_t> Values(Tsdb* tsdb) {
    std::set<int64_t> values;
    const auto result =
        tsdb->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kFrom, kFrom + 4 * kPoints));
    EXPECT_OK(result);
    if (!result.ok()) return values;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points)
        values.insert(point.value.integer());
    }
    return values;
  }

  // Damages the copy, and returns the values of the blocks that are hit.
  static std::set<int64_t> Apply(const UnsyncedDamage& damage, const std::string& store) {
    const std::vector<std::string> segments = Segments(store);
    const std::string& path = damage.is_from_end ? segments[segments.size() - 1 - damage.segment]
                                                 : segments[damage.segment];
    std::set<int64_t> hit;
    std::string bytes = ReadFile(path);
    const size_t end = std::min(bytes.size(), damage.begin + damage.bytes);
    for (const BlockPlace& block : BlocksIn(path)) {
      if (block.begin < end && block.end > damage.begin) {
        hit.insert(static_cast<int64_t>(block.sequence) - 1);
      }
    }
    Random random(7);
    for (size_t at = damage.begin; at < end; ++at) {
      if (damage.becomes == Becomes::kFlipped) bytes[at] = static_cast<char>(bytes[at] ^ 4);
      if (damage.becomes == Becomes::kZeros) bytes[at] = '\0';
      if (damage.becomes == Becomes::kGarbage) bytes[at] = static_cast<char>(random.Below(256));
    }
    if (damage.becomes == Becomes::kCutOff) bytes.resize(damage.begin);
    WriteFile(path, bytes);
    return hit;
  }

  void Check(const UnsyncedDamage& damage) {
    const std::string store = dir_.file("damaged");
    CopyFiles(killed_, store);
    std::set<int64_t> want = all_;
    for (const int64_t lost : Apply(damage, store))
      want.erase(lost);
    EXPECT_GE(want.size(), damage.points);
    warnings_.clear();
    {
      const auto tsdb = Tsdb::Open(UnsyncedOptions(store));
      ASSERT_OK(tsdb);
      EXPECT_EQ(Values(tsdb->get()), want);
      EXPECT_GT((*tsdb)->stats().counter("journal.cut_blocks")->value() +
                    (*tsdb)->stats().counter("journal.cut_bytes")->value(),
                0U);
      EXPECT_THAT(warnings_, testing::Contains(testing::AllOf(HasSubstr("journal: 0000"),
                                                              HasSubstr("removed bytes"))));
      const auto report = (*tsdb)->maintenance().fsck()->Check({});
      ASSERT_OK(report);
      EXPECT_GT(report->counts.count(FsckFault::kCut), 0U);
      // Sealed, and lost no more.
      ASSERT_OK((*tsdb)->Close());
    }
    CheckUntilAcknowledged(store);
    const auto tsdb = Tsdb::Open(UnsyncedOptions(store));
    ASSERT_OK(tsdb);
    EXPECT_EQ(Values(tsdb->get()), want);
  }

  // Every check reports the cuts, until one acknowledges them.
  void CheckUntilAcknowledged(const std::string& store) {
    for (const bool acknowledge : {false, true}) {
      const auto report = RunFsck(UnsyncedOptions(store), {.acknowledge_cuts = acknowledge});
      ASSERT_OK(report);
      EXPECT_GT(report->counts.count(FsckFault::kCut), 0U);
      EXPECT_EQ(report->faults(), report->counts.at(FsckFault::kCut));
    }
    const auto report = RunFsck(UnsyncedOptions(store), {});
    ASSERT_OK(report);
    EXPECT_EQ(report->faults(), 0U);
  }

  TempDir dir_;
  std::string killed_;
  std::vector<std::string> warnings_;
  std::set<int64_t> all_ = [] {
    std::set<int64_t> all;
    for (int i = 0; i < kPoints; ++i)
      all.insert(i);
    return all;
  }();
};

TEST_F(KilledUnsyncedStoreTest, JustTheDamagedBlocksAreLostAndThatIsTold) {
  for (const UnsyncedDamage& damage : UnsyncedDamages()) {
    SCOPED_TRACE(damage.name);
    Check(damage);
  }
}

// 4,000 points in files, 8,000 in the journal after them, in one segment.
TEST_F(KilledUnsyncedStoreTest, ABitInABlockBelowTheLowMarkCostsNothing) {
  Options options = UnsyncedOptions(dir_.file("flushed"));
  options.journal_segment_bytes = 4 << 20;
  const auto tsdb = Tsdb::Open(options);
  ASSERT_OK(tsdb);
  const auto put = [&](int64_t from, int64_t count) {
    std::vector<OwnedPoint> points;
    std::vector<PointView> views;
    for (int64_t i = from; i < from + count; ++i)
      points.emplace_back("big", "host=a", kFrom + i, i);
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    return (*tsdb)->points().Append(views, nullptr).Wait();
  };
  ASSERT_OK(put(0, 4000));
  ASSERT_OK((*tsdb)->maintenance().Flush());
  for (int64_t from = 4000; from < 12'000; from += 2000)
    ASSERT_OK(put(from, 2000));
  const std::string copy = dir_.file("damaged");
  CopyFiles(dir_.file("flushed"), copy);
  const std::string segment = Files(copy, "journal", ".log").front();
  ASSERT_EQ(BlocksIn(segment).size(), 5U);
  Damage(segment, BlocksIn(segment).front().begin + 100);

  const auto opened = Tsdb::Open(UnsyncedOptions(copy));
  ASSERT_OK(opened);
  const auto result =
      (*opened)->queries().Query(MakeQuery(Aggregator::kNone, "big", {}, kFrom, kFrom + 12'000));
  ASSERT_OK(result);
  EXPECT_EQ(result->series.at(0).points.size(), 12'000U);
  EXPECT_EQ((*opened)->stats().counter("journal.cut_blocks")->value(), 0U);
  EXPECT_GT((*opened)->stats().counter("journal.cut_bytes")->value(), 0U);
}

}  // namespace
}  // namespace hourcell::killed_store_test
