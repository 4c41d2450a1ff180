#include "bench/lab/simulate/region_report.h"

#include <vector>

#include <gtest/gtest.h>

namespace hourcell::region_report_test {
namespace {

TEST(RegionReportTest, IsRegionHelpers) {
  const std::vector<RegionPuts> regions = {
      {.start = "", .puts = 9'973'569},
      {.start = "1986344a", .puts = 9'999'295},
      {.start = std::string("\0\xff", 2), .puts = 9'958'200},
  };

  EXPECT_EQ(ClassicReport(regions),
            "Report Result:\n"
            ":9973569:(1.0015434)\n"
            "1986344a:9999295:(1.0041268)\n"
            "\\x00\\xFF:9958200:(1.0)\n"
            "total requests:29931064\n");
}

TEST(RegionReportTest, AnEmptyRegionDividesNothing) {
  const std::vector<RegionPuts> regions = {{.start = "", .puts = 0}, {.start = "m", .puts = 10}};

  EXPECT_EQ(ClassicReport(regions), "Report Result:\n:0:(1.0)\nm:10:(inf)\ntotal requests:10\n");
  EXPECT_EQ(ClassicReport({}), "Report Result:\ntotal requests:0\n");
}

TEST(RegionReportTest, RatiosArePrintedAsJavaDoes) {
  const auto ratio = [](uint64_t puts) {
    const std::vector<RegionPuts> regions = {{.start = "", .puts = 1},
                                             {.start = "m", .puts = puts}};
    const std::string report = ClassicReport(regions);
    const size_t begin = report.rfind('(') + 1;
    return report.substr(begin, report.rfind(')') - begin);
  };

  EXPECT_EQ(ratio(1), "1.0");
  EXPECT_EQ(ratio(1500), "1500.0");
  EXPECT_EQ(ratio(9'999'999), "9999999.0");
  EXPECT_EQ(ratio(10'000'000), "1.0E7");
  EXPECT_EQ(ratio(12'500'000'000), "1.25E10");
}

TEST(RegionReportTest, CountsOfOverFourBillionAreWhole) {
  const std::vector<RegionPuts> regions = {{.start = "", .puts = 5'000'000'000},
                                           {.start = "m", .puts = 5'000'000'000}};

  EXPECT_EQ(ClassicReport(regions),
            "Report Result:\n:5000000000:(1.0)\nm:5000000000:(1.0)\n"
            "total requests:10000000000\n");
}

TEST(SpreadOfTest, EvenCountsHaveNone) {
  const SpreadOfCounts spread = SpreadOf(std::vector<uint64_t>(4, 25));

  EXPECT_EQ(spread.total, 100u);
  EXPECT_DOUBLE_EQ(spread.hottest_share, 0.25);
  EXPECT_DOUBLE_EQ(spread.max_over_mean, 1);
  EXPECT_DOUBLE_EQ(spread.relative_deviation, 0);
  EXPECT_NEAR(spread.gini, 0, 1e-12);
}

TEST(SpreadOfTest, OneRegionHasItAll) {
  const SpreadOfCounts spread = SpreadOf(std::vector<uint64_t>{0, 0, 100, 0});

  EXPECT_EQ(spread.hottest, 2u);
  EXPECT_EQ(spread.min, 0u);
  EXPECT_DOUBLE_EQ(spread.hottest_share, 1);
  EXPECT_DOUBLE_EQ(spread.max_over_mean, 4);
  EXPECT_DOUBLE_EQ(spread.relative_deviation, 2);
  EXPECT_NEAR(spread.gini, 0.75, 1e-12);
}

TEST(SpreadOfTest, GiniIsThatOfTheTextbook) {
  // 1, 2, 3, 4: the mean difference of two counts is 1.25 over twice the mean, 5.
  EXPECT_NEAR(SpreadOf(std::vector<uint64_t>{3, 1, 4, 2}).gini, 0.25, 1e-12);
}

TEST(SpreadOfTest, NothingIsZero) {
  EXPECT_EQ(SpreadOf({}).total, 0u);
  EXPECT_EQ(SpreadOf(std::vector<uint64_t>{0, 0}).gini, 0);
  EXPECT_EQ(SpreadOf(std::vector<uint64_t>{7}).relative_deviation, 0);
  EXPECT_EQ(SpreadOf(std::vector<uint64_t>{7}).gini, 0);
}

}  // namespace
}  // namespace hourcell::region_report_test
