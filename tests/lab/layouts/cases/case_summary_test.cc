#include "bench/lab/layouts/cases/case_summary.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/layouts/cases/results.h"

namespace hourcell::layouts::case_summary_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

CaseResult Timed(std::string_view layout, double cpu_us, uint64_t points = 1'000) {
  CaseResult result = MadeUpResult(layout);
  result.spec.points = points;
  result.reads[1].cpu_us = cpu_us;
  return result;
}

TEST(CaseSummaryTest, ATimeIsTheMedianOfTheRoundsWithItsQuartiles) {
  const std::vector<CaseResult> results = {Timed("opentsdb", 50), Timed("salt-4", 7),
                                           Timed("opentsdb", 10), Timed("opentsdb", 20),
                                           Timed("opentsdb", 90), Timed("opentsdb", 30)};

  const std::vector<CaseSummary> cases = Summarize(results);

  ASSERT_THAT(cases, SizeIs(2));
  EXPECT_EQ(cases[0].rounds, 5u);
  EXPECT_EQ(cases[0].result.spec.layout.name, "opentsdb");
  EXPECT_EQ(cases[0].result.read(ReadKind::kSeries).cpu_us, 30);
  const Spread& spread = cases[0].measured.at("series_cpu_us");
  EXPECT_EQ(spread.low, 20);
  EXPECT_EQ(spread.median, 30);
  EXPECT_EQ(spread.high, 50);
  EXPECT_EQ(cases[1].rounds, 1u);
  EXPECT_EQ(cases[1].result.read(ReadKind::kSeries).cpu_us, 7);
}

TEST(CaseSummaryTest, ASmallSampleGivesWayToMorePoints) {
  const std::vector<CaseResult> results = {Timed("opentsdb", 50, 200), Timed("salt-4", 8, 200),
                                           Timed("opentsdb", 10), Timed("opentsdb", 12, 200)};

  const std::vector<CaseSummary> cases = Summarize(results);

  ASSERT_THAT(cases, SizeIs(2));
  EXPECT_EQ(cases[0].rounds, 1u);
  EXPECT_EQ(cases[0].result.read(ReadKind::kSeries).cpu_us, 10);
  EXPECT_EQ(cases[1].result.spec.points, 200u);
}

TEST(CaseSummaryTest, CountsAreThoseOfTheFirstRound) {
  std::vector<CaseResult> results = {Timed("opentsdb", 50), Timed("opentsdb", 10)};
  results[0].file_bytes_per_point = 3;
  results[1].file_bytes_per_point = 5;
  EXPECT_EQ(Summarize(results)[0].result.file_bytes_per_point, 3);
  EXPECT_THAT(MediansOf(Summarize(results)), SizeIs(1));
  EXPECT_THAT(Summarize({}), IsEmpty());
}

TEST(CaseSummaryTest, OnlyARunThatEndedEarlySaysSo) {
  EXPECT_EQ(EndedText({.measured = 19, .planned = 19}), "");
  EXPECT_EQ(EndedText({.measured = 3, .planned = 19}), "Ended after 3 of 19 measurements.\n");
}

}  // namespace
}  // namespace hourcell::layouts::case_summary_test
