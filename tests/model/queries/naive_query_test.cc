// The naive store itself: against OpenTSDB's vectors, by way of the stages, which QueryVectorsTest
// holds against the same vectors.

#include "tests/model/queries/naive_query.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/engine/query/query_evaluator.h"
#include "tests/model/queries/naive_numbers.h"
#include "tests/support/query_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::naive_query_test {
namespace {

// The points of the vectors' stores under UIDs in the order in which names are first used.
NaiveStore NaiveStoreOf(const std::vector<StoredSeries>& series) {
  NaiveStore store;
  std::set<std::pair<UidKind, std::string>> names;
  std::map<UidKind, uint64_t> last;
  const auto add = [&](UidKind kind, const std::string& name) {
    if (!names.insert({kind, name}).second) return;
    std::string uid;
    AppendBigEndian(++last[kind], 3, &uid);
    store.AddName(kind, name, uid);
  };
  for (const StoredSeries& one : series) {
    add(UidKind::kMetric, one.metric);
    for (const auto& [key, value] : one.tags) {
      add(UidKind::kTagk, key);
      add(UidKind::kTagv, value);
    }
    const NaiveTags tags(one.tags.begin(), one.tags.end());
    for (const auto& [time, value] : one.points)
      store.Put(one.metric, tags, time.ms, value);
  }
  return store;
}

std::string TextOfSeries(const ResultSeries& series) {
  std::string text;
  for (const auto& [key, value] : series.tags)
    text += fmt::format("{}={} ", key, value);
  for (const std::string& key : series.aggregate_tags)
    text += fmt::format("-{} ", key);
  for (const ResultPoint& point : series.points) {
    text += fmt::format("{}:{}{} ", point.ms, point.value.ToDouble(),
                        point.value.is_integer() ? "i" : "f");
  }
  return text;
}

TEST(NaiveQueryTest, AnswersTheVectorsAsTheStagesDo) {
  int run = 0;
  for (const std::string_view area : {"aggregation", "downsample", "fill", "rate", "interpolation",
                                      "group-by", "explicit-tags"}) {
    for (const TestVector& vector : LoadVectors("query.json", area)) {
      if (!Has(vector.given, "http")) continue;
      const std::string http = TextOf(vector.given, "http");
      SCOPED_TRACE(vector.from + "\n" + http);
      const auto series = MakeStore(TextOf(vector.given, "store"));
      ASSERT_TRUE(series.has_value());
      const auto request = ParseRequest(http);
      ASSERT_OK(request);
      const auto want = Evaluate(request->spec, *series);
      ASSERT_OK(want);

      const NaiveAnswer got = NaiveStoreOf(*series).Query(request->spec);

      EXPECT_TRUE(got.errors.empty());
      ASSERT_EQ(got.series.size(), want->size());
      for (size_t i = 0; i < got.series.size(); ++i)
        EXPECT_EQ(TextOfSeries(got.series[i]), TextOfSeries((*want)[i]));
      ++run;
    }
  }
  EXPECT_EQ(run, 77);
}

TEST(NaiveNumbersTest, AggregatorsAreThoseOfTheReference) {
  const std::vector<int64_t> integers = {7, 1, 4, 4};
  const std::vector<double> doubles = {7, 1, std::nan(""), 4, 4};
  EXPECT_EQ(NaiveAggregate(Aggregator::kAvg, integers), 4);
  EXPECT_EQ(NaiveAggregate(Aggregator::kDev, integers), 2);  // 2.12...
  EXPECT_EQ(NaiveAggregate(Aggregator::kMedian, integers), 4);
  EXPECT_EQ(NaiveAggregate(Aggregator::kDiff, integers), -3);
  EXPECT_EQ(NaiveAggregate(Aggregator::kSquareSum, integers), 82);
  EXPECT_EQ(NaiveAggregate(Aggregator::kP75, doubles), 6.25);  // position 3.75 of 1 4 4 7
  EXPECT_EQ(NaiveAggregate(Aggregator::kEp75r3, integers), 4);
  EXPECT_EQ(NaiveAggregate(Aggregator::kEp90r7, integers), 6);  // position 3.7
  EXPECT_EQ(NaiveAggregate(Aggregator::kCount, doubles), 4);
  EXPECT_EQ(NaiveAggregate(Aggregator::kMult, doubles), 112);
  EXPECT_EQ(NaiveAggregate(Aggregator::kCount, std::vector<double>{std::nan("")}), 0);
}

}  // namespace
}  // namespace hourcell::naive_query_test
