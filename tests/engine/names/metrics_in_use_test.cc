#include "engine/names/metrics_in_use.h"

#include <gtest/gtest.h>

namespace hourcell::metrics_in_use_test {
namespace {

TEST(MetricsInUseTest, HasWhatWasAddedAtTheSameCount) {
  MetricsInUse in_use;
  EXPECT_FALSE(in_use.Has(7, 0));
  in_use.Add(7, 0);
  EXPECT_TRUE(in_use.Has(7, 0));
  EXPECT_FALSE(in_use.Has(8, 0));
}

TEST(MetricsInUseTest, ForgetsAllAtAnotherCount) {
  MetricsInUse in_use;
  in_use.Add(7, 3);
  EXPECT_FALSE(in_use.Has(7, 4)) << "series were dropped since";
  in_use.Add(8, 4);
  EXPECT_FALSE(in_use.Has(7, 4));
  EXPECT_FALSE(in_use.Has(7, 3));
  EXPECT_TRUE(in_use.Has(8, 4));
}

TEST(MetricsInUseTest, ALookUpThatBeganBeforeADropIsNotKept) {
  MetricsInUse in_use;
  in_use.Add(7, 4);
  in_use.Add(8, 3);
  EXPECT_FALSE(in_use.Has(8, 4));
  EXPECT_FALSE(in_use.Has(8, 3));
  EXPECT_TRUE(in_use.Has(7, 4));
}

TEST(MetricsInUseTest, KeepsAtMostTheMaximum) {
  MetricsInUse in_use(/*metrics_max=*/2);
  for (Uid metric = 1; metric <= 100; ++metric)
    in_use.Add(metric, 0);
  EXPECT_EQ(in_use.size(), 2u);
  EXPECT_TRUE(in_use.Has(1, 0));
}

}  // namespace
}  // namespace hourcell::metrics_in_use_test
