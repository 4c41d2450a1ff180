#include "promql/evaluation/histogram.h"

#include <gtest/gtest.h>

#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;

TEST(HistogramTest, BucketsOfEqualLabelsAreOneHistogram) {
  Budget budget(nullptr, nullptr);
  const HeldVector buckets = Held(&budget, {{R"(h{a="1", le="+Inf"})", {10, 10, 10}},
                                            {R"(h{a="1", le="2"})", {10, kNoValue, 0}},
                                            {R"(h{a="1", le="1"})", {5, kNoValue, 0}},
                                            {R"(h{a="2", le="4"})", {8, 8, 8}},
                                            {R"(h{a="2", le="+Inf"})", {8, 8, kNoValue}},
                                            {R"(h{a="3", le="x"})", {8, 8, 8}},
                                            {R"(h{a="4"})", {8, 8, 8}}});

  const auto quantiles = HistogramQuantile(std::vector<double>{0.75, 0.5, 0.5}, buckets);

  ASSERT_OK(quantiles);
  EXPECT_THAT(TextsOf(*quantiles), ElementsAre("{a=\"1\"} 1.5 NaN 2", "{a=\"2\"} 3 2 NaN"));
}

TEST(HistogramTest, HistogramsThatDifferInTheMetricCollide) {
  Budget budget(nullptr, nullptr);
  const HeldVector buckets = Held(&budget, {{R"(h{le="+Inf"})", {10}}, {R"(i{le="+Inf"})", {10}}});

  EXPECT_THAT(HistogramQuantile(std::vector<double>{0.5}, buckets),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell::promql
