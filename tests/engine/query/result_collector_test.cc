#include "engine/query/result_collector.h"

#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::result_collector_test {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(ResultCollectorTest, OwnsWhatItWasShown) {
  QueryResult result;
  ResultCollector collector(&result);
  Annotation global;
  global.start_time = 7;
  global.description = "deploy";
  ASSERT_OK(collector.OnBegin({&global, 1}));
  {
    Span span;
    span.push_back(1000, Value::Integer(5));
    span.push_back(2000, Value::Float(0.5));
    const std::pair<std::string_view, std::string_view> tags[] = {{"host", "a"}};
    const std::string_view aggregate_tags[] = {"dc"};
    const std::string_view tsuids[] = {std::string_view("\x00\x00\x01", 3)};
    ASSERT_OK(collector.OnSeries({.query_index = 3,
                                  .metric = "cpu",
                                  .tags = tags,
                                  .aggregate_tags = aggregate_tags,
                                  .tsuids = tsuids,
                                  .nan_as_null = true,
                                  .annotations = {&global, 1},
                                  .points = {span.t, span.v, span.is_float}}));
  }
  EXPECT_THAT(result.global_annotations, ElementsAre(global));
  ASSERT_EQ(result.series.size(), 1u);
  const ResultSeries& series = result.series[0];
  EXPECT_EQ(series.query_index, 3u);
  EXPECT_EQ(series.metric, "cpu");
  EXPECT_THAT(series.tags, ElementsAre(Pair("host", "a")));
  EXPECT_THAT(series.aggregate_tags, ElementsAre("dc"));
  EXPECT_THAT(series.tsuids, ElementsAre("000001"));
  EXPECT_TRUE(series.nan_as_null);
  EXPECT_THAT(series.annotations, ElementsAre(global));
  EXPECT_THAT(series.points, ElementsAre(ResultPoint{.ms = 1000, .value = Value::Integer(5)},
                                         ResultPoint{.ms = 2000, .value = Value::Float(0.5)}));
}

}  // namespace
}  // namespace hourcell::result_collector_test
