#include "engine/virtuals/virtual_lookup.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/virtuals/virtual_fixture.h"

namespace hourcell::virtual_lookup_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class VirtualLookupTest : public VirtualTest {
 protected:
  std::vector<std::string> Suggested(std::string_view prefix) {
    std::vector<std::string> names;
    EXPECT_OK(tsdb_->names().VisitNames(
        {.kind = UidKind::kMetric, .prefix = std::string(prefix), .only_with_series = true},
        [&](std::string_view name) {
          names.emplace_back(name);
          return true;
        }));
    return names;
  }

  // "host=a dc=east" of each series.
  std::vector<std::string> LookedUp(const LookupQuery& query) {
    std::vector<std::string> found;
    EXPECT_OK(tsdb_->queries()
                  .LookupSeries(query,
                                [&](const FoundSeries& series) {
                                  std::string& text = found.emplace_back(series.metric);
                                  for (const TagView& tag : series.tags)
                                    text += fmt::format(" {}={}", tag.key, tag.value);
                                  return true;
                                })
                  .status());
    return found;
  }
};

TEST_F(VirtualLookupTest, SuggestAndLookupHaveIt) {
  Open();
  PutRandomPoints();
  EXPECT_THAT(Suggested("bus"), IsEmpty());
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  EXPECT_THAT(Suggested("bus"), ElementsAre("busy"));
  const MetricRanking ranking = *tsdb_->names().RankMetrics({.part = "bus", .limit = 10});
  ASSERT_THAT(ranking.metrics, SizeIs(1));
  EXPECT_EQ(ranking.metrics[0].series, 0u);

  EXPECT_THAT(LookedUp({.metric = "busy"}),
              ElementsAre("busy host=a dc=east", "busy host=b dc=east", "busy host=c dc=west",
                          "busy host=d dc=west"));
  EXPECT_THAT(LookedUp({.metric = "busy", .tags = {{.tagk = "dc", .tagv = "west"}}}),
              ElementsAre("busy host=c dc=west", "busy host=d dc=west"));
  EXPECT_THAT(LookedUp({.metric = "busy", .start_index = 1, .limit = 2}), SizeIs(2));
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum(/*missing=*/0)));
  EXPECT_THAT(LookedUp({.metric = "busy"}), Contains("busy host=e dc=east"));

  ASSERT_OK(tsdb_->names().DropMetric("busy"));
  EXPECT_THAT(Suggested("bus"), IsEmpty());
  EXPECT_THAT(LookedUp({.metric = "busy"}), IsEmpty());
}

TEST_F(VirtualLookupTest, ItsSeriesAreThoseOfAQuery) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  ASSERT_OK(tsdb_->names().DefineMetric("half", {.formula = "a / 2", .inputs = {ByHost("busy")}}));
  for (const char* const metric : {"busy", "half"}) {
    const QuerySpec spec = MakeQuery(Aggregator::kNone, metric, {}, kStart, kEnd);
    std::vector<std::string> queried;
    const QueryResult result = *tsdb_->queries().Query(spec);
    for (const ResultSeries& series : result.series) {
      std::string& text = queried.emplace_back(series.metric);
      for (const auto& [tagk, tagv] : series.tags)
        text += fmt::format(" {}={}", tagk, tagv);
    }
    EXPECT_THAT(queried, SizeIs(4));
    EXPECT_EQ(LookedUp({.metric = metric}), queried);
  }
}

}  // namespace
}  // namespace hourcell::virtual_lookup_test
