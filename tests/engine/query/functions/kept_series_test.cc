#include "engine/query/functions/kept_series.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/query/result_collector.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/support/status_matchers.h"

namespace hourcell::kept_series_test {
namespace {

// A series whose texts and points end with this object.
struct Borrowed {
  std::string metric = "sys.cpu.user";
  std::string tagk = "host";
  std::string tagv = "web01";
  std::string aggregated = "dc";
  std::string tsuid = std::string("\0\0\1", 3);
  std::vector<std::pair<std::string_view, std::string_view>> tags = {{tagk, tagv}};
  std::vector<std::string_view> aggregate_tags = {aggregated};
  std::vector<std::string_view> tsuids = {tsuid};
  std::vector<Annotation> annotations = {{.tsuid = "000001", .start_time = 7, .notes = "note"}};
  Span points;

  Borrowed() {
    points.push_back(1000, Value::Integer(5));
    points.push_back(2000, Value::Float(-0.0));
  }
  SeriesView View() const {
    return {.query_index = 3,
            .metric = metric,
            .tags = tags,
            .aggregate_tags = aggregate_tags,
            .tsuids = tsuids,
            .nan_as_null = true,
            .annotations = annotations,
            .points = {.t = points.t, .v = points.v, .is_float = points.is_float}};
  }
};

TEST(KeptSeriesTest, IsTheSeriesAfterItsTextsAreGone) {
  CountedMemory memory;
  auto borrowed = std::make_unique<Borrowed>();
  auto kept = KeptSeries::CopyOf(borrowed->View(), &memory);
  ASSERT_OK(kept);
  borrowed.reset();

  QueryResult got;
  ResultCollector collector(&got);
  ASSERT_OK((*kept)->GiveTo(&collector));

  QueryResult want;
  ResultCollector original(&want);
  const Borrowed again;
  ASSERT_OK(original.OnSeries(again.View()));
  ASSERT_EQ(got.series.size(), 1u);
  EXPECT_EQ(got.series[0].query_index, 3u);
  EXPECT_EQ(got.series[0].metric, want.series[0].metric);
  EXPECT_EQ(got.series[0].tags, want.series[0].tags);
  EXPECT_EQ(got.series[0].aggregate_tags, want.series[0].aggregate_tags);
  EXPECT_EQ(got.series[0].tsuids, want.series[0].tsuids);
  EXPECT_TRUE(got.series[0].nan_as_null);
  EXPECT_EQ(got.series[0].annotations, want.series[0].annotations);
  EXPECT_EQ(got.series[0].points, want.series[0].points);
}

TEST(KeptSeriesTest, ItsMemoryCountsUntilItIsDestroyed) {
  CountedMemory memory;
  const Borrowed borrowed;

  auto kept = KeptSeries::CopyOf(borrowed.View(), &memory);
  ASSERT_OK(kept);
  EXPECT_GT(memory.held, 2 * kSpanPointBytes + borrowed.metric.size());
  kept->reset();
  EXPECT_EQ(memory.held, 0u);

  memory.limit = 10;
  EXPECT_THAT(KeptSeries::CopyOf(borrowed.View(), &memory).status(),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(memory.held, 0u);
}

}  // namespace
}  // namespace hourcell::kept_series_test
