#include "bench/lab/layouts/point_reader.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/layouts/layout_list.h"
#include "codec/value.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::layouts::point_reader_test {
namespace {

using absl::StatusCode;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kHour = 1'356'998'400;

// Two series of one metric with two hours of two points each, and a series of another metric.
class PointReaderTest : public testing::Test {
 protected:
  static RowId Row(char metric, char tag, uint32_t hour) {
    return {.metric = std::string(2, '\0') + metric,
            .base_time_s = kHour + hour * 3'600,
            .tags = std::string(5, '\0') + tag};
  }

  static CellColumns Points(bool is_ms) {
    CellColumns columns;
    for (const uint32_t offset_ms : {1'000u, 2'000u}) {
      const Value value = Value::Integer(offset_ms);
      columns.push_back({.offset_ms = offset_ms, .is_ms = is_ms, .flags = ValueFlags(value)},
                        value);
    }
    return columns;
  }

  void Fill(std::string_view layout, const CellForm& form) {
    store_ = std::make_unique<MemTableStore>();
    keys_ = FindLayout(layout)->keys;
    for (const RowId& row : {Row(1, 1, 0), Row(1, 1, 1), Row(1, 2, 0), Row(1, 2, 1), Row(2, 1, 0)})
      Write(row, form);
    view_ = store_->Snapshot();
  }

  void Write(RowId row, const CellForm& form) {
    row.is_shared = keys_.hours() == RowHours::kByDensity;
    const CellColumns columns = Points(form.is_ms);
    std::vector<Mutation> group;
    for (size_t i = 0; i < columns.size(); ++i) {
      std::string key;
      ASSERT_OK(keys_.Encode(row, &key));
      if (form.is_by_point()) {
        group.push_back(PointWrite(form, key, columns, i));
      } else if (i == 0 && keys_.SpanOf(row) == kDaySpan) {
        group.push_back(DayWrite(key, row.base_time_s % 86'400 / 3'600, columns));
      } else if (i == 0) {
        group.push_back(RowWrite(form, key, columns));
      }
    }
    ASSERT_OK(store_->ApplyUnlogged(group));
  }

  static RowQuery Query(std::optional<char> tag, uint32_t hours) {
    RowQuery query{.metric = Row(1, 1, 0).metric, .begin_s = kHour, .end_s = kHour + hours * 3'600};
    if (tag.has_value()) query.tags = Row(1, *tag, 0).tags;
    return query;
  }

  std::unique_ptr<MemTableStore> store_;
  std::unique_ptr<TableView> view_;
  RowKeys keys_;
};

TEST_F(PointReaderTest, ReadsASeriesAndAMetricInEveryLayoutAndForm) {
  for (const NamedLayout& layout : NamedLayouts()) {
    for (const CellForm& form : CellForms()) {
      SCOPED_TRACE(std::string(layout.name) + " " + CellFormName(form));
      const bool has_days = FindLayout(layout.name)->keys.hours() != RowHours::kOne;
      if (has_days && form.kind != CellKind::kPacked) continue;
      Fill(layout.name, form);
      PointReader reader(view_.get(), &keys_, form);
      RowsRead series;
      RowsRead metric;
      ReadCost cost;
      ASSERT_OK(reader.Read(Query(2, 2), &series, &cost));
      ASSERT_OK(reader.Read(Query({}, 1), &metric, &cost));

      EXPECT_THAT(series, SizeIs(2));
      EXPECT_THAT(metric, SizeIs(2));
      EXPECT_EQ(series.begin()->second, Points(form.is_ms));
      EXPECT_EQ(metric.begin()->second, Points(form.is_ms));
      EXPECT_EQ(cost.points, 8u);
      EXPECT_GE(cost.rows, has_days ? 3u : 4u);
    }
  }
}

TEST_F(PointReaderTest, ReadsOnePoint) {
  for (const CellForm& form : CellForms()) {
    SCOPED_TRACE(CellFormName(form));
    Fill("opentsdb", form);
    PointReader reader(view_.get(), &keys_, form);
    RowsRead rows;
    ReadCost cost;
    ASSERT_OK(reader.ReadPoint(Query(1, 1), 2'000, &rows, &cost));

    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_EQ(rows.begin()->second.size(), 1u);
    EXPECT_EQ(rows.begin()->second.value(0), Value::Integer(2'000));
    EXPECT_EQ(cost.accesses, 1u);
    EXPECT_EQ(cost.rows, 1u);
  }
}

TEST_F(PointReaderTest, CountsWhatARangeCannotLeaveOut) {
  Fill("tags-first", {});
  PointReader reader(view_.get(), &keys_, {});
  RowsRead rows;
  ReadCost cost;
  ASSERT_OK(reader.Read(Query({}, 1), &rows, &cost));

  EXPECT_EQ(cost.rows, 5u);  // all there are, for the two of the metric's hour
  EXPECT_EQ(cost.points, 4u);
  EXPECT_GT(cost.bytes, 5u * 13);
}

TEST_F(PointReaderTest, NothingIsNothing) {
  Fill("opentsdb", {});
  PointReader reader(view_.get(), &keys_, {});
  RowsRead rows;
  ReadCost cost;
  ASSERT_OK(reader.Read(Query(9, 2), &rows, &cost));

  EXPECT_THAT(rows, IsEmpty());
  EXPECT_EQ(cost.accesses, 2u);
  EXPECT_EQ(cost.rows, 0u);
}

TEST_F(PointReaderTest, AKeyThatIsNoneIsDataLoss) {
  Fill("opentsdb", {});
  const Mutation bad{TableId::kData, Mutation::Kind::kSet, Row(1, 1, 0).metric + "x", "y"};
  ASSERT_OK(store_->ApplyUnlogged({&bad, 1}));
  const auto view = store_->Snapshot();
  RowKeys series_first = FindLayout("series-first")->keys;
  PointReader reader(view.get(), &series_first, {});
  RowsRead rows;
  ReadCost cost;

  EXPECT_THAT(reader.Read(Query({}, 1), &rows, &cost), StatusIs(StatusCode::kDataLoss));
}

}  // namespace
}  // namespace hourcell::layouts::point_reader_test
