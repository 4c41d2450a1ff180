#include "engine/days/day_row_store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"
#include "engine/days/hour_place.h"
#include "engine/rows/system_table.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::day_row_store_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kDay = 1'356'998'400;
constexpr uint32_t kPointsMax = 20;
constexpr uint64_t kSeed = 20261127;

struct Case {
  std::string name;
  size_t salt_width = 0;
  std::vector<RowField> fields = Layout().fields;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

// The rows of a table with their points, by key.
using Points = std::map<std::pair<std::string, uint32_t>, uint64_t>;

void AddPoints(std::string_view key, std::string_view cell, Points* points) {
  CellColumns columns;
  ASSERT_OK(DecodeCell(cell, &columns)) << ToHex(key);
  EXPECT_FALSE(columns.offset_ms.empty()) << ToHex(key);
  for (size_t i = 0; i < columns.size(); ++i) {
    ASSERT_LT(columns.offset_ms[i], kHourSpan.ms());
    (*points)[{std::string(key), columns.offset_ms[i]}] = columns.bits[i];
  }
}

// Two stores get the same writes: one with rows of days, and a plain one.
class DayRowStoreTest : public testing::TestWithParam<Case> {
 protected:
  DayRowStoreTest() : random_(kSeed) {
    Layout layout;
    layout.salt_width = GetParam().salt_width;
    layout.salt_buckets = 3;
    layout.fields = GetParam().fields;
    row_keys_.emplace(layout);
    auto stored = std::make_unique<MemTableStore>();
    stored_ = stored.get();
    days_ = std::make_unique<DayRowStore>(std::move(stored));
    EXPECT_OK(days_->Open(&*row_keys_, kPointsMax));
  }

  std::string KeyOf(uint64_t series, uint32_t base_time_s) const {
    std::string tsuid;
    AppendBigEndian(1 + series / 4, 3, &tsuid);
    AppendBigEndian(1, 3, &tsuid);
    AppendBigEndian(1 + series % 4, 3, &tsuid);
    std::string key;
    row_keys_->Append(tsuid, base_time_s, &key);
    return key;
  }

  // Few series and hours, so that writes meet; some in the first day of 1970, whose hours are
  // between the rows of days.
  std::string RandomKey() {
    const bool is_first_day = random_.Below(4) == 0;
    const auto hour = static_cast<uint32_t>(random_.Below(60));
    return KeyOf(random_.Below(8), (is_first_day ? 0 : kDay) + hour * kHourSpan.seconds);
  }

  std::string RandomCell() {
    const size_t count = random_.Below(3) == 0 ? 25 + random_.Below(10) : 1 + random_.Below(9);
    std::map<uint32_t, uint64_t> points;
    while (points.size() < count)
      points[static_cast<uint32_t>(random_.Below(60)) * 60'000] = random_.Below(1000);
    CellColumns columns;
    for (const auto& [offset_ms, value] : points)
      columns.push_back({.offset_ms = offset_ms, .is_ms = false, .flags = 1},
                        Value::Integer(static_cast<int64_t>(value) + 256));
    std::string cell;
    AppendPackedCell(columns, &cell);
    return cell;
  }

  void Write(Mutation::Kind kind, std::vector<std::string> keys) {
    std::vector<Mutation> group;
    for (std::string& key : keys) {
      Mutation& write = group.emplace_back();
      write.kind = kind;
      write.key = std::move(key);
      if (kind != Mutation::Kind::kDelete) write.value = RandomCell();
    }
    ASSERT_OK(days_->ApplyUnlogged(group));
    ASSERT_OK(plain_.ApplyUnlogged(group));
  }

  // Merges the points of several hours as one cell, and hour by hour into the plain store.
  void MergeDayRandomly() {
    std::string day;
    std::vector<Mutation> hours;
    const uint64_t series = random_.Below(8);
    for (uint32_t hour = 0; hour < 24; ++hour) {
      if (random_.Below(5) != 0) continue;
      Mutation& write = hours.emplace_back();
      write.kind = Mutation::Kind::kMerge;
      write.key = KeyOf(series, kDay + hour * kHourSpan.seconds);
      write.value = RandomCell();
      std::string left;
      if (day.empty()) {
        AppendDayCellOfHour(hour, write.value, &left);
      } else {
        ASSERT_OK(SetHourOfDay(day, hour, write.value, &left));
      }
      day = std::move(left);
    }
    if (hours.empty()) return;
    Mutation write;
    write.kind = Mutation::Kind::kMerge;
    write.key = hours.front().key;
    write.value = day;
    ASSERT_OK(days_->ApplyUnlogged({&write, 1}));
    ASSERT_OK(plain_.ApplyUnlogged(hours));
  }

  void WriteRandomly() {
    if (random_.Below(6) == 0) return MergeDayRandomly();
    const uint64_t choice = random_.Below(12);
    const Mutation::Kind kind = choice == 0   ? Mutation::Kind::kDelete
                                : choice == 1 ? Mutation::Kind::kSet
                                              : Mutation::Kind::kMerge;
    std::vector<std::string> keys;
    for (uint64_t i = 0; i <= random_.Below(5); ++i)
      keys.push_back(RandomKey());
    if (kind != Mutation::Kind::kMerge) {
      std::ranges::sort(keys);
      keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    }
    Write(kind, std::move(keys));
  }

  size_t StoredDays() {
    size_t days = 0;
    const auto view = stored_->Snapshot();
    EXPECT_OK(view->Scan(TableId::kData, {}, [&](std::string_view key, std::string_view cell) {
      days += IsDayKey(key, row_keys_->base_time_offset());
      EXPECT_EQ(IsDayKey(key, row_keys_->base_time_offset()), IsDayCell(cell)) << ToHex(key);
      return true;
    }));
    return days;
  }

  static Points PointsIn(Tables* tables, const ScanRange& range) {
    Points points;
    EXPECT_OK(tables->Snapshot()->Scan(TableId::kData, range,
                                       [&](std::string_view key, std::string_view cell) {
                                         AddPoints(key, cell, &points);
                                         return true;
                                       }));
    return points;
  }

  Random random_;
  std::optional<RowKeyCodec> row_keys_;
  MemTableStore* stored_ = nullptr;  // below days_
  std::unique_ptr<DayRowStore> days_;
  MemTableStore plain_;
};

TEST_P(DayRowStoreTest, ShowsTheRowsOfAPlainStore) {
  SCOPED_TRACE(kSeed);
  size_t most_days = 0;
  for (int step = 0; step < 300; ++step) {
    WriteRandomly();
    if (step % 10 != 0) continue;
    most_days = std::max(most_days, StoredDays());
    ASSERT_EQ(PointsIn(days_.get(), {}), PointsIn(&plain_, {}));
    ScanRange range{.begin = RandomKey(), .end = RandomKey()};
    if (range.end < range.begin) std::swap(range.begin, range.end);
    range.begin.resize(random_.Below(range.begin.size() + 1));
    ASSERT_EQ(PointsIn(days_.get(), range), PointsIn(&plain_, range));
  }
  EXPECT_GT(most_days, 8u);
}

TEST_P(DayRowStoreTest, CursorsGoWhereThoseOfAPlainStoreGo) {
  SCOPED_TRACE(kSeed);
  for (int step = 0; step < 150; ++step)
    WriteRandomly();
  const auto days = days_->Snapshot();
  const auto plain = plain_.Snapshot();
  for (int round = 0; round < 40; ++round) {
    ScanRange range;
    if (random_.Below(2) == 0) range.begin = RandomKey();
    if (random_.Below(2) == 0) range.end = RandomKey();
    if (!range.end.empty() && range.end < range.begin) std::swap(range.begin, range.end);
    const auto of_days = days->NewCursor(TableId::kData, range);
    const auto of_plain = plain->NewCursor(TableId::kData, range);
    for (int move = 0; move < 60; ++move) {
      std::string key = RandomKey();
      key.resize(key.size() - random_.Below(2) * random_.Below(key.size()));
      const uint64_t choice = random_.Below(8);
      if (choice == 0) {
        of_days->SeekToLast();
        of_plain->SeekToLast();
      } else if (choice == 1) {
        of_days->SeekBefore(key);
        of_plain->SeekBefore(key);
      } else if (choice == 2 || !of_plain->valid()) {
        of_days->Seek(key);
        of_plain->Seek(key);
      } else {
        of_days->Next();
        of_plain->Next();
      }
      ASSERT_EQ(of_days->valid(), of_plain->valid())
          << "move " << choice << " key " << ToHex(key) << " in [" << ToHex(range.begin) << ", "
          << ToHex(range.end) << ")";
      if (!of_plain->valid()) continue;
      ASSERT_EQ(ToHex(of_days->key()), ToHex(of_plain->key())) << "move " << choice;
      Points shown;
      Points wanted;
      AddPoints(of_days->key(), of_days->value(), &shown);
      AddPoints(of_plain->key(), of_plain->value(), &wanted);
      ASSERT_EQ(shown, wanted);
    }
  }
}

TEST_P(DayRowStoreTest, GetsTheRowsOfAPlainStore) {
  SCOPED_TRACE(kSeed);
  for (int step = 0; step < 100; ++step)
    WriteRandomly();
  std::vector<std::string> keys;
  for (int i = 0; i < 200; ++i)
    keys.push_back(RandomKey());
  std::vector<std::optional<std::string>> of_days;
  std::vector<std::optional<std::string>> of_plain;
  ASSERT_OK(days_->Snapshot()->GetMany(TableId::kData, keys, &of_days));
  ASSERT_OK(plain_.Snapshot()->GetMany(TableId::kData, keys, &of_plain));
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(of_days[i].has_value(), of_plain[i].has_value());
    if (!of_days[i].has_value()) continue;
    Points shown;
    Points wanted;
    AddPoints(keys[i], *of_days[i], &shown);
    AddPoints(keys[i], *of_plain[i], &wanted);
    EXPECT_EQ(shown, wanted);
  }
}

// A delete that leaves a day without points leaves no row.
TEST_P(DayRowStoreTest, ARowWithoutPointsIsDeleted) {
  Write(Mutation::Kind::kSet, {KeyOf(1, kDay)});  // an hour row, as the store lacks days yet
  for (uint32_t hour = 1; hour < 4; ++hour)
    Write(Mutation::Kind::kMerge, {KeyOf(2, kDay + hour * kHourSpan.seconds)});
  for (uint32_t hour = 0; hour < 4; ++hour) {
    Write(Mutation::Kind::kDelete,
          {KeyOf(1, kDay + hour * kHourSpan.seconds), KeyOf(2, kDay + hour * kHourSpan.seconds)});
  }
  size_t rows = 0;
  EXPECT_OK(stored_->Snapshot()->Scan(TableId::kData, {}, [&](std::string_view, std::string_view) {
    ++rows;
    return true;
  }));
  EXPECT_EQ(rows, 0u);
}

TEST_P(DayRowStoreTest, DamageIsShownAndCanBeReplaced) {
  CellColumns columns;
  columns.push_back({.offset_ms = 0, .is_ms = false, .flags = 0}, Value::Integer(7));
  std::string cell;
  AppendPackedCell(columns, &cell);
  Mutation write{.table = TableId::kData, .kind = Mutation::Kind::kMerge, .key = {}, .value = cell};
  write.key = KeyOf(1, kDay + kHourSpan.seconds);
  ASSERT_OK(days_->ApplyUnlogged({&write, 1}));
  const std::string day_key = DayKeyOf(write.key, row_keys_->base_time_offset());
  Mutation damage{
      .table = TableId::kData, .kind = Mutation::Kind::kSet, .key = day_key, .value = "\x05zz"};
  ASSERT_OK(stored_->ApplyUnlogged({&damage, 1}));
  const auto view = days_->Snapshot();
  const auto row = view->NewCursor(TableId::kData, {});
  row->Seek({});
  // In each hour, so that a reader of any hour gets the fault.
  for (uint32_t hour = 0; hour < 24; ++hour, row->Next()) {
    ASSERT_TRUE(row->valid());
    EXPECT_EQ(row->key(), KeyOf(1, kDay + hour * kHourSpan.seconds));
    EXPECT_FALSE(DecodeCell(row->value(), &columns).ok());
  }
  EXPECT_FALSE(row->valid());
  // As fsck sets a damaged cell aside: the good points stay, or the row goes.
  write.kind = Mutation::Kind::kDelete;
  write.key = KeyOf(1, kDay);
  ASSERT_OK(days_->Apply({&write, 1}, /*sync=*/true));
  EXPECT_TRUE(PointsIn(days_.get(), {}).empty());
  EXPECT_EQ(StoredDays(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Layouts,
                         DayRowStoreTest,
                         testing::Values(Case{.name = "Plain"},
                                         Case{.name = "Salted", .salt_width = 1},
                                         Case{.name = "TimeFirst",
                                              .fields = {RowField::kSalt, RowField::kBaseTime,
                                                         RowField::kMetric, RowField::kTags}},
                                         Case{.name = "SaltLast",
                                              .salt_width = 1,
                                              .fields = {RowField::kMetric, RowField::kBaseTime,
                                                         RowField::kSalt, RowField::kTags}}),
                         [](const auto& one) { return one.param.name; });

// The format is raised before the first row of a day.
TEST(DayRowsTest, TheFirstRowRaisesTheFormat) {
  const RowKeyCodec row_keys{Layout()};
  auto stored = std::make_unique<MemTableStore>();
  MemTableStore* const below = stored.get();
  DayRowStore store(std::move(stored));
  ASSERT_OK(store.Open(&row_keys, kPointsMax));
  int notes = 0;
  store.SetNote([&notes] {
    ++notes;
    return absl::OkStatus();
  });
  EXPECT_FALSE(store.has_day_rows());
  CellColumns columns;
  columns.push_back({.offset_ms = 0, .is_ms = false, .flags = 0}, Value::Integer(7));
  Mutation write;
  write.kind = Mutation::Kind::kMerge;
  row_keys.Append(std::string("\0\0\1\0\0\1\0\0\1", 9), kDay, &write.key);
  AppendPackedCell(columns, &write.value);
  below->FailApplies(1);
  EXPECT_FALSE(store.ApplyUnlogged({&write, 1}).ok());
  EXPECT_FALSE(store.has_day_rows());
  for (int i = 0; i < 2; ++i)
    ASSERT_OK(store.ApplyUnlogged({&write, 1}));
  EXPECT_TRUE(store.has_day_rows());
  EXPECT_EQ(notes, 1);
  const absl::StatusOr<bool> has_days = ReadHasDayRows(below);
  ASSERT_OK(has_days);
  EXPECT_TRUE(*has_days);
}

// Loads of regions are counted by the rows that are written, and samples of puts by those that will
// be.
TEST(DayRowsTest, TellsTheRowsThatWereWritten) {
  const RowKeyCodec row_keys{Layout()};
  auto stored = std::make_unique<MemTableStore>();
  MemTableStore* const below = stored.get();
  DayRowStore store(std::move(stored));
  ASSERT_OK(store.Open(&row_keys, kPointsMax));
  std::vector<std::string> merged;
  store.SetMerged([&merged](std::span<const Mutation> rows) {
    for (const Mutation& row : rows)
      merged.push_back(row.key);
  });
  const auto merge_of = [&row_keys](uint32_t base_time_s, uint32_t points) {
    CellColumns columns;
    for (uint32_t i = 0; i < points; ++i)
      columns.push_back({.offset_ms = i * 1000, .is_ms = false, .flags = 0}, Value::Integer(7));
    Mutation write;
    write.kind = Mutation::Kind::kMerge;
    row_keys.Append(std::string("\0\0\1\0\0\1\0\0\1", 9), base_time_s, &write.key);
    AppendPackedCell(columns, &write.value);
    return write;
  };
  const Mutation sparse[] = {merge_of(kDay, 1), merge_of(kDay + 3600, 1)};
  const Mutation dense = merge_of(kDay + 7200, kPointsMax);
  const std::string day = DayKeyOf(sparse[0].key, row_keys.base_time_offset());
  EXPECT_EQ(store.LikelyKeyOf(dense.key), dense.key);
  below->FailApplies(1);
  EXPECT_FALSE(store.ApplyUnlogged(sparse).ok());
  EXPECT_THAT(merged, IsEmpty());

  ASSERT_OK(store.ApplyUnlogged(sparse));
  EXPECT_THAT(merged, ElementsAre(day, day));
  EXPECT_EQ(store.LikelyKeyOf(dense.key), day);

  ASSERT_OK(store.ApplyUnlogged({&dense, 1}));
  EXPECT_EQ(merged.back(), dense.key);
  EXPECT_EQ(store.LikelyKeyOf(sparse[0].key), sparse[0].key);

  // Rows of other tables and deletes are not counted.
  Mutation other{TableId::kUid, Mutation::Kind::kSet, "key", ""};
  ASSERT_OK(store.ApplyUnlogged({&other, 1}));
  other = {TableId::kData, Mutation::Kind::kDelete, dense.key, ""};
  ASSERT_OK(store.ApplyUnlogged({&other, 1}));
  EXPECT_THAT(merged, SizeIs(3));
}

// A part of an hour with many points, sealed early, does not count as an hour with few.
TEST(DayRowsTest, PartsOfDenseHoursHaveRowsOfHours) {
  const RowKeyCodec row_keys{Layout()};
  DayRowStore store(std::make_unique<MemTableStore>());
  ASSERT_OK(store.Open(&row_keys, 200));
  const auto merge = [&](uint32_t count, uint32_t step_s) {
    CellColumns columns;
    for (uint32_t i = 0; i < count; ++i)
      columns.push_back({.offset_ms = i * step_s * 1000, .is_ms = false, .flags = 0},
                        Value::Integer(7));
    Mutation write;
    write.kind = Mutation::Kind::kMerge;
    row_keys.Append(std::string("\0\0\1\0\0\1\0\0\1", 9), kDay, &write.key);
    AppendPackedCell(columns, &write.value);
    ASSERT_OK(store.ApplyUnlogged({&write, 1}));
  };
  merge(60, 10);  // ten minutes of 360 points an hour
  merge(200, 18);
  EXPECT_FALSE(store.has_day_rows());
  // The hour has an hour row by now.
  merge(12, 300);
  EXPECT_FALSE(store.has_day_rows());
}

TEST(DayRowsTest, FewPointsCloseTogetherShareARow) {
  const RowKeyCodec row_keys{Layout()};
  DayRowStore store(std::make_unique<MemTableStore>());
  ASSERT_OK(store.Open(&row_keys, 200));
  CellColumns columns;
  for (uint32_t i = 0; i < 5; ++i)
    columns.push_back({.offset_ms = i * 1000, .is_ms = false, .flags = 0}, Value::Integer(7));
  Mutation write;
  write.kind = Mutation::Kind::kMerge;
  row_keys.Append(std::string("\0\0\1\0\0\1\0\0\1", 9), kDay, &write.key);
  AppendPackedCell(columns, &write.value);
  ASSERT_OK(store.ApplyUnlogged({&write, 1}));
  EXPECT_TRUE(store.has_day_rows());
}

// A day cell in one merge is for several hours; those without a day's row get theirs.
TEST(DayRowsTest, ADayIsMergedIntoHoursWhereDaysHaveNoRows) {
  const RowKeyCodec row_keys{Layout()};
  auto stored = std::make_unique<MemTableStore>();
  MemTableStore* const below = stored.get();
  DayRowStore store(std::move(stored));
  ASSERT_OK(store.Open(&row_keys, 0));
  CellColumns columns;
  for (const uint32_t hour : {2U, 9U})
    columns.push_back({.offset_ms = hour * kHourSpan.ms(), .is_ms = false, .flags = 0},
                      Value::Integer(7));
  Mutation write;
  write.kind = Mutation::Kind::kMerge;
  row_keys.Append(std::string("\0\0\1\0\0\1\0\0\1", 9), kDay, &write.key);
  AppendDayCell(columns, &write.value);
  ASSERT_OK(store.ApplyUnlogged({&write, 1}));
  EXPECT_FALSE(store.has_day_rows());
  std::vector<uint32_t> times;
  ASSERT_OK(
      below->Snapshot()->Scan(TableId::kData, {}, [&](std::string_view key, std::string_view) {
        times.push_back(TimeFieldOf(key, row_keys.base_time_offset()));
        return true;
      }));
  EXPECT_THAT(times, testing::ElementsAre(kDay + 2 * 3600, kDay + 9 * 3600));
}

// Rows of format 1 keep OpenTSDB's bytes.
TEST(DayRowsTest, CellsOfFormat1StayAsTheyAre) {
  const RowKeyCodec row_keys{Layout()};
  auto stored = std::make_unique<MemTableStore>();
  MemTableStore* const below = stored.get();
  DayRowStore store(std::move(stored));
  ASSERT_OK(store.Open(&row_keys, kPointsMax));
  CellColumns columns;
  columns.push_back({.offset_ms = 0, .is_ms = false, .flags = 0}, Value::Integer(7));
  Mutation write;
  write.kind = Mutation::Kind::kMerge;
  row_keys.Append(std::string("\0\0\1\0\0\1\0\0\1", 9), kDay, &write.key);
  AppendCell(columns, &write.value);
  ASSERT_OK(store.ApplyUnlogged({&write, 1}));
  const auto cell = below->Snapshot()->Get(TableId::kData, write.key);
  ASSERT_OK(cell);
  EXPECT_EQ(*cell, write.value);
}

}  // namespace
}  // namespace hourcell::day_row_store_test
