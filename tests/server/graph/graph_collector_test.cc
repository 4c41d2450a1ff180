#include "server/graph/graph_collector.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::graph_collector_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class CountingAccount : public MemoryAccount {
 public:
  absl::Status Take(size_t bytes) override {
    if (taken + bytes > limit) return absl::ResourceExhaustedError("no memory");
    taken += bytes;
    return absl::OkStatus();
  }
  void GiveBack(size_t bytes) override { taken -= bytes; }

  size_t limit = SIZE_MAX;
  size_t taken = 0;
};

class GraphCollectorTest : public testing::Test {
 protected:
  absl::Status Add(GraphCollector* collector, const Span& span, size_t query = 0) {
    return collector->OnSeries({.query_index = query,
                                .metric = "m",
                                .tags = tags_,
                                .aggregate_tags = {},
                                .tsuids = {},
                                .annotations = {},
                                .points = {.t = span.t, .v = span.v, .is_float = span.is_float}});
  }
  static Span Points(int64_t count) {
    Span span;
    for (int64_t i = 0; i < count; ++i)
      span.push_back(i, Value::Integer(i));
    return span;
  }

  const std::vector<std::pair<std::string_view, std::string_view>> tags_ = {{"host", "<a>"},
                                                                            {"dc", "lga"}};
  const QuerySpec spec_{.start_ms = 0, .end_ms = 1'000'000, .queries = {}};
  GraphLook look_;
  CountingAccount account_;
};

TEST_F(GraphCollectorTest, MakesALineOfEachSeries) {
  look_.is_right = {false, true};
  GraphCollector collector(spec_, look_, nullptr);
  ASSERT_OK(Add(&collector, Points(3)));
  ASSERT_OK(Add(&collector, Points(2), 1));

  const plot::Figure figure = collector.TakeFigure();

  ASSERT_THAT(figure.series, SizeIs(2));
  EXPECT_EQ(figure.series[0].name, "m{host=<a>, dc=lga}");
  EXPECT_THAT(figure.series[0].x, SizeIs(3));
  EXPECT_FALSE(figure.series[0].is_right);
  EXPECT_TRUE(figure.series[1].is_right);
  EXPECT_EQ(figure.x.max, 1'000'000);
  EXPECT_EQ(figure.x.LabelOf(1000), "1970-01-01 00:00:01");
}

TEST_F(GraphCollectorTest, WithoutPointsTheAxisEndsAtTen) {
  GraphCollector collector(spec_, look_, nullptr);
  const plot::Figure figure = collector.TakeFigure();
  EXPECT_EQ(figure.y.max, 10);
  EXPECT_EQ(figure.empty_text, "No data");
}

TEST_F(GraphCollectorTest, TooManySeriesAreRefused) {
  GraphCollector collector(spec_, look_, nullptr);
  for (size_t i = 0; i < kGraphSeriesMax; ++i)
    ASSERT_OK(Add(&collector, Points(1)));
  EXPECT_THAT(Add(&collector, Points(1)),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("more than 500 series")));
}

TEST_F(GraphCollectorTest, TooManyPointsAreRefused) {
  look_.width_px = kGraphPxMax;
  GraphCollector collector(spec_, look_, nullptr);
  const Span span = Points(4 * kGraphPxMax);
  size_t series = 0;
  absl::Status added;
  while ((added = Add(&collector, span)).ok())
    ++series;
  EXPECT_EQ(series, kGraphPointsMax / (4 * kGraphPxMax));
  EXPECT_THAT(added, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("points")));
}

TEST_F(GraphCollectorTest, CountsItsMemoryAndGivesItBack) {
  {
    GraphCollector collector(spec_, look_, &account_);
    ASSERT_OK(Add(&collector, Points(1'000)));
    EXPECT_GE(account_.taken, 1'000 * kGraphPointBytes);
    account_.limit = account_.taken;
    EXPECT_THAT(Add(&collector, Points(1)), StatusIs(absl::StatusCode::kResourceExhausted));
  }
  EXPECT_EQ(account_.taken, 0u);
}

}  // namespace
}  // namespace hourcell::graph_collector_test
