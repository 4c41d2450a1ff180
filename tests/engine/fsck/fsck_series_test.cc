#include "engine/fsck/fsck_series.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include "engine/fsck.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/key_range.h"
#include "engine/rows/series_key.h"
#include "engine/series/series_rows.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/support/temp_dir.h"

namespace hourcell::fsck_series_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// How often a check of a store with `series` series searches for rows, rather than read one after
// another.
uint64_t SearchesOfCheck(int series) {
  const TempDir dir;
  const Options options = TinyOptions(dir.file("store"));
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
    for (int i = 0; i < series; ++i) {
      OwnedPoint point("many", fmt::format("id=i{}", i), kBackupHour, i);
      EXPECT_OK(tsdb->points().Put(point.view()));
    }
    EXPECT_OK(tsdb->Close());
  }
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  const auto report = RunFsck(options, {});
  EXPECT_OK(report);
  EXPECT_THAT(report->counts, IsEmpty());
  EXPECT_EQ(report->series, static_cast<uint64_t>(series));
  const rocksdb::PerfContext& counts = *rocksdb::get_perf_context();
  const uint64_t searches = counts.seek_on_memtable_count + counts.get_from_memtable_count;
  EXPECT_GT(searches, 0u);
  return searches;
}

// A good store is read from one end to the other, however many series it has.
TEST(FsckSeriesTest, SeriesAreReadInOrderAndNotLookedUpOneByOne) {
  const uint64_t of_few = SearchesOfCheck(640);
  const uint64_t of_many = SearchesOfCheck(6400);
  EXPECT_LT(of_many, of_few + 200);
}

// Whatever row of the index is gone, fsck reports it.
TEST(FsckSeriesTest, EveryMissingIndexRowIsTold) {
  TempDir dir;
  Options options = TinyOptions(dir.file("store"));
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
    PutManySeries(tsdb.get());
    ASSERT_OK(tsdb->Close());
  }
  for (const std::string prefix : {"m", "p", "t", "n"}) {
    SCOPED_TRACE(prefix);
    std::string key;
    std::string value;
    const auto set = [&](Mutation::Kind kind) {
      const auto tables = OpenRocksTableStore(options.path + "/db", options);
      ASSERT_OK(tables);
      if (key.empty()) {
        ASSERT_OK((*tables)->Snapshot()->Scan(TableId::kSeries, {.begin = prefix, .end = ""},
                                              [&](std::string_view k, std::string_view v) {
                                                key = k;
                                                value = v;
                                                return false;
                                              }));
      }
      const Mutation change{.table = TableId::kSeries, .kind = kind, .key = key, .value = value};
      ASSERT_OK((*tables)->Apply({&change, 1}, /*sync=*/false));
      ASSERT_OK((*tables)->Close());
    };
    set(Mutation::Kind::kDelete);
    ASSERT_EQ(key.substr(0, 1), prefix);
    const auto report = RunFsck(options, {});
    ASSERT_OK(report);
    EXPECT_GE(report->faults(), 1u);
    EXPECT_EQ(report->fixed, 0u);
    set(Mutation::Kind::kSet);
    const auto good = RunFsck(options, {});
    ASSERT_OK(good);
    EXPECT_THAT(good->counts, IsEmpty());
  }
}

// Sets of a metric without series, of a tag that none of a metric's series has, and one of the
// former that does not decode.
TEST(FsckSeriesTest, SetsOfMetricsAndTagsThatNoSeriesHasAreTold) {
  TempDir dir;
  Options options = TinyOptions(dir.file("store"));
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
    PutManySeries(tsdb.get());
    ASSERT_OK(tsdb->Close());
  }
  const auto check = [&](bool fix) {
    const auto report = RunFsck(options, {.fix_index = fix});
    EXPECT_OK(report);
    return report.value_or(FsckReport());
  };
  EXPECT_THAT(check(false).counts, IsEmpty());
  const auto plant = [&](std::string prefix, const std::string& set) {
    AppendPostingChunk(1, &prefix);
    const auto tables = OpenRocksTableStore(options.path + "/db", options);
    ASSERT_OK(tables);
    const Mutation row = SetSeries(std::move(prefix), set);
    ASSERT_OK((*tables)->Apply({&row, 1}, /*sync=*/false));
    ASSERT_OK((*tables)->Close());
  };
  const Layout& layout = options.layout;
  plant(MetricPostingPrefix(layout, 9), PostingOfOne(5));
  plant(TagPostingPrefix(layout, 9, {.tagk = 1, .tagv = 1}), PostingOfOne(999));
  plant(TagPostingPrefix(layout, 1, {.tagk = 7, .tagv = 1}), PostingOfOne(999));
  plant(MetricPostingPrefix(layout, 8), "\x01\x07");

  const FsckReport report = check(false);
  EXPECT_THAT(report.counts, ElementsAre(Pair(FsckFault::kIndex, 4)));
  std::string texts;
  for (const FsckFinding& finding : report.examples)
    texts += finding.text + "\n";
  EXPECT_THAT(texts, HasSubstr("metric 9: it has 5"));
  EXPECT_THAT(texts, HasSubstr("metric 9 and tag 1=1: it has 999"));
  EXPECT_THAT(texts, HasSubstr("metric 1 and tag 7=1: it has 999"));
  EXPECT_THAT(texts, HasSubstr("metric 8: posting set: does not decode"));

  // The number of a series of another metric contradicts itself, and is left alone.
  EXPECT_EQ(check(true).fixed, 3u);
  EXPECT_THAT(check(false).counts, ElementsAre(Pair(FsckFault::kIndex, 1)));
}

class FsckSeriesRepairTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutManySeries(tsdb.get());
    before_ = Dump(tsdb.get());
    ASSERT_OK(tsdb->Close());
  }

  // Sets the rows that begin with the parameter to that; nothing: deletes them.
  void ChangeRows(const std::optional<std::string>& value) {
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    std::vector<Mutation> group;
    ASSERT_OK((*tables)->Snapshot()->Scan(
        TableId::kSeries, PrefixRange(GetParam()), [&](std::string_view key, std::string_view) {
          group.push_back({TableId::kSeries,
                           value.has_value() ? Mutation::Kind::kSet : Mutation::Kind::kDelete,
                           std::string(key), value.value_or("")});
          return true;
        }));
    ASSERT_FALSE(group.empty());
    ASSERT_OK((*tables)->Apply(group, /*sync=*/false));
    ASSERT_OK((*tables)->Close());
  }

  // Every series is found by its tag, and no row of points has changed.
  void ExpectWhole() {
    const auto fixed = RunFsck(options_, {.fix_index = true});
    ASSERT_OK(fixed);
    EXPECT_GE(fixed->fixed, 1u);
    const auto good = RunFsck(options_, {});
    ASSERT_OK(good);
    EXPECT_THAT(good->counts, IsEmpty()) << good->examples[0].text;
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    EXPECT_EQ(Dump(tsdb.get()), before_);
    for (int i = 0; i < 128; i += 9) {
      const auto result = tsdb->queries().Query(
          MakeQuery(Aggregator::kSum, "many", {{.tagk = "id", .filter = fmt::format("i{}", i)}},
                    kBackupHour, kBackupHour + 3600));
      ASSERT_OK(result);
      ASSERT_EQ(result->series.size(), 1u) << i;
    }
  }

  TempDir dir_;
  Options options_ = TinyOptions(dir_.file("store"));
  std::string before_;
};

TEST_P(FsckSeriesRepairTest, WhatIsGoneIsMadeAgain) {
  ChangeRows(std::nullopt);
  ExpectWhole();
}

INSTANTIATE_TEST_SUITE_P(Rows, FsckSeriesRepairTest, testing::Values("m", "n", "p", "t"));

using FsckPostingRepairTest = FsckSeriesRepairTest;

TEST_P(FsckPostingRepairTest, WhatDoesNotDecodeIsMadeAgain) {
  ChangeRows("\x07");
  ExpectWhole();
}

TEST_P(FsckPostingRepairTest, NumbersThatNoSeriesHasGo) {
  ChangeRows(PostingOfOne(999));
  ExpectWhole();
}

INSTANTIATE_TEST_SUITE_P(Rows, FsckPostingRepairTest, testing::Values("m", "p"));

}  // namespace
}  // namespace hourcell::fsck_series_test
