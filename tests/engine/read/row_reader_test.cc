#include "engine/read/row_reader.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/limits.h"
#include "codec/rows/salt.h"
#include "engine/days/day_row_store.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"

namespace hourcell::row_reader_test {
namespace {

constexpr uint32_t kHour = 1356998400;
constexpr Uid kCpu = 5;

struct Case {
  std::string name;
  size_t salt_width = 0;
  std::vector<RowField> fields = Layout().fields;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class RowReaderTest : public testing::TestWithParam<Case> {
 protected:
  RowReaderTest() {
    layout_.salt_width = GetParam().salt_width;
    layout_.salt_buckets = 3;
    layout_.fields = GetParam().fields;
    row_keys_.emplace(layout_);
  }

  void AddRow(std::string_view tsuid, uint32_t base_time_s, const std::string& value) {
    Mutation row{.table = TableId::kData, .kind = Mutation::Kind::kSet, .key = {}, .value = value};
    row_keys_->Append(tsuid, base_time_s, &row.key);
    ASSERT_OK(tables_.Apply({&row, 1}, false));
  }

  // By series and time.
  using Rows = std::map<std::pair<size_t, uint32_t>, std::string>;
  Rows ReadAll(const RowSelection& selection, const ScanBounds& hours, ReadMethod method) {
    return ReadAllOf(tables_.Snapshot(), selection, hours, method);
  }
  Rows ReadAllOf(const std::unique_ptr<TableView>& view,
                 const RowSelection& selection,
                 const ScanBounds& hours,
                 ReadMethod method) {
    QueryControl control;
    QueryMeter meter({}, {}, &control);
    RowReader reader(*row_keys_, view.get(), &meter, /*is_large=*/false);
    Rows rows;
    std::map<size_t, uint32_t> last;
    EXPECT_OK(reader.Read(selection, AllRows(*view, hours), method, [&](const RowReader::Row& row) {
      EXPECT_GT(row.base_time_s, last[row.index]) << "rows of a series come by time";
      last[row.index] = row.base_time_s;
      EXPECT_TRUE(rows.try_emplace({row.index, row.base_time_s}, row.cell).second);
      return absl::OkStatus();
    }));
    EXPECT_EQ(meter.cost().rows, rows.size());
    if (method == ReadMethod::kPointReads) {
      EXPECT_EQ(meter.cost().rows_skipped, 0u);
    }
    return rows;
  }

  Layout layout_;
  std::optional<RowKeyCodec> row_keys_;
  MemTableStore tables_;
};

TEST_P(RowReaderTest, EveryMethodFindsTheSameRows) {
  constexpr uint64_t kSeed = 20261122;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int round = 0; round < 30; ++round) {
    SeriesListBuilder builder(layout_);
    for (Uid i = 1; i <= 60; ++i) {
      std::vector<TagUids> tags = {{1, i}};
      if (random.Below(3) == 0) tags.push_back({2, 1 + random.Below(4)});
      for (const Uid metric : {kCpu - 1, kCpu, kCpu + 1}) {
        const std::string tsuid = EncodeTsuid(layout_, metric, tags);
        if (metric == kCpu) {
          ASSERT_OK(builder.Add(i, tsuid));
        }
        for (uint32_t hour = 0; hour < 12; ++hour) {
          if (hour % 5 == 3 || random.Below(3) == 0) continue;  // some hours lack a row
          AddRow(tsuid, kHour + hour * kHourSpan.seconds, fmt::format("{}.{}.{}", metric, i, hour));
        }
      }
    }
    const SeriesList list = std::move(builder).Build();
    std::vector<uint32_t> selected;
    const uint64_t share = 1 + random.Below(30);
    for (uint32_t i = 0; i < list.size(); ++i) {
      if (random.Below(share) == 0) selected.push_back(i);
    }
    const RowSelection selection{.list = &list, .metric = kCpu, .series = selected};
    const auto begin_s = static_cast<uint32_t>(kHour + random.Below(6) * kHourSpan.seconds);
    const ScanBounds hours{.begin_s = begin_s,
                           .end_s = begin_s + random.Below(9) * kHourSpan.seconds};

    Rows want;
    const auto view = tables_.Snapshot();
    for (size_t i = 0; i < selected.size(); ++i) {
      for (uint64_t hour_s = hours.begin_s; hour_s < hours.end_s; hour_s += kHourSpan.seconds) {
        std::string key;
        row_keys_->Append(list.tsuid(selected[i]), static_cast<uint32_t>(hour_s), &key);
        const auto value = *view->Get(TableId::kData, key);
        if (value.has_value()) want[{i, static_cast<uint32_t>(hour_s)}] = *value;
      }
    }
    for (const ReadMethod method :
         {ReadMethod::kPointReads, ReadMethod::kSkipScan, ReadMethod::kLinearScan}) {
      EXPECT_EQ(ReadAll(selection, hours, method), want) << ReadMethodName(method);
    }
    EXPECT_EQ(ReadAllOf(tables_.SnapshotInMemory(), selection, hours, ReadMethod::kPointReads),
              want);
  }
}

TEST_P(RowReaderTest, PresentHoursAreThoseOfTheMetric) {
  const std::string tsuid = EncodeTsuid(layout_, kCpu, std::vector<TagUids>{{1, 1}});
  AddRow(tsuid, kHour + 3 * kHourSpan.seconds, "a");
  AddRow(tsuid, kHour + 7 * kHourSpan.seconds, "b");
  const auto present = [&](uint32_t from_hour, uint32_t to_hour) {
    const auto view = tables_.Snapshot();
    const auto rows = PresentRows(*row_keys_, view.get(), kCpu,
                                  {.begin_s = kHour + from_hour * kHourSpan.seconds,
                                   .end_s = kHour + to_hour * kHourSpan.seconds});
    EXPECT_OK(rows);
    if (!rows->has_hours()) return std::pair(0u, uint64_t{0});
    return std::pair((rows->hours.begin_s - kHour) / kHourSpan.seconds,
                     (rows->hours.end_s - kHour) / kHourSpan.seconds);
  };

  EXPECT_EQ(present(0, 20), std::pair(3u, uint64_t{8}));
  EXPECT_EQ(present(4, 20), std::pair(7u, uint64_t{8}));
  EXPECT_EQ(present(0, 7), std::pair(3u, uint64_t{4}));
  const auto none = present(8, 20);
  EXPECT_EQ(none.first, none.second);
}

TEST_P(RowReaderTest, ReadsToTheLastHourThereCanBe) {
  constexpr uint32_t kLastHour = UINT32_MAX / kHourSpan.seconds * kHourSpan.seconds;
  const std::string tsuid = EncodeTsuid(layout_, kCpu, std::vector<TagUids>{{1, 1}});
  AddRow(tsuid, kLastHour, "end");
  SeriesListBuilder builder(layout_);
  ASSERT_OK(builder.Add(1, tsuid));
  const SeriesList list = std::move(builder).Build();
  const std::vector<uint32_t> all = {0};
  const ScanBounds hours =
      ClampHours({.begin_s = kLastHour - 2 * kHourSpan.seconds, .end_s = UINT64_MAX});

  for (const ReadMethod method :
       {ReadMethod::kPointReads, ReadMethod::kSkipScan, ReadMethod::kLinearScan}) {
    EXPECT_EQ(ReadAll({.list = &list, .metric = kCpu, .series = all}, hours, method).size(), 1u);
  }
}

TEST_P(RowReaderTest, OneSeriesOfManyReadsItsRowsOnly) {
  SeriesListBuilder builder(layout_);
  for (Uid i = 1; i <= 500; ++i) {
    const std::string tsuid = EncodeTsuid(layout_, kCpu, std::vector<TagUids>{{1, i}});
    ASSERT_OK(builder.Add(i, tsuid));
    AddRow(tsuid, kHour, "x");
  }
  const SeriesList list = std::move(builder).Build();
  const std::vector<uint32_t> one = {250};
  QueryControl control;
  QueryMeter meter({}, {}, &control);
  const auto view = tables_.Snapshot();
  RowReader reader(*row_keys_, view.get(), &meter, /*is_large=*/false);

  ASSERT_OK(reader.Read({.list = &list, .metric = kCpu, .series = one},
                        AllRows(*view, {.begin_s = kHour, .end_s = kHour + kHourSpan.seconds}),
                        ReadMethod::kSkipScan,
                        [](const RowReader::Row&) { return absl::OkStatus(); }));

  EXPECT_EQ(meter.cost().rows, 1u);
  EXPECT_EQ(meter.cost().rows_skipped, 0u);
}

// A store with rows of days, of hours, and of both in one day, and its points.
class DayRows {
 public:
  static constexpr uint32_t kPointsMax = 10;
  static constexpr uint32_t kHours = 60;
  // By series and time in milliseconds.
  using Points = std::map<std::pair<size_t, int64_t>, uint64_t>;

  DayRows(const RowKeyCodec& row_keys, uint64_t dense, Random* random)
      : row_keys_(row_keys), random_(*random), store_(std::make_unique<MemTableStore>()) {
    EXPECT_OK(store_.Open(&row_keys, kPointsMax));
    SeriesListBuilder builder(row_keys.layout());
    for (Uid i = 1; i <= 20; ++i) {
      tsuids_.push_back(EncodeTsuid(row_keys.layout(), kCpu, std::vector<TagUids>{{1, i}}));
      EXPECT_OK(builder.Add(i, tsuids_.back()));
    }
    list_ = std::make_unique<SeriesList>(std::move(builder).Build());
    for (int cell = 0; cell < 400; ++cell)
      WriteCell(dense > 0 && random_.Below(4) < dense ? 12 : 1 + random_.Below(6));
  }

  const SeriesList& list() const { return *list_; }
  std::unique_ptr<TableView> Snapshot() { return store_.Snapshot(); }
  std::unique_ptr<TableView> SnapshotInMemory() { return store_.SnapshotInMemory(); }

  // The points of the selected series in the bounds, by index into `selected`.
  Points In(const ScanBounds& bounds, std::span<const uint32_t> selected) const {
    Points points;
    for (size_t i = 0; i < selected.size(); ++i) {
      for (const auto& [at, value] : written_) {
        if (at.first == selected[i] && IsIn(at.second, bounds.begin_s, bounds.end_s)) {
          points[{i, at.second}] = value;
        }
      }
    }
    return points;
  }

  static bool IsIn(int64_t ms, uint64_t begin_s, uint64_t end_s) {
    return ms >= static_cast<int64_t>(begin_s) * 1000 && ms < static_cast<int64_t>(end_s) * 1000;
  }

 private:
  void WriteCell(size_t count) {
    const size_t series = random_.Below(tsuids_.size());
    const auto base_time_s =
        static_cast<uint32_t>(kHour + random_.Below(kHours) * kHourSpan.seconds);
    std::map<uint32_t, uint64_t> points;
    while (points.size() < count)
      points[static_cast<uint32_t>(random_.Below(30)) * 120'000] = random_.Below(1000);
    CellColumns columns;
    for (const auto& [offset_ms, value] : points) {
      columns.push_back({.offset_ms = offset_ms, .is_ms = false, .flags = 7},
                        Value::Integer(static_cast<int64_t>(value)));
      written_[{series, int64_t{base_time_s} * 1000 + offset_ms}] = value;
    }
    Mutation write{.table = TableId::kData, .kind = Mutation::Kind::kMerge, .key = {}, .value = {}};
    row_keys_.Append(tsuids_[series], base_time_s, &write.key);
    AppendPackedCell(columns, &write.value);
    ASSERT_OK(store_.ApplyUnlogged({&write, 1}));
  }

  const RowKeyCodec& row_keys_;
  Random& random_;
  DayRowStore store_;
  std::vector<std::string> tsuids_;
  std::unique_ptr<SeriesList> list_;
  Points written_;
};

// Reads the points of rows, each once and in the order of time.
DayRows::Points PointsOf(RowReader* reader,
                         const RowSelection& selection,
                         const StoredRows& rows,
                         ReadMethod method) {
  DayRows::Points points;
  std::map<size_t, int64_t> last;
  EXPECT_OK(reader->Read(selection, rows, method, [&](const RowReader::Row& row) {
    CellColumns columns;
    EXPECT_OK(DecodeCell(row.cell, &columns));
    for (size_t i = 0; i < columns.size(); ++i) {
      const int64_t ms = int64_t{row.base_time_s} * 1000 + columns.offset_ms[i];
      if (row.is_part && !DayRows::IsIn(ms, row.begin_s, row.end_s)) continue;
      EXPECT_GT(ms, last[row.index]) << "points of a series come by time";
      last[row.index] = ms;
      points[{row.index, ms}] = columns.bits[i];
    }
    return absl::OkStatus();
  }));
  return points;
}

// Each point once, in the order of time, with the value that was written last.
TEST_P(RowReaderTest, ReadsRowsOfDaysAndOfHours) {
  constexpr uint64_t kSeed = 20261127;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (uint64_t round = 0; round < (kIsSanitized ? 5 : 20); ++round) {
    DayRows written(*row_keys_, round % 3, &random);
    std::vector<uint32_t> selected;
    for (uint32_t i = 0; i < written.list().size(); ++i)
      if (random.Below(2) == 0) selected.push_back(i);
    const auto begin_s =
        static_cast<uint32_t>(kHour + random.Below(DayRows::kHours) * kHourSpan.seconds);
    const ScanBounds bounds{.begin_s = begin_s,
                            .end_s = begin_s + random.Below(DayRows::kHours) * kHourSpan.seconds};
    const RowSelection selection{.list = &written.list(), .metric = kCpu, .series = selected};
    const auto view = written.Snapshot();
    const auto in_memory = written.SnapshotInMemory();
    const auto present = PresentRows(*row_keys_, view.get(), kCpu, bounds);
    ASSERT_OK(present);
    for (const StoredRows& rows : {AllRows(*view, bounds), *present}) {
      for (const ReadMethod method :
           {ReadMethod::kPointReads, ReadMethod::kSkipScan, ReadMethod::kLinearScan}) {
        QueryControl control;
        QueryMeter meter({}, {}, &control);
        RowReader reader(*row_keys_, view.get(), &meter, /*is_large=*/false);
        EXPECT_EQ(PointsOf(&reader, selection, rows, method), written.In(bounds, selected))
            << ReadMethodName(method) << " round " << round;
      }
      QueryControl control;
      QueryMeter meter({}, {}, &control);
      RowReader reader(*row_keys_, in_memory.get(), &meter, /*is_large=*/false);
      EXPECT_EQ(PointsOf(&reader, selection, rows, ReadMethod::kPointReads),
                written.In(bounds, selected))
          << "round " << round;
    }
  }
}

using enum RowField;
INSTANTIATE_TEST_SUITE_P(Layouts,
                         RowReaderTest,
                         testing::Values(Case{"plain"},
                                         Case{"salted", 1},
                                         Case{"time_first", 0, {kBaseTime, kSalt, kMetric, kTags}},
                                         Case{"metric_salt", 1, {kMetric, kSalt, kBaseTime, kTags}},
                                         Case{"salt_last", 1, {kMetric, kBaseTime, kSalt, kTags}},
                                         Case{"time_salt", 1, {kBaseTime, kSalt, kMetric, kTags}}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace hourcell::row_reader_test
