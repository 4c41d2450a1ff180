#include "engine/series/series_sums.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/rows/tsuid.h"
#include "engine/hours/tsuid_list.h"
#include "engine/series/series_rows.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::series_sums_test {
namespace {

using testing::ElementsAre;

constexpr SeriesNumber kSeries = 150;

class SeriesSumsTest : public testing::Test {
 protected:
  // Series 1 to kSeries, of metrics 1 and 2 in turn, with all their rows.
  void SetUp() override {
    NewSeries series(layout_, 1);
    std::map<Uid, std::vector<NewSeries::Entry>> by_metric;
    for (SeriesNumber number = 1; number <= kSeries; ++number) {
      const Uid metric = 1 + number % 2;
      series.Add(number, TsuidOf(number));
      by_metric[metric].push_back({.number = number, .tsuid = series.TsuidOf(number)});
    }
    std::vector<Mutation> group;
    for (SeriesNumber block = 0; block <= kSeries / kBlockSeries; ++block)
      AppendBlock(series, block, &group);
    for (const auto& [metric, entries] : by_metric)
      AppendIndexRows(layout_, metric, entries, &group, &group);
    group.push_back(SetSeries(IndexedKey(), EncodeU64(kSeries)));
    ASSERT_OK(tables_.Apply(group, /*sync=*/false));
  }

  std::string TsuidOf(SeriesNumber number) const {
    const TagUids tags[] = {{.tagk = 1, .tagv = number}, {.tagk = 2, .tagv = number % 5 + 1}};
    return EncodeTsuid(layout_, 1 + number % 2, tags);
  }

  SeriesSums Sum() {
    const auto sums = SumSeriesRows(layout_, tables_.Snapshot().get(), nullptr);
    EXPECT_OK(sums);
    return sums.value_or(SeriesSums());
  }

  std::map<std::string, std::string> Rows() {
    std::map<std::string, std::string> rows;
    EXPECT_OK(tables_.Snapshot()->Scan(TableId::kSeries, {},
                                       [&](std::string_view key, std::string_view row) {
                                         rows.emplace(key, row);
                                         return true;
                                       }));
    return rows;
  }

  void Set(const std::string& key, const std::string& row) {
    const Mutation set = SetSeries(key, row);
    ASSERT_OK(tables_.Apply({&set, 1}, /*sync=*/false));
  }
  void Delete(const std::string& key) {
    const Mutation gone{TableId::kSeries, Mutation::Kind::kDelete, key, {}};
    ASSERT_OK(tables_.Apply({&gone, 1}, /*sync=*/false));
  }

  const Layout layout_;
  MemTableStore tables_;
};

TEST_F(SeriesSumsTest, RowsThatAgreeDifferInNoMetric) {
  const SeriesSums sums = Sum();
  EXPECT_TRUE(sums.is_good());
  EXPECT_EQ(sums.series, kSeries);
}

// One after the other: whichever row is gone, its metric is reported, and no other.
TEST_F(SeriesSumsTest, AnyRowThatIsGoneMakesItsMetricDiffer) {
  for (const auto& [key, row] : Rows()) {
    if (key == IndexedKey()) continue;
    SCOPED_TRACE(testing::PrintToString(key));
    Delete(key);
    const SeriesSums sums = Sum();
    EXPECT_FALSE(sums.is_damaged);
    if (key[0] == 'n') {
      EXPECT_THAT(sums.differing, ElementsAre(1, 2)) << "a block has series of both";
    } else {
      EXPECT_THAT(sums.differing, ElementsAre(static_cast<Uid>(key[3]))) << "of three bytes";
    }
    Set(key, row);
  }
  EXPECT_TRUE(Sum().is_good());
}

TEST_F(SeriesSumsTest, ANumberTooManyInASetIsTold) {
  std::string key = TagPostingPrefix(layout_, 2, {.tagk = 9, .tagv = 9});
  AppendPostingChunk(1, &key);
  Set(key, PostingOfOne(1));
  EXPECT_THAT(Sum().differing, ElementsAre(2));
}

TEST_F(SeriesSumsTest, TwoSeriesThatChangedTheirNumbersAreTold) {
  Set(SeriesTsuidKey(TsuidOf(2)), EncodeU64(4));
  Set(SeriesTsuidKey(TsuidOf(4)), EncodeU64(2));
  EXPECT_THAT(Sum().differing, ElementsAre(1));
}

TEST_F(SeriesSumsTest, RowsThatDoNotDecodeAreTold) {
  std::string key = MetricPostingPrefix(layout_, 2);
  AppendPostingChunk(1, &key);
  Set(key, "\x07");
  EXPECT_THAT(Sum().differing, ElementsAre(2));
  EXPECT_FALSE(Sum().is_damaged);

  Set(SeriesTsuidKey(TsuidOf(2)), "no number");
  EXPECT_TRUE(Sum().is_damaged);
}

// Until all rows of a log row's series are there, any subset may be.
TEST_F(SeriesSumsTest, SeriesOfALogRowMayLackRows) {
  std::string list;
  for (SeriesNumber number = 128; number <= kSeries; ++number)
    AppendToTsuidList(TsuidOf(number), &list);
  Set(LogRowKey(128), list);
  Set(IndexedKey(), EncodeU64(127));
  EXPECT_TRUE(Sum().is_good()) << "all are there";

  Delete(SeriesTsuidKey(TsuidOf(130)));
  Delete(BlockKey(128));
  std::string key = TagPostingPrefix(layout_, 2, {.tagk = 1, .tagv = 131});
  AppendPostingChunk(131, &key);
  Delete(key);
  EXPECT_TRUE(Sum().is_good());
  EXPECT_EQ(Sum().series, kSeries);

  Delete(SeriesTsuidKey(TsuidOf(127)));
  EXPECT_THAT(Sum().differing, ElementsAre(2)) << "of one whose rows were all written";
}

TEST_F(SeriesSumsTest, ATickEndsIt) {
  for (SeriesNumber number = kSeries + 1; number < 10'000; ++number)
    Set(SeriesTsuidKey(TsuidOf(number)), EncodeU64(number));
  const auto no = [] { return absl::CancelledError("enough"); };
  EXPECT_THAT(SumSeriesRows(layout_, tables_.Snapshot().get(), no),
              StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace hourcell::series_sums_test
