#include "engine/read/query_tree.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/support/status_matchers.h"

namespace hourcell::query_tree_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NamesSink : public QuerySink {
 public:
  absl::Status OnSeries(const SeriesView& series) override {
    metrics.emplace_back(series.metric);
    return result;
  }
  std::vector<std::string> metrics;
  absl::Status result;
};

class QueryTreeTest : public testing::Test {
 protected:
  // A sub query for each list of functions.
  QueryTree Make(const std::vector<std::vector<std::string_view>>& functions) {
    QuerySpec spec;
    for (const auto& of_query : functions) {
      SubQuery& query = spec.queries.emplace_back();
      for (const std::string_view text : of_query)
        query.functions.push_back(*ParseFunctionSpec(text));
    }
    return {PlanOf(spec), spec.queries.size(), &sink_, &memory_, &watch_};
  }

  static absl::Status Give(QuerySink* sink, std::string_view metric, double value) {
    Span span;
    span.push_back(1000, Value::Float(value));
    SeriesView series;
    series.metric = metric;
    series.points = {.t = span.t, .v = span.v, .is_float = span.is_float};
    return sink->OnSeries(series);
  }

  CountedMemory memory_;
  NamesSink sink_;
  QueryControl control_;
  QueryWatch watch_{Clock::System(), &control_, /*deadline_ms=*/0, /*timeout_ms=*/0};
};

TEST_F(QueryTreeTest, ASubQueryWithoutFunctionsHasTheSinkOfTheQuery) {
  QueryTree tree = Make({{}, {"top(1,max)"}});

  EXPECT_EQ(tree.SinkOf(0), &sink_);
  EXPECT_NE(tree.SinkOf(1), &sink_);
}

TEST_F(QueryTreeTest, FunctionsGiveTheirResultsAtTheEndOfTheirSubQuery) {
  QueryTree tree = Make({{"top(1,max)"}, {}, {"bottom(1,max)"}});

  ASSERT_OK(Give(tree.SinkOf(0), "a", 1));
  ASSERT_OK(Give(tree.SinkOf(0), "b", 2));
  EXPECT_THAT(sink_.metrics, IsEmpty());
  ASSERT_OK(tree.EndOf(0));
  EXPECT_THAT(sink_.metrics, ElementsAre("b"));
  ASSERT_OK(Give(tree.SinkOf(1), "c", 1));
  ASSERT_OK(tree.EndOf(1));
  ASSERT_OK(Give(tree.SinkOf(2), "d", 1));
  ASSERT_OK(Give(tree.SinkOf(2), "e", 2));
  ASSERT_OK(tree.EndOf(2));

  EXPECT_THAT(sink_.metrics, ElementsAre("b", "c", "d"));
  EXPECT_EQ(memory_.held, 0u);
}

TEST_F(QueryTreeTest, ANestedFunctionIsTheInputOfTheOneBefore) {
  QueryTree tree = Make({{"top(1,max)", "bottom(2,max)"}});

  for (const auto& [metric, value] : {std::pair("a", 9), {"b", 2}, {"c", 3}})
    ASSERT_OK(Give(tree.SinkOf(0), metric, value));
  ASSERT_OK(tree.EndOf(0));

  EXPECT_THAT(sink_.metrics, ElementsAre("c"));
}

TEST_F(QueryTreeTest, ACancelledQueryEndsAtItsNextSeries) {
  QueryTree tree = Make({{"top(2,max)"}});
  ASSERT_OK(Give(tree.SinkOf(0), "a", 1));

  control_.Cancel();

  EXPECT_THAT(Give(tree.SinkOf(0), "b", 1), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(tree.EndOf(0), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(sink_.metrics, IsEmpty());
}

TEST_F(QueryTreeTest, AnErrorOfTheSinkEndsTheQuery) {
  QueryTree tree = Make({{"top(2,max)"}});
  sink_.result = absl::UnavailableError("the client is gone");
  ASSERT_OK(Give(tree.SinkOf(0), "a", 1));
  ASSERT_OK(Give(tree.SinkOf(0), "b", 1));

  EXPECT_THAT(tree.EndOf(0), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(sink_.metrics, ElementsAre("a"));
}

}  // namespace
}  // namespace hourcell::query_tree_test
