#include "engine/query/aggregator.h"

#include <map>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::aggregator_test {
namespace {

using testing::HasSubstr;

TEST(AggregatorTest, NamesReadBack) {
  const auto names = AggregatorNames();

  ASSERT_EQ(names.size(), 35U);
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_THAT(ParseAggregator(names[i]), IsOkAndHolds(static_cast<Aggregator>(i)));
    EXPECT_EQ(AggregatorName(static_cast<Aggregator>(i)), names[i]);
  }
  EXPECT_EQ(AggregatorName(Aggregator::kMimmax), "mimmax");
  EXPECT_EQ(AggregatorName(Aggregator::kSquareSum), "squareSum");
  EXPECT_EQ(AggregatorName(Aggregator::kP50), "p50");
  EXPECT_EQ(AggregatorName(Aggregator::kEp50r3), "ep50r3");
  EXPECT_EQ(AggregatorName(Aggregator::kEp999r7), "ep999r7");
  EXPECT_THAT(ParseAggregator("SUM"), StatusIs(absl::StatusCode::kInvalidArgument,
                                               HasSubstr("No such aggregation function: SUM")));
}

TEST(AggregatorTest, InterpolationsAreOpenTsdbs) {
  std::map<Interpolation, std::set<std::string_view>> names;
  for (const std::string_view name : AggregatorNames()) {
    names[InterpolationOf(*ParseAggregator(name))].insert(name);
  }

  EXPECT_EQ(names[Interpolation::kZeroIfMissing],
            (std::set<std::string_view>{"count", "zimsum", "squareSum", "first", "last"}));
  EXPECT_EQ(names[Interpolation::kMaxIfMissing], (std::set<std::string_view>{"mimmin"}));
  EXPECT_EQ(names[Interpolation::kMinIfMissing], (std::set<std::string_view>{"mimmax"}));
  EXPECT_EQ(names[Interpolation::kPrevious], (std::set<std::string_view>{"pfsum"}));
  EXPECT_EQ(names[Interpolation::kLerp].size(), 27U);
}

}  // namespace
}  // namespace hourcell::aggregator_test
