#include "engine/histograms/histogram_store.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "engine/annotations/annotation_scan.h"
#include "engine/rows/histogram_cell.h"
#include "engine/rows/store_format.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::histogram_store_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;

constexpr int64_t kStartMs = 1'356'998'400'000;

class HistogramStoreTest : public testing::Test {
 protected:
  HistogramStoreTest() {
    const Mutation format{TableId::kSystem, Mutation::Kind::kSet, std::string(kStoreFormatKey),
                          std::string(kStoreFormat)};
    HOURCELL_CHECK(tables_.Apply({&format, 1}, /*sync=*/false).ok());
    auto opened = AnnotationStore::Open(
        {.row_keys = &row_keys_, .tables = &tables_, .expiry = nullptr}, /*sync=*/false);
    HOURCELL_CHECK(opened.ok());
    annotations_ = *std::move(opened);
    store_ = std::make_unique<HistogramStore>(&row_keys_, &tables_, annotations_.get());
  }

  absl::Status Write(int64_t time_ms, int64_t count, uint8_t series = 1) {
    HistogramRow row{.tsuid = Tsuid(series), .time_ms = time_ms, .cell = {}};
    AppendHistogramCell(0, {.buckets = {{0, 1, count}}}, &row.cell);
    return store_->Write({&row, 1}, /*sync=*/false);
  }

  static std::string Tsuid(uint8_t series) {
    std::string tsuid = FromHex("000001000001000000").value();
    tsuid.back() = static_cast<char>(series);
    return tsuid;
  }

  // Time and count of each histogram of a series.
  std::vector<std::pair<int64_t, int64_t>> Stored(uint8_t series = 1) {
    const std::string tsuid = Tsuid(series);
    const std::string_view view = tsuid;
    std::vector<std::pair<int64_t, int64_t>> stored;
    EXPECT_OK(ScanSeriesHistograms(row_keys_, tables_.Snapshot().get(), {&view, 1}, 0,
                                   kTimestampMsMax, [&](const AnnotationRow& row) {
                                     const auto histogram = ParseHistogramCell(row.value);
                                     EXPECT_OK(histogram);
                                     const auto& simple = std::get<SimpleHistogram>(*histogram);
                                     stored.emplace_back(row.start_ms, simple.buckets.at(0).count);
                                     return absl::OkStatus();
                                   }));
    return stored;
  }

  MemTableStore tables_;
  const RowKeyCodec row_keys_{Layout{}};
  std::unique_ptr<AnnotationStore> annotations_;
  std::unique_ptr<HistogramStore> store_;
};

TEST_F(HistogramStoreTest, ALaterHistogramReplacesAnEarlierOne) {
  ASSERT_OK(Write(kStartMs, 1));
  ASSERT_OK(Write(kStartMs, 2));
  ASSERT_OK(Write(kStartMs + 500, 3));
  EXPECT_THAT(Stored(), ElementsAre(Pair(kStartMs, 2), Pair(kStartMs + 500, 3)));
}

TEST_F(HistogramStoreTest, AnnotationsAndHistogramsAreReadApart) {
  const std::string hex = ToUpperHex(Tsuid(1));
  const AnnotationEdit note{.tsuid = hex, .start_time = kStartMs / 1000, .description = "deploy"};
  ASSERT_OK(annotations_->Put({&note, 1}, AnnotationWrite::kReplace));
  ASSERT_OK(Write(kStartMs, 1));

  EXPECT_THAT(Stored(), ElementsAre(Pair(kStartMs, 1)));
  EXPECT_THAT(annotations_->Get(hex, kStartMs / 1000), IsOkAndHolds(testing::Ne(std::nullopt)));
  int visited = 0;
  EXPECT_OK(annotations_->VisitAll([&visited](const Annotation&) {
    ++visited;
    return absl::OkStatus();
  }));
  EXPECT_EQ(visited, 1);
  EXPECT_THAT(
      annotations_->DeleteRange(std::vector<std::string>{hex}, /*global=*/true, 0, kTimestampMsMax),
      IsOkAndHolds(1));
  EXPECT_THAT(Stored(), ElementsAre(Pair(kStartMs, 1)));
}

TEST_F(HistogramStoreTest, DeletesTheRangeOfTheSeriesAlone) {
  for (int64_t second = 0; second < 3; ++second) {
    ASSERT_OK(Write(kStartMs + 1000 * second, second, 1));
    ASSERT_OK(Write(kStartMs + 1000 * second, second, 2));
  }
  const std::string tsuid = Tsuid(1);
  const std::string_view view = tsuid;
  EXPECT_THAT(store_->Delete({&view, 1}, kStartMs + 1, kStartMs + 2000, /*sync=*/false),
              IsOkAndHolds(2));
  EXPECT_THAT(Stored(1), ElementsAre(Pair(kStartMs, 0)));
  EXPECT_EQ(Stored(2).size(), 3);
}

TEST_F(HistogramStoreTest, TheFirstHistogramRaisesTheFormatOfTheStore) {
  EXPECT_OK(store_->Write({}, /*sync=*/false));
  EXPECT_THAT(tables_.Snapshot()->Get(TableId::kSystem, kStoreFormatKey),
              IsOkAndHolds(Optional(std::string(kStoreFormat))));
  ASSERT_OK(Write(kStartMs, 1));
  EXPECT_THAT(tables_.Snapshot()->Get(TableId::kSystem, kStoreFormatKey),
              IsOkAndHolds(Optional(std::string(kStoreFormatOfHistograms))));
}

TEST_F(HistogramStoreTest, TellsWhetherAMetricHasHistograms) {
  const AnnotationEdit note{
      .tsuid = ToUpperHex(Tsuid(1)), .start_time = kStartMs / 1000, .description = "deploy"};
  ASSERT_OK(annotations_->Put({&note, 1}, AnnotationWrite::kReplace));
  EXPECT_THAT(HasHistograms(row_keys_, tables_.Snapshot().get(), 1), IsOkAndHolds(false));
  ASSERT_OK(Write(kStartMs, 1));
  EXPECT_THAT(HasHistograms(row_keys_, tables_.Snapshot().get(), 1), IsOkAndHolds(true));
  EXPECT_THAT(HasHistograms(row_keys_, tables_.Snapshot().get(), 2), IsOkAndHolds(false));
  EXPECT_THAT(Stored(2), IsEmpty());
}

}  // namespace
}  // namespace hourcell::histogram_store_test
