#include "engine/query/functions/combination.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/query/result_collector.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/support/status_matchers.h"

namespace hourcell::combination_test {
namespace {

using Kind = FunctionSpec::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

class CombinationTest : public testing::Test {
 protected:
  absl::Status Add(size_t input,
                   std::string_view metric,
                   std::string_view host,
                   const std::vector<std::pair<int64_t, int64_t>>& points,
                   std::string_view tsuid = "") {
    Span span;
    for (const auto& [ms, value] : points)
      span.push_back(ms, Value::Integer(value));
    const std::pair<std::string_view, std::string_view> tag{"host", host};
    SeriesView view;
    view.metric = metric;
    view.tags = {&tag, 1};
    if (!tsuid.empty()) view.tsuids = {&tsuid, 1};
    view.points = {.t = span.t, .v = span.v, .is_float = span.is_float};
    return function_.Add(input, view, &out_);
  }
  // "metric host time=value ..." of each result.
  std::vector<std::string> Results() {
    EXPECT_OK(function_.Finish(&out_));
    EXPECT_EQ(memory_.held, 0u);
    std::vector<std::string> texts;
    for (const ResultSeries& series : result_.series) {
      std::string text = series.metric + " " + series.tags.at(0).second;
      for (const ResultPoint& point : series.points)
        text += " " + std::to_string(point.ms) + "=" +
                std::to_string(static_cast<int64_t>(point.value.floating()));
      texts.push_back(text);
    }
    return texts;
  }

  CountedMemory memory_;
  Combination function_{Kind::kDivideSeries, 2, &memory_};
  QueryResult result_;
  ResultCollector out_{&result_};
};

TEST_F(CombinationTest, PointsMeetByTimeAndNotByPosition) {
  EXPECT_OK(Add(0, "a", "web01", {{1, 8}, {2, 6}, {4, 4}}));
  EXPECT_OK(Add(1, "b", "web01", {{2, 3}, {3, 1}, {4, 4}}));

  EXPECT_THAT(Results(), ElementsAre("a web01 1=0 2=2 3=0 4=1"));
}

TEST_F(CombinationTest, AnInputWithoutSeriesCountsAsZero) {
  EXPECT_OK(Add(0, "a", "web02", {{1, 8}}));
  EXPECT_OK(Add(0, "a", "web01", {{1, 8}}));

  EXPECT_THAT(Results(), ElementsAre("a web01 1=0", "a web02 1=0"));
}

TEST_F(CombinationTest, TheSmallestTsuidNamesTheResult) {
  EXPECT_OK(Add(0, "b", "web01", {{1, 8}}, "\2"));
  EXPECT_OK(Add(1, "a", "web01", {{1, 4}}, "\1"));

  EXPECT_THAT(Results(), ElementsAre("a web01 1=2"));
  EXPECT_TRUE(result_.series[0].tsuids.empty());
}

TEST_F(CombinationTest, EqualTagsInOneInputAreRefused) {
  EXPECT_OK(Add(1, "a", "web01", {{1, 8}}));
  EXPECT_OK(Add(1, "b", "web01", {{1, 8}}));

  EXPECT_THAT(function_.Finish(&out_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("input 2")));
}

TEST_F(CombinationTest, WithoutMemoryASeriesIsRefused) {
  memory_.limit = 200;

  EXPECT_EQ(Add(0, "a", "web01", {{1, 8}, {2, 6}, {4, 4}}).code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace hourcell::combination_test
