#include "engine/fsck.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "engine/backup_admin.h"
#include "engine/days/hour_place.h"
#include "engine/journal/journal_block.h"
#include "engine/region_admin.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/key_range.h"
#include "engine/rows/region_catalogue.h"
#include "engine/rows/series_key.h"
#include "engine/rows/uid_key.h"
#include "engine/table/table.h"
#include "engine/undo/rename_row.h"
#include "engine/undo/ttl_row.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/temp_dir.h"

namespace hourcell::fsck_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class FsckTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.seal_in_background = false;
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutPoints(tsdb.get(), 0, 200);
    ASSERT_OK(tsdb->Close());
  }

  // Another store of the same points.
  void MakeRowsOfHours() {
    options_.path = dir_.file("hours");
    options_.day_row_points = 0;
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutPoints(tsdb.get(), 0, 200);
    ASSERT_OK(tsdb->Close());
  }

  FsckReport Check(const FsckOptions& fsck = {}) {
    const auto report = RunFsck(options_, fsck);
    EXPECT_OK(report);
    return report.ok() ? *report : FsckReport();
  }

  // Changes the tables, as another program could.
  void Change(const std::vector<Mutation>& group) {
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    ASSERT_OK((*tables)->Apply(group, /*sync=*/false));
    ASSERT_OK((*tables)->Close());
  }

  // The rows of a table whose keys begin with that.
  std::map<std::string, std::string> Rows(TableId table, const std::string& prefix = "") {
    std::map<std::string, std::string> rows;
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    EXPECT_OK(tables);
    EXPECT_OK((*tables)->Snapshot()->Scan(table, PrefixRange(prefix),
                                          [&](std::string_view key, std::string_view value) {
                                            rows.emplace(key, value);
                                            return true;
                                          }));
    return rows;
  }

  std::pair<std::string, std::string> FirstRow(TableId table, const std::string& prefix = "") {
    for (const auto& row : Rows(table, prefix))
      return row;
    return {};
  }

  std::string DumpStore() { return Dump(OpenTiny(options_).get()); }

  TempDir dir_;
  Options options_ = TinyOptions(dir_.file("store"));
};

Mutation SetData(std::string key, std::string cell) {
  return {.table = TableId::kData,
          .kind = Mutation::Kind::kSet,
          .key = std::move(key),
          .value = std::move(cell)};
}

TEST_F(FsckTest, RecordsOfDeletesAreChecked) {
  options_.undo_s = 86'400;
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    ASSERT_OK(tsdb->points().DeletePoints(MakeQuery(
        Aggregator::kNone, "", {{"host", FilterType::kWildcard, "*", false}}, 0, 2'000'000'000)));
    PutPoints(tsdb.get(), 0, 20);  // takes hidden points out of rows
    ASSERT_OK(tsdb->Close());
  }
  EXPECT_THAT(Check({.drop_empty_series = true}).counts, IsEmpty());
  EXPECT_EQ(Check({.drop_empty_series = true}).dropped, 0u);
  const auto records = Rows(TableId::kSystem, "D");
  const auto taken_out = Rows(TableId::kSystem, "U");
  ASSERT_GT(records.size(), 1u);
  ASSERT_FALSE(taken_out.empty());

  Change({{TableId::kSystem, Mutation::Kind::kSet, "D", records.begin()->second + "x"},
          {TableId::kSystem, Mutation::Kind::kSet, taken_out.begin()->first, "\x03 damaged"},
          {TableId::kSystem, Mutation::Kind::kSet, "U123", ""}});
  EXPECT_THAT(Check().counts, ElementsAre(Pair(FsckFault::kDeletion, 3)));
  std::vector<Mutation> without;
  for (const auto& [key, value] : records)
    without.push_back({TableId::kSystem, Mutation::Kind::kDelete, key, ""});
  Change(without);
  EXPECT_GE(Check().counts.at(FsckFault::kDeletion), taken_out.size());
}

TEST_F(FsckTest, RecordsOfShortenedTtlsAreChecked) {
  options_.undo_s = 86'400;
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    const auto metrics = tsdb->names().Suggest(UidKind::kMetric, "", 1);
    ASSERT_OK(metrics);
    ASSERT_OK(tsdb->retention().SetMetricTtl(metrics->front(), 100 * 365 * int64_t{86'400}));
    ASSERT_OK(tsdb->Close());
  }
  EXPECT_THAT(Check().counts, IsEmpty());
  const auto records = Rows(TableId::kSystem, "T");
  ASSERT_EQ(records.size(), 1u);
  const auto& [key, value] = *records.begin();
  Change({{TableId::kSystem, Mutation::Kind::kSet, TtlRowKey(2), value},
          {TableId::kSystem, Mutation::Kind::kSet, key, value.substr(1)}});
  EXPECT_THAT(Check().counts, ElementsAre(Pair(FsckFault::kDeletion, 2)));
}

TEST_F(FsckTest, RecordsOfRenamesAreChecked) {
  options_.undo_s = 86'400;
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    const auto metrics = tsdb->names().Suggest(UidKind::kMetric, "", 1);
    ASSERT_OK(metrics);
    ASSERT_OK(tsdb->names().RenameUid(UidKind::kMetric, metrics->front(), "other"));
    ASSERT_OK(tsdb->Close());
  }
  EXPECT_THAT(Check().counts, IsEmpty());
  const auto records = Rows(TableId::kSystem, "R");
  ASSERT_EQ(records.size(), 1u);
  const auto& [key, value] = *records.begin();
  Change({{TableId::kSystem, Mutation::Kind::kSet, RenameRowKey(2), value},
          {TableId::kSystem, Mutation::Kind::kSet, key, value.substr(1)}});
  EXPECT_THAT(Check().counts, ElementsAre(Pair(FsckFault::kDeletion, 2)));
}

TEST_F(FsckTest, AGoodStoreHasNoFaults) {
  const std::string before = DumpStore();
  const FsckReport report = Check();
  EXPECT_THAT(report.counts, IsEmpty()) << report.examples[0].text;
  EXPECT_EQ(report.points, 200u);
  EXPECT_EQ(report.series, 10u);
  EXPECT_EQ(report.rows, 40u);
  EXPECT_GE(report.mappings, 24u);
  EXPECT_EQ(report.regions, 5u);
  EXPECT_EQ(DumpStore(), before);
}

TEST_F(FsckTest, PointsOfTheJournalAreDecoded) {
  {
    options_.sync = Durability::kAlways;  // each block records that those before it are on disk
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutPoints(tsdb.get(), 200, 30);
    const auto made = tsdb->maintenance().backups()->Make(dir_.file("backups"));
    ASSERT_OK(made);
    ASSERT_OK(tsdb->Close());
  }
  const auto set = BackupSet::Open(dir_.file("backups"), BackupSet::Use::kRead);
  ASSERT_OK(set);
  ASSERT_OK(RestoreBackup(**set, *(*set)->Read(1), dir_.file("other")));
  options_.path = dir_.file("other");
  const FsckReport report = Check();
  EXPECT_THAT(report.counts, IsEmpty());
  EXPECT_EQ(report.points, 200u);
  EXPECT_EQ(report.journal_points, 30u);

  const std::vector<std::string> segments = FilesIn(options_.path + "/journal");
  ASSERT_FALSE(segments.empty());
  Damage(options_.path + "/journal/" + segments[0], kSegmentHeaderBytes + 30);
  EXPECT_THAT(Check().counts, ElementsAre(Pair(FsckFault::kJournal, 1)));
}

TEST_F(FsckTest, BadRowsAreTold) {
  MakeRowsOfHours();
  const auto [key, cell] = FirstRow(TableId::kData);
  std::string no_hour = key;
  no_hour[6] = static_cast<char>(no_hour[6] + 1);
  std::string no_name = key;
  no_name[2] = 77;
  Change({SetData(key.substr(0, 9), cell), SetData(no_hour, cell), SetData(no_name, cell)});
  const FsckReport report = Check();
  EXPECT_EQ(report.counts.at(FsckFault::kKey), 2u);
  EXPECT_EQ(report.counts.at(FsckFault::kName), 1u);
  EXPECT_EQ(report.counts.at(FsckFault::kSeries), 1u);
  EXPECT_EQ(report.rows, 43u);
}

TEST_F(FsckTest, ARowInAnotherSaltBucketIsTold) {
  options_.path = dir_.file("salted");
  options_.layout.salt_width = 1;
  options_.layout.salt_buckets = 4;
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutPoints(tsdb.get(), 0, 20);
    ASSERT_OK(tsdb->Close());
  }
  EXPECT_THAT(Check().counts, IsEmpty());
  auto [key, cell] = FirstRow(TableId::kData);
  key[0] = static_cast<char>(key[0] ^ 1);
  Change({SetData(key, cell)});
  const FsckReport report = Check();
  EXPECT_THAT(report.counts, ElementsAre(Pair(FsckFault::kSalt, 1)));
  EXPECT_THAT(report.examples[0].text, HasSubstr("expected the row"));
}

TEST_F(FsckTest, CellsAreRepairedAndNothingIsLost) {
  const auto [key, cell] = FirstRow(TableId::kData);
  const std::string before = DumpStore();
  const Mutation junk = {
      .table = TableId::kData, .kind = Mutation::Kind::kMerge, .key = key, .value = "\1no cell"};
  Change({junk});
  EXPECT_THAT(Check().counts, ElementsAre(Pair(FsckFault::kDamagedRow, 1)));

  const FsckReport fixed = Check({.fix_cells = true});
  EXPECT_THAT(fixed.counts,
              ElementsAre(Pair(FsckFault::kDamagedRow, 1), Pair(FsckFault::kAside, 1)));
  EXPECT_EQ(fixed.fixed, 1u);
  EXPECT_EQ(fixed.points, 200u);
  // All points are as they were, and the bytes without an owner are kept.
  EXPECT_EQ(DumpStore(), before);
  const auto [aside, record] = FirstRow(TableId::kSystem, "aside/row/");
  // It is named by its first hour.
  std::string shown = key;
  SetTimeField(DayOfField(TimeFieldOf(key, 3)), 3, &shown);
  EXPECT_THAT(aside, HasSubstr(ToHex(shown)));
  EXPECT_THAT(record, HasSubstr("no cell"));
  EXPECT_THAT(Check({.fix_cells = true}).counts, ElementsAre(Pair(FsckFault::kAside, 1)));
}

TEST_F(FsckTest, ACellOfWhichNothingDecodesIsSetAside) {
  const auto [key, cell] = FirstRow(TableId::kData);
  Change({SetData(key, "\1no cell")});
  EXPECT_EQ(Check({.fix_cells = true}).fixed, 1u);
  EXPECT_EQ(FirstRow(TableId::kSystem, "aside/row/").second, "\1no cell");
  EXPECT_NE(FirstRow(TableId::kData).first, key);
}

TEST_F(FsckTest, ATextWithoutAUidIsTold) {
  Change({{.table = TableId::kSystem,
           .kind = Mutation::Kind::kSet,
           .key = "document/metrics/000001",
           .value = "{}"}});
  EXPECT_THAT(Check().counts, IsEmpty());
  Change({{.table = TableId::kSystem,
           .kind = Mutation::Kind::kSet,
           .key = "document/metrics/1",
           .value = "{}"}});
  const FsckReport report = Check();
  EXPECT_THAT(report.counts, ElementsAre(Pair(FsckFault::kTable, 1)));
  EXPECT_THAT(report.examples[0].text, HasSubstr("\"document/metrics/1\": expected"));
}

TEST_F(FsckTest, AViewWithoutANameIsTold) {
  Change({{.table = TableId::kSystem,
           .kind = Mutation::Kind::kSet,
           .key = "view/Web servers",
           .value = "{}"}});
  EXPECT_THAT(Check().counts, IsEmpty());
  Change(
      {{.table = TableId::kSystem, .kind = Mutation::Kind::kSet, .key = "view/", .value = "{}"}});
  const FsckReport report = Check();
  EXPECT_THAT(report.counts, ElementsAre(Pair(FsckFault::kTable, 1)));
  EXPECT_THAT(report.examples[0].text, HasSubstr("view name"));
}

TEST_F(FsckTest, ATreeWithoutANumberIsTold) {
  Change({{.table = TableId::kSystem,
           .kind = Mutation::Kind::kSet,
           .key = "tree/0001",
           .value = "{}"}});
  EXPECT_THAT(Check().counts, IsEmpty());
  Change(
      {{.table = TableId::kSystem, .kind = Mutation::Kind::kSet, .key = "tree/1", .value = "{}"}});
  const FsckReport report = Check();
  EXPECT_THAT(report.counts, ElementsAre(Pair(FsckFault::kTable, 1)));
  EXPECT_THAT(report.examples[0].text, HasSubstr("tree/ and a number"));
}

TEST_F(FsckTest, AnExpressionThatDoesNotDecodeIsReported) {
  Change({{.table = TableId::kSystem,
           .kind = Mutation::Kind::kSet,
           .key = "virtual/000001",
           .value = "\1no expression"}});
  const FsckReport report = Check();
  EXPECT_THAT(report.counts, ElementsAre(Pair(FsckFault::kTable, 1)));
  EXPECT_THAT(report.examples[0].text, HasSubstr("meta \"virtual/000001\": expression: "));
}

TEST_F(FsckTest, AMarkOfRollupsThatDoesNotDecodeIsTold) {
  const auto set = [](std::string key, std::string value) {
    return Mutation{.table = TableId::kSystem,
                    .kind = Mutation::Kind::kSet,
                    .key = std::move(key),
                    .value = std::move(value)};
  };
  Change({set("rollup/until/1", "3600 1h(sum)"), set("rollup/mark/1/0/3600/7", "")});
  EXPECT_THAT(Check().counts, IsEmpty());
  Change({set("rollup/mark/1/0/7", "")});
  const FsckReport report = Check();
  EXPECT_THAT(report.counts, ElementsAre(Pair(FsckFault::kTable, 1)));
  EXPECT_THAT(report.examples[0].text, HasSubstr("rollup/mark/1/0/7"));
}

// A row outside of its region, where the region does not declare such rows.
TEST_F(FsckTest, RowsThatRegionsHideAreTold) {
  MakeRowsOfHours();
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    ASSERT_OK(tsdb->maintenance().Compact());
    ASSERT_OK(tsdb->maintenance().regions()->Split({.region = "1", .into = 2}));
    ASSERT_OK(tsdb->Close());
  }
  const std::string before = DumpStore();
  EXPECT_THAT(Check().counts, IsEmpty());  // marked as such, and will be trimmed
  std::vector<Mutation> group;
  for (const auto& [key, value] : Rows(TableId::kSystem, "region/data/")) {
    auto region = DecodeRegion(key, value);
    ASSERT_OK(region);
    EXPECT_TRUE(region->has_references);
    region->has_references = false;
    group.push_back(SetRegion(*region));
  }
  Change(group);

  const FsckReport report = Check();
  ASSERT_THAT(report.counts, ElementsAre(Pair(FsckFault::kRegion, 2)));
  EXPECT_THAT(report.examples[0].text, HasSubstr("no rows of its sisters"));
  EXPECT_EQ(DumpStore(), before);

  // An LSM compaction leaves out rows of other regions.
  ASSERT_OK(OpenTiny(options_)->maintenance().Compact());
  EXPECT_THAT(Check().counts, IsEmpty());
  EXPECT_EQ(DumpStore(), before);
}

TEST_F(FsckTest, SeriesThatDoNotAgreeAreTold) {
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutManySeries(tsdb.get());
    ASSERT_OK(tsdb->Close());
  }
  const auto [posting, set] = FirstRow(TableId::kSeries, "p");
  const auto [tsuid, number] = FirstRow(TableId::kSeries, "t");
  Change({{.table = TableId::kSeries, .kind = Mutation::Kind::kDelete, .key = posting, .value = {}},
          {.table = TableId::kSeries,
           .kind = Mutation::Kind::kSet,
           .key = tsuid,
           .value = EncodeU64(999)}});
  const FsckReport report = Check();
  // Its number; the metric's set has the old one and lacks the new one; so does one tag's, or it is
  // the one that is gone.
  EXPECT_GE(report.counts.at(FsckFault::kIndex), 4u);
  EXPECT_THAT(report.examples[0].text, HasSubstr("series 999"));
}

TEST_F(FsckTest, NamesAreRepaired) {
  Change({{.table = TableId::kUid,
           .kind = Mutation::Kind::kDelete,
           .key = UidReverseKey(options_.layout, UidKind::kMetric, 1),
           .value = {}}});
  EXPECT_EQ(Check().counts.at(FsckFault::kUid), 1u);
  const FsckReport fixed = Check({.fix_uids = true});
  EXPECT_EQ(fixed.fixed, 1u);
  EXPECT_THAT(Check().counts, IsEmpty());
}

// The rest of an assignment of a UID that was cut off.
TEST_F(FsckTest, AUidThatNoNameLeadsToIsNoFault) {
  const auto name_uid = [this](Uid uid, const std::string& name) {
    Change({{.table = TableId::kUid,
             .kind = Mutation::Kind::kSet,
             .key = UidReverseKey(options_.layout, UidKind::kMetric, uid),
             .value = name}});
  };
  Change({{.table = TableId::kUid,
           .kind = Mutation::Kind::kSet,
           .key = UidCounterKey(UidKind::kMetric),
           .value = EncodeU64(9)}});
  const std::string name = FirstRow(TableId::kUid, "im").first.substr(2);
  name_uid(8, name);
  name_uid(9, "made.by.nobody");

  const FsckReport report = Check();

  EXPECT_THAT(report.counts, IsEmpty());
  EXPECT_EQ(report.wasted_uids, 2u);
}

TEST_F(FsckTest, AUidOfSeriesThatNoNameLeadsToIsAFault) {
  Change({{.table = TableId::kUid,
           .kind = Mutation::Kind::kDelete,
           .key = FirstRow(TableId::kUid, "im").first,
           .value = {}}});

  const FsckReport report = Check();

  EXPECT_EQ(report.counts.at(FsckFault::kUid), 1u);
  EXPECT_THAT(report.examples[0].text, HasSubstr("and series have it"));
  EXPECT_EQ(report.wasted_uids, 0u);
}

TEST_F(FsckTest, ADamagedSstFileIsToldOrKeepsTheStoreShut) {
  for (const auto& entry : std::filesystem::directory_iterator(options_.path + "/db")) {
    if (entry.path().extension() == ".sst") Damage(entry.path().string(), 10);
  }
  const auto report = RunFsck(options_, {});
  if (report.ok()) {
    EXPECT_GE(report->faults(), 1u);
  } else {
    EXPECT_THAT(report, StatusIs(StatusCode::kDataLoss));
  }
}

TEST_F(FsckTest, WhatCannotBeCheckedIsAnError) {
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  EXPECT_THAT(RunFsck(options_, {}), StatusIs(StatusCode::kUnavailable));
  options_.path = dir_.file("none");
  EXPECT_THAT(RunFsck(options_, {}), StatusIs(StatusCode::kNotFound));
}

}  // namespace
}  // namespace hourcell::fsck_test
