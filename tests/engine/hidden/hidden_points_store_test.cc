#include "engine/hidden/hidden_points_store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/rows/row_key.h"
#include "engine/days/day_row_store.h"
#include "engine/rows/deletion_row.h"
#include "engine/rows/system_table.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::hidden_points_store_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kDay = 1'356'998'400;
constexpr uint64_t kSeed = 20261128;
constexpr uint64_t kSeries = 4;
constexpr uint32_t kHours = 30;

// The visible points: the value by row and offset.
using Points = std::map<std::pair<std::string, uint32_t>, uint64_t>;

void AddPoints(std::string_view key, std::string_view cell, Points* points) {
  CellColumns columns;
  ASSERT_OK(DecodeCell(cell, &columns)) << ToHex(key);
  EXPECT_GT(columns.size(), 0u);
  for (size_t i = 0; i < columns.size(); ++i)
    (*points)[{std::string(key), columns.offset_ms[i]}] = columns.bits[i];
}

// Rows of hours and days in a store in memory, with deletes that hide some of their points.
class HiddenPointsStoreTest : public testing::TestWithParam<uint32_t> {
 protected:
  HiddenPointsStoreTest() : random_(kSeed) {
    auto memory = std::make_unique<MemTableStore>();
    memory_ = memory.get();
    auto hidden = std::make_unique<HiddenPointsStore>(std::move(memory));
    hidden_ = hidden.get();
    hidden_->Open(&row_keys_);
    store_ = std::make_unique<DayRowStore>(std::move(hidden));
    EXPECT_OK(store_->Open(&row_keys_, GetParam()));
  }

  static std::string TagsOf(uint64_t series) {
    std::string tags;
    AppendBigEndian(1, 3, &tags);
    AppendBigEndian(1 + series, 3, &tags);
    return tags;
  }

  std::string KeyOf(uint64_t series, uint32_t hour) const {
    std::string key;
    row_keys_.Append(std::string("\0\0\5", 3) + TagsOf(series), kDay + hour * 3600, &key);
    return key;
  }

  std::string RandomCell(std::map<uint32_t, uint64_t>* points) {
    const uint64_t count = 1 + random_.Below(random_.Below(3) == 0 ? 30 : 5);
    while (points->size() < count)
      (*points)[static_cast<uint32_t>(random_.Below(60)) * 60'000] = 256 + random_.Below(10'000);
    CellColumns columns;
    for (const auto& [offset_ms, value] : *points)
      columns.push_back({.offset_ms = offset_ms, .is_ms = false, .flags = 1},
                        Value::Integer(static_cast<int64_t>(value)));
    std::string cell;
    AppendPackedCell(columns, &cell);
    return cell;
  }

  // Writes a row to the store, and the same points to want_.
  void WriteRandomly() {
    const uint64_t kind = random_.Below(10);
    Mutation write;
    write.key = KeyOf(random_.Below(kSeries), static_cast<uint32_t>(random_.Below(kHours)));
    write.kind = kind == 0   ? Mutation::Kind::kDelete
                 : kind == 1 ? Mutation::Kind::kSet
                             : Mutation::Kind::kMerge;
    std::map<uint32_t, uint64_t> points;
    if (write.kind != Mutation::Kind::kDelete) write.value = RandomCell(&points);
    if (write.kind != Mutation::Kind::kMerge) {
      std::erase_if(want_, [&](const auto& one) { return one.first.first == write.key; });
    }
    for (const auto& [offset_ms, value] : points)
      want_[{write.key, offset_ms}] = value;
    if (random_.Below(2) == 0) {
      ASSERT_OK(store_->ApplyUnlogged({&write, 1}));
    } else {
      ASSERT_OK(store_->Apply({&write, 1}, /*sync=*/false));
    }
  }

  // Hides a range of some series.
  void HideRandomly() {
    const uint64_t begin = random_.Below(kHours * 60);
    const uint64_t end = begin + random_.Below(10 * 60);
    std::vector<std::string> tags;
    std::set<uint64_t> series;
    for (uint64_t one = 0; one < kSeries; ++one) {
      if (random_.Below(2) == 0) continue;
      tags.push_back(TagsOf(one));
      series.insert(one);
    }
    HideRange(kDay * int64_t{1000} + static_cast<int64_t>(begin) * 60'000,
              kDay * int64_t{1000} + static_cast<int64_t>(end) * 60'000, std::move(tags));
    for (const uint64_t one : series) {
      for (uint32_t hour = 0; hour < kHours; ++hour) {
        const std::string key = KeyOf(one, hour);
        std::erase_if(want_, [&](const auto& point) {
          const uint64_t minute = hour * 60 + point.first.second / 60'000;
          return point.first.first == key && minute >= begin && minute <= end;
        });
      }
    }
  }

  void HideRange(int64_t start_ms, int64_t end_ms, std::vector<std::string> tags) {
    HiddenPoints::List list;
    if (hidden_->hidden() != nullptr) list = hidden_->hidden()->list();
    list.push_back(
        std::make_shared<const HiddenSeries>(HiddenSeries{.id = ++last_id_,
                                                          .metric = 5,
                                                          .start_ms = start_ms,
                                                          .end_ms = end_ms,
                                                          .tags = TagsSet(std::move(tags))}));
    hidden_->Hide(std::move(list));
  }

  void HideAll() {
    std::vector<std::string> tags;
    for (uint64_t one = 0; one < kSeries; ++one)
      tags.push_back(TagsOf(one));
    HideRange(0, int64_t{kDay} * 2000, std::move(tags));
  }

  static Points Scanned(TableView* view) {
    Points points;
    EXPECT_OK(view->Scan(TableId::kData, {}, [&](std::string_view key, std::string_view cell) {
      AddPoints(key, cell, &points);
      return true;
    }));
    return points;
  }
  Points Scanned() { return Scanned(store_->Snapshot().get()); }

  // By each other way to read.
  Points Got() {
    const auto view = store_->Snapshot();
    std::vector<std::string> keys;
    for (uint64_t series = 0; series < kSeries; ++series) {
      for (uint32_t hour = 0; hour < kHours; ++hour)
        keys.push_back(KeyOf(series, hour));
    }
    std::ranges::reverse(keys);
    std::vector<std::optional<std::string>> cells;
    EXPECT_OK(view->GetMany(TableId::kData, keys, &cells));
    Points points;
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_THAT(view->Get(TableId::kData, keys[i]), IsOkAndHolds(cells[i]));
      std::string into;
      EXPECT_THAT(view->GetInto(TableId::kData, keys[i], &into),
                  IsOkAndHolds(cells[i].has_value()));
      if (!cells[i].has_value()) continue;
      EXPECT_EQ(into, *cells[i]);
      AddPoints(keys[i], *cells[i], &points);
    }
    return points;
  }

  // The keys that a cursor meets from the end on.
  std::vector<std::string> KeysBackwards() {
    const auto view = store_->Snapshot();
    const auto row = view->NewCursor(TableId::kData, {});
    std::vector<std::string> keys;
    for (row->SeekToLast(); row->valid(); row->SeekBefore(keys.back()))
      keys.emplace_back(row->key());
    EXPECT_OK(row->status());
    std::ranges::reverse(keys);
    return keys;
  }

  std::map<std::string, std::string> RowsOf(TableId table) {
    std::map<std::string, std::string> rows;
    EXPECT_OK(memory_->Snapshot()->Scan(table, {}, [&](std::string_view key, std::string_view row) {
      rows.emplace(key, row);
      return true;
    }));
    return rows;
  }

  Random random_;
  const RowKeyCodec row_keys_{Layout()};
  MemTableStore* memory_ = nullptr;      // below hidden_
  HiddenPointsStore* hidden_ = nullptr;  // below store_
  std::unique_ptr<DayRowStore> store_;
  Points want_;
  uint64_t last_id_ = 0;
};

TEST_P(HiddenPointsStoreTest, ShowsThePointsThatNoDeleteHides) {
  SCOPED_TRACE(kSeed);
  for (int step = 0; step < 600; ++step) {
    WriteRandomly();
    if (step % 40 == 20) HideRandomly();
    if (step % 10 != 0) continue;
    ASSERT_EQ(Scanned(), want_) << step;
    ASSERT_EQ(Got(), want_) << step;
    std::set<std::string> keys;
    for (const auto& [place, value] : want_)
      keys.insert(place.first);
    ASSERT_EQ(KeysBackwards(), std::vector<std::string>(keys.begin(), keys.end())) << step;
  }
  const auto system = RowsOf(TableId::kSystem);
  EXPECT_TRUE(std::ranges::any_of(system, [](const auto& row) {
    return row.first.starts_with(HiddenRowsPrefix()) && !row.second.empty();
  })) << "no points were taken out of rows";
}

TEST_P(HiddenPointsStoreTest, WithoutTheDeleteAllBytesAreBack) {
  for (int step = 0; step < 100; ++step)
    WriteRandomly();
  const auto rows = RowsOf(TableId::kData);
  HideAll();
  EXPECT_THAT(Scanned(), IsEmpty());
  EXPECT_EQ(RowsOf(TableId::kData), rows);
  EXPECT_EQ(Scanned(store_->SnapshotWithHidden().get()), want_);

  hidden_->Hide({});
  EXPECT_EQ(RowsOf(TableId::kData), rows);
  EXPECT_EQ(Scanned(), want_);
}

TEST_P(HiddenPointsStoreTest, AViewStaysAsItIs) {
  for (int step = 0; step < 50; ++step)
    WriteRandomly();
  const Points before = want_;
  const auto view = store_->Snapshot();
  HideAll();
  const auto hidden = store_->Snapshot();
  want_.clear();
  for (int step = 0; step < 50; ++step)
    WriteRandomly();

  EXPECT_EQ(Scanned(view.get()), before);
  EXPECT_THAT(Scanned(hidden.get()), IsEmpty());
  EXPECT_EQ(Scanned(), want_);
}

TEST_P(HiddenPointsStoreTest, HiddenPointsAreTakenOutInOneLoggedGroup) {
  std::map<uint32_t, uint64_t> points;
  Mutation write;
  write.kind = Mutation::Kind::kMerge;
  write.key = KeyOf(1, 3);
  write.value = RandomCell(&points);
  ASSERT_OK(store_->ApplyUnlogged({&write, 1}));
  const auto rows = RowsOf(TableId::kData);
  HideAll();

  memory_->FailApplies(1);
  EXPECT_THAT(store_->ApplyUnlogged({&write, 1}), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(RowsOf(TableId::kData), rows);
  EXPECT_THAT(Scanned(), IsEmpty());

  ASSERT_OK(store_->ApplyUnlogged({&write, 1}));
  EXPECT_THAT(Scanned(), SizeIs(points.size()));
  EXPECT_EQ(RowsOf(TableId::kData), rows) << "the same points were put again";
  const std::string stored_key = rows.begin()->first;
  EXPECT_EQ(RowsOf(TableId::kSystem).at(HiddenRowKey(stored_key, last_id_)), rows.begin()->second);
}

TEST_P(HiddenPointsStoreTest, OtherRowsAreWrittenWithoutARead) {
  HideRange(0, int64_t{kDay} * 2000, {TagsOf(1)});
  std::map<uint32_t, uint64_t> points;
  Mutation write;
  write.kind = Mutation::Kind::kMerge;
  write.key = KeyOf(2, 3);
  write.value = RandomCell(&points);
  ASSERT_OK(hidden_->ApplyUnlogged({&write, 1}));
  const uint64_t read = memory_->rows_read();
  ASSERT_OK(hidden_->ApplyUnlogged({&write, 1}));
  EXPECT_EQ(memory_->rows_read(), read);
}

TEST_P(HiddenPointsStoreTest, DamageIsShownUnlessTheWholeRowIsHidden) {
  Mutation write;
  write.key = KeyOf(1, 3);
  write.value = "\x03 damaged";
  ASSERT_OK(memory_->Apply({&write, 1}, /*sync=*/false));
  const auto shown = [&] { return hidden_->Snapshot()->Get(TableId::kData, write.key); };
  const int64_t hour_ms = (int64_t{kDay} + 3 * 3600) * 1000;

  HideRange(hour_ms, hour_ms + 1000, {TagsOf(1)});
  EXPECT_THAT(shown(), IsOkAndHolds(std::optional<std::string>(write.value)));
  HideRange(hour_ms, hour_ms + 3'599'999, {TagsOf(1)});
  EXPECT_THAT(shown(), IsOkAndHolds(std::optional<std::string>()));
}

// Hours of fewer points than the parameter share rows of days.
INSTANTIATE_TEST_SUITE_P(Rows,
                         HiddenPointsStoreTest,
                         testing::Values(0, 20),
                         [](const auto& param_info) {
                           return param_info.param == 0 ? "OfHours" : "OfDays";
                         });

}  // namespace
}  // namespace hourcell::hidden_points_store_test
