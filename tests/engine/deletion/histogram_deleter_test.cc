#include "engine/deletion/histogram_deleter.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::histogram_deleter_test {
namespace {

constexpr int64_t kHour = 1356998400;

// Three histograms of each of two series, and a number of the first one.
class HistogramDeleterTest : public testing::Test {
 protected:
  HistogramDeleterTest() {
    auto opened = Tsdb::Open(TinyOptions(directory_.path()));
    HOURCELL_CHECK(opened.ok());
    tsdb_ = *std::move(opened);
    const SimpleHistogram value{.buckets = {{0, 2, 1}}};
    for (const std::string tags : {"host=a", "host=b"}) {
      for (int64_t second = 0; second < 3; ++second) {
        OwnedPoint point("latency", tags, kHour + second, 0);
        const HistogramPoint one{.point = point.view(), .histogram = &value, .codec = 0};
        HOURCELL_CHECK(tsdb_->points().AppendHistograms({&one, 1}, nullptr).ok());
      }
    }
    OwnedPoint number("latency", "host=a", kHour, 1);
    HOURCELL_CHECK(tsdb_->points().Put(number.view()).ok());
  }

  static QuerySpec Selection(int64_t end_s, std::string host) {
    return MakeQuery(Aggregator::kSum, "latency",
                     {{"host", FilterType::kLiteralOr, std::move(host), false}}, kHour, end_s);
  }

  uint64_t HistogramsLeft() {
    uint64_t left = 0;
    EXPECT_OK(tsdb_->queries().VisitHistograms({}, [&](std::span<const HistogramPoint> some) {
      left += some.size();
      return absl::OkStatus();
    }));
    return left;
  }

  TempDir directory_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(HistogramDeleterTest, DeletesWhatItCounts) {
  const QuerySpec selection = Selection(kHour + 1, "a");
  EXPECT_THAT(tsdb_->points().CountPoints(selection),
              IsOkAndHolds(CountedPoints{.metrics = 1, .series = 1, .points = 1, .histograms = 2}));
  EXPECT_EQ(HistogramsLeft(), 6);

  EXPECT_THAT(tsdb_->points().DeletePoints(selection),
              IsOkAndHolds(DeletedPoints{.points = 1, .rows = 1, .histograms = 2}));

  EXPECT_EQ(HistogramsLeft(), 4);
}

TEST_F(HistogramDeleterTest, SelectsSeriesWithoutPoints) {
  QuerySpec selection = Selection(kHour + 60, "b");
  selection.queries[0].percentiles = {50};
  EXPECT_THAT(tsdb_->points().CountPoints(selection), IsOkAndHolds(CountedPoints{.histograms = 3}));
  EXPECT_THAT(tsdb_->points().DeletePoints(selection),
              IsOkAndHolds(DeletedPoints{.histograms = 3}));
  EXPECT_EQ(HistogramsLeft(), 3);
}

}  // namespace
}  // namespace hourcell::histogram_deleter_test
