// The conformance suite on Bigtable, without and with faults, and further properties of this store.

#include "engine/bigtable/bigtable_table_store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "engine/bigtable/rows/row_tidy.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/rows/series_key.h"
#include "tests/engine/bigtable/bigtable_engine.h"

namespace hourcell {
namespace {

EngineCase CaseOf(const std::string& name, const BigtableFaults& faults, size_t page_rows) {
  return {name, [faults, page_rows] {
            auto engine = std::make_unique<BigtableEngine>(faults);
            engine->page_rows = page_rows;
            return engine;
          }};
}

EngineCase GooglesCaseOf(const std::string& name, size_t page_rows) {
  return {name, [page_rows] {
            auto engine = GoogleEngine::MakeIfPresent();
            if (engine != nullptr) engine->page_rows = page_rows;
            return engine;
          }};
}

INSTANTIATE_TEST_SUITE_P(Google,
                         TableStoreTest,
                         testing::Values(GooglesCaseOf("GooglesEmulator", 4096),
                                         GooglesCaseOf("GooglesEmulatorBySmallPages", 2)),
                         NameOfEngine);

INSTANTIATE_TEST_SUITE_P(
    Bigtable,
    TableStoreTest,
    testing::Values(
        CaseOf("Bigtable", {}, 4096),
        CaseOf("BigtableBySmallPages", {.chunk_bytes = 1, .chunks_per_message = 3}, 2),
        CaseOf("BigtableWithCutStreams",
               {.cut_streams = 0.2, .resets = 0.3, .chunk_bytes = 2, .chunks_per_message = 1},
               16),
        CaseOf("BigtableWithLostAnswers",
               {.refused = 0.1, .unanswered = 0.15, .partial = 0.3},
               4096),
        CaseOf("BigtableWithLateWrites", {.refused = 0.05, .late = 0.2, .doubled = 0.3}, 4096)),
    NameOfEngine);

}  // namespace
}  // namespace hourcell

namespace hourcell::bigtable_table_store_test {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr TableId kUid = TableId::kUid;
constexpr TableId kData = TableId::kData;

Mutation SetOf(TableId table, const std::string& key, const std::string& value) {
  return {table, Mutation::Kind::kSet, key, value};
}
Mutation DeleteOf(TableId table, const std::string& key) {
  return {table, Mutation::Kind::kDelete, key, ""};
}
Mutation PointOf(const std::string& key, uint32_t offset_s, int64_t value) {
  Mutation merge = {kData, Mutation::Kind::kMerge, key, ""};
  AppendPointCell(offset_s * 1000, /*is_ms=*/false, Value::Integer(value), &merge.value);
  return merge;
}

class BigtableTableStoreTest : public testing::Test {
 protected:
  BigtableTableStoreTest() { Reopen(); }

  void Reopen() {
    store_.reset();
    absl::StatusOr<std::unique_ptr<TableStore>> opened = engine_.Open();
    EXPECT_OK(opened);
    store_ = *std::move(opened);
  }
  FakeBigtable* fake() { return engine_.fake(); }

  absl::Status Apply(const Mutation& mutation) {
    return store_->Apply({&mutation, 1}, /*sync=*/true);
  }
  std::optional<std::string> Get(TableId table, const std::string& key) {
    const auto value = store_->Snapshot()->Get(table, key);
    EXPECT_OK(value);
    return value.ok() ? *value : std::nullopt;
  }
  std::vector<uint64_t> PointsOf(const std::string& key) {
    CellColumns columns;
    EXPECT_OK(DecodeCell(Get(kData, key).value_or(""), &columns));
    return {columns.bits.begin(), columns.bits.end()};
  }
  // The stored form of a row, in words: "s*2" are two cells, "m" an operand, "j" a joined one.
  std::string StoredAs(const std::string& table, const std::string& key) {
    std::string text;
    FakeBigtable::Table rows = fake()->TableOf("hourcell-" + table);
    for (const auto& [column, versions] : rows[key]) {
      text += (text.empty() ? "" : " ") + column.qualifier.substr(0, 1);
      if (versions.size() > 1) text += fmt::format("*{}", versions.size());
    }
    return text;
  }

  BigtableEngine engine_;
  std::unique_ptr<TableStore> store_;
};

TEST_F(BigtableTableStoreTest, PromisesWhatItsHeaderSays) {
  const TableCapabilities promised = store_->capabilities();

  EXPECT_TRUE(promised.Has(TableCapability::kSnapshots));
  EXPECT_TRUE(promised.Has(TableCapability::kDurable));
  EXPECT_FALSE(promised.Has(TableCapability::kAtomicGroups));
  EXPECT_EQ(store_->regions(), nullptr);
  EXPECT_FALSE(promised.Has(TableCapability::kPinnedFiles));
}

// Why atomic groups are not promised.
TEST_F(BigtableTableStoreTest, AGroupThatIsCutIsHalfThereAfterARestart) {
  engine_.call_timeout_ms = 30;
  Reopen();
  fake()->RefuseMutateRows(/*skipped=*/1, /*count=*/1'000'000);
  const Mutation group[] = {SetOf(kUid, "a", "1"), SetOf(kUid, "b", "1"), SetOf(kUid, "c", "1")};

  EXPECT_THAT(store_->Apply(group, true), StatusIs(absl::StatusCode::kUnavailable));
  fake()->RefuseMutateRows(0, 0);

  EXPECT_EQ(Get(kUid, "a"), std::nullopt);
  Reopen();
  EXPECT_THAT(Get(kUid, "a"), Optional(std::string("1")));
  EXPECT_EQ(Get(kUid, "b"), std::nullopt);
  EXPECT_EQ(Get(kUid, "c"), std::nullopt);
}

TEST_F(BigtableTableStoreTest, AWriteWithoutAnAnswerIsSeenByNoViewOfTheProcess) {
  engine_.call_timeout_ms = 30;
  Reopen();
  ASSERT_OK(Apply(SetOf(kUid, "a", "1")));
  fake()->SetFaults({.unanswered = 1});
  EXPECT_THAT(Apply(SetOf(kUid, "a", "2")), StatusIs(absl::StatusCode::kUnavailable));
  fake()->SetFaults({});

  EXPECT_THAT(Get(kUid, "a"), Optional(std::string("1")));
  ASSERT_OK(Apply(SetOf(kUid, "b", "1")));
  EXPECT_THAT(Get(kUid, "a"), Optional(std::string("1")));

  Reopen();
  EXPECT_THAT(Get(kUid, "a"), Optional(std::string("2")));
}

TEST_F(BigtableTableStoreTest, RowCompactionJoinsOperands) {
  for (int64_t i = 0; i < 5; ++i)
    ASSERT_OK(Apply(PointOf("row", 7, i)));
  EXPECT_EQ(StoredAs("data", "row"), "m m m m m");

  ASSERT_OK(store_->Compact(kData));
  EXPECT_EQ(StoredAs("data", "row"), "j");
  EXPECT_THAT(PointsOf("row"), ElementsAre(4));

  ASSERT_OK(Apply(PointOf("row", 8, 5)));
  ASSERT_OK(store_->Compact(kData));
  EXPECT_EQ(StoredAs("data", "row"), "j");
  EXPECT_THAT(PointsOf("row"), ElementsAre(4, 5));
}

TEST_F(BigtableTableStoreTest, RowCompactionWaitsForViews) {
  ASSERT_OK(Apply(PointOf("row", 7, 1)));
  std::unique_ptr<TableView> view = store_->Snapshot();
  ASSERT_OK(Apply(PointOf("row", 7, 2)));

  ASSERT_OK(store_->Compact(kData));
  EXPECT_EQ(StoredAs("data", "row"), "m m");

  view.reset();
  ASSERT_OK(store_->Compact(kData));
  EXPECT_EQ(StoredAs("data", "row"), "j");
}

TEST_F(BigtableTableStoreTest, RowCompactionJoinsOnlyItsOwnWritersOperands) {
  ASSERT_OK(Apply(PointOf("row", 1, 10)));
  ASSERT_OK(Apply(PointOf("row", 2, 20)));
  Reopen();
  ASSERT_OK(Apply(PointOf("row", 2, 21)));
  ASSERT_OK(Apply(PointOf("row", 3, 30)));

  ASSERT_OK(store_->Compact(kData));

  EXPECT_EQ(StoredAs("data", "row"), "j m m");
  EXPECT_THAT(PointsOf("row"), ElementsAre(10, 21, 30));
}

TEST_F(BigtableTableStoreTest, RowCompactionLeavesTheNewestSet) {
  ASSERT_OK(Apply(PointOf("row", 1, 10)));
  for (int i = 0; i < 4; ++i)
    ASSERT_OK(Apply(SetOf(kData, "row", PointOf("", 2, i).value)));
  EXPECT_EQ(StoredAs("data", "row"), "m s*4");

  ASSERT_OK(store_->Compact(kData));

  EXPECT_EQ(StoredAs("data", "row"), "s");
  EXPECT_THAT(PointsOf("row"), ElementsAre(3));
}

// Each batch of new series sets the counters, and the table is never compacted.
TEST_F(BigtableTableStoreTest, ARowThatIsSetAgainAndAgainKeepsFewCells) {
  const std::string counter = SeriesCounterKey();
  std::unique_ptr<TableView> view;
  size_t cells_max = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_OK(Apply(SetOf(TableId::kSeries, counter, std::to_string(i))));
    cells_max = std::max(cells_max, fake()->TableOf("hourcell-series")[counter]["s"].size());
    if (i == 100) view = store_->Snapshot();
    if (i == 150) {
      EXPECT_THAT(view->Get(TableId::kSeries, counter), IsOkAndHolds(Optional(std::string("100"))));
      view.reset();
    }
  }
  EXPECT_THAT(store_->Snapshot()->Get(TableId::kSeries, counter),
              IsOkAndHolds(Optional(std::string("999"))));
  // A view keeps everything that was written while it was held.
  EXPECT_LE(cells_max, 50 + 2 * RowTidy::kWritesMax);
  EXPECT_LE(fake()->TableOf("hourcell-series")[counter]["s"].size(), RowTidy::kWritesMax);
}

TEST_F(BigtableTableStoreTest, DeletedLogRowsOfSeriesLeaveNothing) {
  const auto rows = [&] { return fake()->TableOf("hourcell-series").size(); };
  const auto make_and_delete = [&](SeriesNumber from, SeriesNumber to) {
    for (SeriesNumber i = from; i < to; ++i) {
      ASSERT_OK(Apply(SetOf(TableId::kSeries, LogRowKey(i), "x")));
      ASSERT_OK(Apply(DeleteOf(TableId::kSeries, LogRowKey(i))));
    }
  };
  make_and_delete(1, RowTidy::kMarksMax);
  EXPECT_EQ(rows(), RowTidy::kMarksMax - 1);
  Reopen();  // which does not count them
  ASSERT_OK(Apply(SetOf(TableId::kSeries, LogRowKey(5000), "lives")));
  make_and_delete(1000, 1000 + RowTidy::kMarksMax);
  EXPECT_EQ(rows(), 1);

  const std::unique_ptr<TableView> view = store_->Snapshot();  // it sees rows deleted later
  ASSERT_OK(Apply(DeleteOf(TableId::kSeries, LogRowKey(5000))));
  make_and_delete(2000, 2000 + RowTidy::kMarksMax);
  EXPECT_THAT(view->Get(TableId::kSeries, LogRowKey(5000)),
              IsOkAndHolds(Optional(std::string("lives"))));
}

// Each write happens a second time, long after it was joined, replaced or deleted.
TEST_F(BigtableTableStoreTest, LateWritesChangeNoAnswer) {
  fake()->SetFaults({.doubled = 1});
  for (int64_t i = 0; i < 4; ++i)
    ASSERT_OK(Apply(PointOf("row", 7, i)));
  ASSERT_OK(Apply(SetOf(kUid, "set", "1")));
  ASSERT_OK(Apply(SetOf(kUid, "set", "2")));
  ASSERT_OK(Apply(SetOf(kUid, "deleted", "1")));
  ASSERT_OK(Apply(DeleteOf(kUid, "deleted")));
  ASSERT_OK(store_->Compact(kData));
  ASSERT_OK(store_->Compact(kUid));

  fake()->SettleLateWrites();

  EXPECT_THAT(PointsOf("row"), ElementsAre(3));
  EXPECT_THAT(Get(kUid, "set"), Optional(std::string("2")));
  EXPECT_EQ(Get(kUid, "deleted"), std::nullopt);
  Reopen();
  EXPECT_THAT(PointsOf("row"), ElementsAre(3));
  EXPECT_EQ(Get(kUid, "deleted"), std::nullopt);
}

TEST_F(BigtableTableStoreTest, ManyMergesAreOneCall) {
  std::vector<Mutation> group;
  for (int i = 0; i < 1000; ++i)
    group.push_back(PointOf(fmt::format("row-{}", i), 1, i));
  const int before = fake()->calls()->mutate_rows;

  ASSERT_OK(store_->ApplyUnlogged(group));

  EXPECT_EQ(fake()->calls()->mutate_rows - before, 1);
}

TEST_F(BigtableTableStoreTest, AReopenMakesNoTables) {
  const int before = fake()->calls()->create_table;
  EXPECT_EQ(before, 7);

  Reopen();

  EXPECT_EQ(fake()->calls()->create_table, before);
}

TEST_F(BigtableTableStoreTest, ALaterProcessWritesOverAnEarlierOne) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(Apply(SetOf(kUid, "a", fmt::format("{}", i))));
    Reopen();
  }

  EXPECT_THAT(Get(kUid, "a"), Optional(std::string("2")));
}

TEST_F(BigtableTableStoreTest, TablesOfAnotherFormatAreRefused) {
  fake()->PutCell("hourcell-system", "format", "f", 1000, "2");

  EXPECT_THAT(engine_.Open(), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(BigtableTableStoreTest, ACellThatIsNotOursIsDataLoss) {
  fake()->PutCell("hourcell-uid", "row", "x", 0, "");

  EXPECT_THAT(store_->Snapshot()->Get(kUid, "row"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(BigtableTableStoreTest, AServiceThatIsAwayIsUnavailable) {
  engine_.call_timeout_ms = 30;
  Reopen();
  fake()->SetFaults({.refused = 1});

  EXPECT_THAT(Apply(SetOf(kUid, "a", "1")), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store_->Snapshot()->Get(kUid, "a"), StatusIs(absl::StatusCode::kUnavailable));
  const std::unique_ptr<TableView> view = store_->Snapshot();
  const std::unique_ptr<RowCursor> cursor = view->NewCursor(kUid, {});
  cursor->Seek("a");
  EXPECT_FALSE(cursor->valid());
  EXPECT_THAT(cursor->status(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store_->RegionUses(kUid), StatusIs(absl::StatusCode::kUnavailable));
}

// Sets, merges, deletes, row compactions and restarts at random, against a map of the acknowledged
// state, while every call may fail in every way.
TEST_F(BigtableTableStoreTest, RandomStepsUnderFaultsMatchAMap) {
  constexpr uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  fake()->SetFaults({.seed = kSeed,
                     .refused = 0.05,
                     .unanswered = 0.1,
                     .late = 0.1,
                     .doubled = 0.2,
                     .partial = 0.3,
                     .cut_streams = 0.1,
                     .resets = 0.2,
                     .chunk_bytes = 3,
                     .chunks_per_message = 2});
  Random random(kSeed);
  std::map<std::string, std::map<uint32_t, uint64_t>> model;
  for (uint64_t step = 1; step <= 400; ++step) {
    const std::string key = fmt::format("row-{}", random.Below(6));
    const auto offset_s = static_cast<uint32_t>(random.Below(5));
    const Mutation point = PointOf(key, offset_s, static_cast<int64_t>(step));
    switch (random.Below(12)) {
      case 0:
        ASSERT_OK(Apply(DeleteOf(kData, key)));
        model.erase(key);
        break;
      case 1:
        ASSERT_OK(Apply(SetOf(kData, key, point.value)));
        model[key] = {{offset_s, step}};
        break;
      case 2:
        ASSERT_OK(store_->Compact(kData));
        break;
      case 3:
        if (random.Below(4) == 0) Reopen();
        break;
      default:
        ASSERT_OK(Apply(point));
        model[key][offset_s] = step;
    }
    for (const auto& [row, points] : model) {
      std::vector<uint64_t> values;
      for (const auto& [offset, value] : points)
        values.push_back(value);
      ASSERT_EQ(PointsOf(row), values) << row << " after step " << step;
    }
    size_t rows = 0;
    ASSERT_OK(store_->Snapshot()->Scan(kData, {}, [&](std::string_view, std::string_view) {
      ++rows;
      return true;
    }));
    ASSERT_EQ(rows, model.size()) << step;
  }
}

}  // namespace
}  // namespace hourcell::bigtable_table_store_test
