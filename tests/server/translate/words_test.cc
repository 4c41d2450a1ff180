#include "server/translate/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::words_test {
namespace {

using testing::IsNull;

TEST(WordsTest, AFunctionOfPromqlIsTheFirstOfItsFunctions) {
  EXPECT_EQ(BucketWordOf("sum_over_time")->aggregator, Aggregator::kSum);
  EXPECT_EQ(BucketWordOf(Aggregator::kZimsum)->function, "sum_over_time");
  EXPECT_THAT(BucketWordOf("rate"), IsNull());
  EXPECT_THAT(BucketWordOf(Aggregator::kP99), IsNull());
}

TEST(WordsTest, SomeAggregatorsLeaveOutGaps) {
  EXPECT_TRUE(AggregateWordOf(Aggregator::kZimsum)->leaves_out_gaps);
  EXPECT_FALSE(AggregateWordOf(Aggregator::kSum)->leaves_out_gaps);
  EXPECT_THAT(AggregateWordOf(Aggregator::kDiff), IsNull());
  EXPECT_EQ(AggregateWordOf("min")->aggregator, Aggregator::kMimmin);
  EXPECT_THAT(AggregateWordOf("topk"), IsNull());
}

TEST(WordsTest, MetricsOfPromqlNeedNoQuotes) {
  EXPECT_TRUE(IsMetricWord("cpu_user:rate5m"));
  EXPECT_TRUE(IsMetricWord("sum"));
  EXPECT_FALSE(IsMetricWord("sys.cpu"));
  EXPECT_FALSE(IsMetricWord("1m"));
  EXPECT_FALSE(IsMetricWord("nan"));
  EXPECT_FALSE(IsMetricWord(""));
  EXPECT_FALSE(IsMetricWord("a{}or b"));
}

}  // namespace
}  // namespace hourcell::words_test
