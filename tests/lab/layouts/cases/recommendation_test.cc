#include "bench/lab/layouts/cases/recommendation.h"

#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/layouts/cases/results.h"

namespace hourcell::layouts::recommendation_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// A case of one region.
CaseResult Rows(std::string_view layout, double file_bytes) {
  CaseResult result = MadeUpResult(layout, {}, SplitRule::kNone);
  result.file_bytes_per_point = file_bytes;
  return result;
}

// A case of keys with a share of the hottest region, in which a metric's hour takes `asks`.
CaseResult Share(std::string_view layout, double hot_share, double asks) {
  CaseResult result = MadeUpResult(layout);
  result.hot_share = hot_share;
  result.hot_share_late = hot_share;
  result.reads[2].accesses = asks;
  return result;
}

std::vector<Recommendation> RecommendOf(const std::vector<CaseResult>& results) {
  return Recommend(Summarize(results));
}

TEST(RecommendationTest, AnEvenFleetNeedsNoSalt) {
  const auto words = RecommendOf({Share("opentsdb", 0.13, 1), Share("salt-4", 0.14, 4),
                                  Share("salt-16", 0.12, 16), Share("salt-64", 0.11, 64)});

  ASSERT_THAT(words, SizeIs(1));
  EXPECT_EQ(words[0].layout, "opentsdb");
  EXPECT_EQ(words[0].title,
            "For the workload fleet (measured: 1000 points of 10 series): keys without salt "
            "(opentsdb), packed cells.");
  EXPECT_THAT(words[0].reasons, Contains(StartsWith("The hottest region gets 13 % of the points")));
  EXPECT_THAT(
      words[0].reasons,
      Contains("A read of one metric, one hour: 1 access, 12.0 blocks, 4500 instructions."));
}

TEST(RecommendationTest, HotSeriesGetTheFewestBucketsThatAreEven) {
  const auto words = RecommendOf({Share("salt-64", 0.29, 64), Share("opentsdb", 0.87, 1),
                                  Share("salt-16", 0.31, 16), Share("salt-4", 0.54, 4)});

  ASSERT_THAT(words, SizeIs(1));
  EXPECT_EQ(words[0].layout, "salt-16");
  EXPECT_THAT(words[0].title, HasSubstr("keys with a salt of 16 buckets (salt-16)"));
  EXPECT_THAT(
      words[0].reasons,
      AllOf(Contains("Gain: the hottest region gets 31 % of the points; with opentsdb 87 %."),
            Contains("Cost: a read of one metric, one hour: 16 accesses, 12.0 blocks, 4500 "
                     "instructions; with opentsdb 1 access, 12.0 blocks, 4500 instructions."),
            Contains("salt-64: the hottest region gets 29 %; a read of one metric takes 64 "
                     "accesses.")));
}

TEST(RecommendationTest, LayoutsThatAStoreCannotHaveAreNotRecommended) {
  const auto words =
      RecommendOf({Share("round-robin-16", 0.08, 1), Share("opentsdb", 0.5, 1),
                   Share("salt:8+metric,time,tags", 0.2, 8), Share("row-hash-16", 0.09, 2)});

  ASSERT_THAT(words, SizeIs(1));
  EXPECT_EQ(words[0].layout, "salt:8+metric,time,tags");
  EXPECT_THAT(RecommendOf({Share("opentsdb", 0.5, 1), Share("tags-first", 0.2, 1)}), IsEmpty());
  EXPECT_EQ(RecommendationText({}), "");
}

TEST(RecommendationTest, TimesNeedRoundsAndHaveTheirSpread) {
  std::vector<CaseResult> results;
  for (const double cpu_us : {30.0, 10.0, 20.0}) {
    results.push_back(Share("opentsdb", 0.5, 1));
    results.push_back(Share("salt-4", 0.2, 4));
    results.back().reads[2].cpu_us = cpu_us;
  }
  EXPECT_THAT(RecommendationText(Summarize(results)),
              AllOf(StartsWith("Recommendation\n\nFor the workload fleet"),
                    HasSubstr("instructions, 20.0 us of processor time (10.0-30.0); "
                              "with opentsdb 1 access")));
  results.resize(4);
  EXPECT_THAT(RecommendationText(Summarize(results)), Not(HasSubstr("processor time")));
}

TEST(RecommendationTest, CellsAndRulesAreComparedWhereMeasured) {
  std::vector<CaseResult> results = {Share("opentsdb", 0.13, 1), Share("salt-4", 0.14, 4)};
  results.push_back(MadeUpResult("opentsdb", {CellKind::kCompacted}));
  results.back().file_bytes_per_point = 7.5;
  results.push_back(MadeUpResult("opentsdb", {CellKind::kCompacted, /*is_ms=*/true}));
  results.back().file_bytes_per_point = 8.5;
  results.push_back(MadeUpResult("opentsdb", {CellKind::kPerPoint}));
  results.back().file_bytes_per_point = 25;
  results.push_back(MadeUpResult("opentsdb", {}, SplitRule::kPresplit));
  results.back().hot_share = 0.08;

  const auto words = RecommendOf(results);

  ASSERT_THAT(words, SizeIs(1));
  EXPECT_THAT(
      words[0].reasons,
      AllOf(Contains("Packed cells: 1.50 bytes a point in files, for these made-up values; "
                     "OpenTSDB's compacted cells 7.50, in milliseconds 8.50; a cell for each "
                     "point 25.00."),
            Contains("Split rule presplit: the hottest region gets 8 % of the points, from "
                     "the start; with increasing 13 %.")));
}

TEST(RecommendationTest, RowsOfDaysAreRecommendedWhereTheyAreSmaller) {
  std::vector<CaseResult> results = {Share("opentsdb", 0.87, 1), Share("salt-16", 0.31, 16),
                                     Rows("salt-16-day", 1.3), Rows("opentsdb-day", 0.1),
                                     Rows("salt-16", 1.5)};
  results[2].reads[1].accesses = 1;

  const auto days = RecommendOf(results);
  results[2].file_bytes_per_point = 1.44;
  const auto hours = RecommendOf(results);

  ASSERT_THAT(days, SizeIs(1));
  EXPECT_EQ(days[0].layout, "salt-16-day");
  EXPECT_THAT(days[0].title,
              HasSubstr("keys with a salt of 16 buckets (salt-16), rows of days, packed cells."));
  EXPECT_THAT(
      days[0].reasons,
      AllOf(Contains("Rows of days: 1.30 bytes a point in files, for these made-up values; rows of "
                     "hours 1.50."),
            Contains("Rows of days: a read of one series, all hours takes 1 access, 12.0 blocks "
                     "and 3.0 bytes for a point; with rows of hours 6 accesses, 12.0 and 3.0.")));
  ASSERT_THAT(hours, SizeIs(1));
  EXPECT_EQ(hours[0].layout, "salt-16");
  EXPECT_THAT(hours[0].title, HasSubstr("(salt-16), rows of hours, packed cells."));
  EXPECT_THAT(hours[0].reasons,
              Contains("Rows of hours: 1.50 bytes a point in files, for these made-up values; rows "
                       "of days 1.44."));
}

// A case of hot series: of ten, nine have a point a minute and one a point every second.
CaseResult HotRows(std::string_view layout, double file_bytes) {
  CaseResult result = Rows(layout, file_bytes);
  result.spec.workload = WorkloadKind::kHotSeries;
  result.spec.points = 25'000;
  return result;
}

TEST(RecommendationTest, SaysWhichSeriesHaveRowsOfHoursAndWhichOfDays) {
  std::vector<CaseResult> results = {
      HotRows("opentsdb", 1.1),      HotRows("metric,hour-or-day:50,tags", 1.1),
      HotRows("opentsdb-day", 0.97), HotRows("opentsdb-by-density", 1),
      Share("opentsdb", 0.1, 1),     Share("salt-4", 0.1, 4)};
  for (size_t i = 4; i < results.size(); ++i)
    results[i].spec.workload = WorkloadKind::kHotSeries;

  const auto words = RecommendOf(results);

  ASSERT_THAT(words, SizeIs(1));
  EXPECT_EQ(words[0].layout, "opentsdb-by-density");
  EXPECT_THAT(words[0].title, HasSubstr("(opentsdb), rows by density, packed cells."));
  EXPECT_THAT(
      words[0].reasons,
      AllOf(Contains("9 of 10 series have fewer than 250 points an hour (a point every 60 s; 13 % "
                     "of the points): the hours of a day share a row. The other 1 have 250 points "
                     "an hour or more (a point every 1 s): each hour has a row."),
            Contains("Rows by density: 1.00 bytes a point in files, for these made-up values; rows "
                     "of hours 1.10; rows by density, of 50 points 1.10; rows of days 0.97."),
            Contains("A store has these rows by default: tsd.storage.day_row_points = 250.")));

  results[2].file_bytes_per_point = 0.85;
  EXPECT_THAT(RecommendOf(results)[0].reasons,
              Contains(HasSubstr("with tsd.storage.day_row_points = 3601, more than")));
  results[1].file_bytes_per_point = 0.8;
  const auto other = RecommendOf(results);
  EXPECT_THAT(other[0].reasons,
              AllOf(Contains(StartsWith("All 10 series have 50 points an hour or more (a point "
                                        "every 1 to 60 s): each hour has a row.")),
                    Contains(HasSubstr("with tsd.storage.day_row_points = 50."))));
  results[0].file_bytes_per_point = 0.8;
  EXPECT_THAT(RecommendOf(results)[0].reasons,
              Contains("A store has these rows with tsd.storage.day_row_points = 0."));
}

TEST(RecommendationTest, RowsOfGivenSeriesAreComparedForAWholeDay) {
  const auto given = std::make_shared<const GivenFleet>(
      GivenFleet{.series = {{.metric = "abc", .tags = "defghi", .interval_s = 60}}});
  std::vector<CaseResult> results = {Share("opentsdb", 0.9, 1), Share("salt-4", 0.1, 4),
                                     Rows("opentsdb", 4), Rows("opentsdb-by-density", 2)};
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].spec.given = given;
    results[i].spec.workload = i < 2 ? WorkloadKind::kGiven : WorkloadKind::kGivenDay;
  }

  const auto words = RecommendOf(results);

  ASSERT_THAT(words, SizeIs(1));
  EXPECT_EQ(words[0].layout, "salt-4");  // its rows are those of keys without salt
  EXPECT_THAT(
      words[0].reasons,
      AllOf(Contains("All 1 series have fewer than 250 points an hour (a point every 60 s; 100 % "
                     "of the points): the hours of a day share a row."),
            Contains("Rows by density: 2.00 bytes a point in files, for these made-up values; rows "
                     "of hours 4.00.")));
}

TEST(RecommendationTest, GivenSeriesAreNamed) {
  const auto given = std::make_shared<const GivenFleet>(GivenFleet{.text = "5 series in x.gz"});
  std::vector<CaseResult> results = {Share("opentsdb", 0.13, 1), Share("salt-4", 0.14, 4)};
  for (CaseResult& result : results) {
    result.spec.workload = WorkloadKind::kGiven;
    result.spec.given = given;
  }
  EXPECT_THAT(RecommendOf(results)[0].title,
              StartsWith("For 5 series in x.gz (measured: 1000 points of 10 series): "));
}

}  // namespace
}  // namespace hourcell::layouts::recommendation_test
