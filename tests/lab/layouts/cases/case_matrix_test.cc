#include "bench/lab/layouts/cases/case_matrix.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::layouts::case_matrix_test {
namespace {

using absl::StatusCode;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

std::vector<std::string> NamesOf(const MatrixOptions& options) {
  std::vector<std::string> names;
  const auto specs = MakeMatrix(options);
  EXPECT_OK(specs);
  for (const CaseSpec& spec : *specs)
    names.push_back(CaseName(spec));
  return names;
}

TEST(CaseMatrixTest, NoCaseIsRunTwice) {
  for (const MatrixSize size : kMatrixSizes) {
    const std::vector<std::string> names = NamesOf({.size = size});
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  }
}

TEST(CaseMatrixTest, FullIsTheProductAndTheOthersArePartsOfIt) {
  const std::vector<std::string> full = NamesOf({.size = MatrixSize::kFull});
  // Rows of days, also by density, have packed cells only.
  EXPECT_THAT(full, SizeIs((12 * 8 + 4 * 2) * 8 * 6));
  for (const MatrixSize size : {MatrixSize::kUsual, MatrixSize::kThorough}) {
    for (const std::string& name : NamesOf({.size = size}))
      EXPECT_THAT(full, Contains(name));
  }
}

TEST(CaseMatrixTest, ShortHasEveryLayoutAndEveryCellForm) {
  const std::vector<std::string> names = NamesOf({.size = MatrixSize::kShort});

  EXPECT_THAT(names, SizeIs(16 + 7));
  EXPECT_THAT(names, Contains("fleet time-first packed increasing"));
  EXPECT_THAT(names, Contains("fleet opentsdb append-ms increasing"));
  EXPECT_THAT(names, Not(Contains("hot opentsdb packed increasing")));
}

TEST(CaseMatrixTest, ThoroughHasEveryLayoutWithEveryWorkload) {
  const std::vector<std::string> names = NamesOf({.size = MatrixSize::kThorough});

  EXPECT_THAT(names, SizeIs(16 * 6 + 14 + 42 + 10));
  EXPECT_THAT(names, Contains("wide tags-first packed increasing"));
  EXPECT_THAT(names, Contains("hot time-first packed load"));
}

TEST(CaseMatrixTest, UsualHasFleetsAndHotSeries) {
  const std::vector<std::string> names = NamesOf({});

  EXPECT_THAT(names, SizeIs(2 * 16 + 7 + 12 + 2 + 2 * 7));
  EXPECT_THAT(names, Contains("hot salt-64 packed increasing"));
  EXPECT_THAT(names, Contains("fleet salt-16 packed presplit"));
  EXPECT_THAT(names, Contains("sparse salt-16-day packed none"));
  EXPECT_THAT(NamesOf({.layouts = {"salt-4"},
                       .cells = {"packed"},
                       .rules = {"none"},
                       .workloads = {"wide", "single"}}),
              ElementsAre("wide salt-4 packed none", "single salt-4 packed none"));
}

TEST(CaseMatrixTest, APlanBeginsWithASampleAndThenTakesTurns) {
  const auto plan = MakePlan({.layouts = {"opentsdb", "salt-4"},
                              .cells = {"packed"},
                              .rules = {"none"},
                              .workloads = {"fleet"},
                              .rounds = 2});
  ASSERT_OK(plan);
  std::vector<std::string> runs;
  for (const CaseSpec& spec : plan->runs) {
    runs.push_back(std::to_string(spec.round) + " " + spec.layout.name + " " +
                   std::to_string(spec.points));
  }
  EXPECT_THAT(runs, ElementsAre("0 opentsdb 20000", "0 salt-4 20000", "1 opentsdb 60000",
                                "1 salt-4 60000", "2 opentsdb 60000", "2 salt-4 60000"));
  EXPECT_EQ(plan->first_answer, 2u);
}

TEST(CaseMatrixTest, ASmallRunHasItsFirstAnswerAfterOneRound) {
  for (const MatrixOptions& options :
       {MatrixOptions{.size = MatrixSize::kShort}, MatrixOptions{.points = 8'000}}) {
    const auto plan = MakePlan(options);
    ASSERT_OK(plan);
    EXPECT_EQ(plan->runs.front().round, 1u);
    EXPECT_EQ(3 * plan->first_answer, plan->runs.size());
  }
}

TEST(CaseMatrixTest, ListsStandForAllThereAre) {
  EXPECT_THAT(NamesOf({.layouts = {"salt-4"},
                       .cells = {"append"},
                       .rules = {"load", "none"},
                       .workloads = {"wide"}}),
              ElementsAre("wide salt-4 append load", "wide salt-4 append none"));
  EXPECT_THAT(
      NamesOf({.size = MatrixSize::kShort, .layouts = {"tags,time,metric"}, .cells = {"packed"}}),
      ElementsAre("fleet tags,time,metric packed increasing"));
}

TEST(CaseMatrixTest, SaysWhichNameIsUnknown) {
  EXPECT_THAT(MakeMatrix({.cells = {"pakced"}}).status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("pakced")));
  EXPECT_THAT(MakeMatrix({.rules = {"x"}}).status(), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(MakeMatrix({.layouts = {"opentsdb-day"}, .cells = {"append"}}).status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("packed cells")));
}

TEST(CaseMatrixTest, RunsCasesInTheirOrderWithTheirPointsAndSeed) {
  const TempDir dir;
  const auto specs = MakeMatrix({.layouts = {"opentsdb", "salt-4"},
                                 .cells = {"packed"},
                                 .rules = {"none"},
                                 .workloads = {"single"},
                                 .points = 7'200,
                                 .seed = 3});
  ASSERT_OK(specs);
  std::vector<std::string> told;
  std::vector<uint64_t> finished;
  std::vector<CaseResult> results;
  const MatrixSteps steps{.before =
                              [&](size_t index, const CaseSpec& spec) {
                                told.push_back(std::to_string(index) + " " + CaseName(spec));
                                return true;
                              },
                          .after =
                              [&](const CaseResult& result) {
                                finished.push_back(result.points);
                                return absl::OkStatus();
                              }};
  ASSERT_OK(RunMatrix(*specs, dir.path(), steps, &results));

  EXPECT_THAT(told, ElementsAre("0 single opentsdb packed none", "1 single salt-4 packed none"));
  EXPECT_THAT(finished, ElementsAre(7'200u, 7'200u));
  EXPECT_EQ(results.at(1).points, 7'200u);
  EXPECT_EQ(results.at(1).spec.seed, 3u);
}

TEST(CaseMatrixTest, AnEndedRunKeepsItsResultsAndGoesOnAfterThem) {
  const TempDir dir;
  const auto specs = MakeMatrix({.layouts = {"opentsdb", "salt-4"},
                                 .cells = {"packed"},
                                 .rules = {"none"},
                                 .workloads = {"single"},
                                 .points = 3'600});
  ASSERT_OK(specs);
  std::vector<CaseResult> results;
  const auto stop = [](size_t index, const CaseSpec&) { return index == 0; };
  EXPECT_THAT(RunMatrix(*specs, dir.path(), {.before = stop}, &results),
              StatusIs(StatusCode::kCancelled));
  ASSERT_THAT(results, SizeIs(1));
  results[0].splits = 77;  // not measured again

  const auto go = [](size_t index, const CaseSpec&) { return index == 1; };
  EXPECT_OK(RunMatrix(*specs, dir.path(), {.before = go}, &results));

  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].splits, 77u);
  EXPECT_EQ(results[1].spec.layout.name, "salt-4");
}

TEST(CaseMatrixTest, GivenSeriesAreTheOnlyWorkload) {
  GivenFleet fleet{.text = "2 series", .series = {{.metric = "abc", .tags = "defghi"}}};
  const MatrixOptions options{.cells = {"packed"},
                              .rules = {"increasing", "none"},
                              .given = std::make_shared<const GivenFleet>(fleet)};
  const auto specs = MakeMatrix(options);
  ASSERT_OK(specs);
  EXPECT_THAT(*specs, SizeIs(16 + 6 + 2));
  for (const CaseSpec& spec : *specs)
    EXPECT_EQ(spec.given, options.given);
  EXPECT_THAT(NamesOf(options), Contains("given-day salt-16-by-density packed none"));
  EXPECT_EQ(CaseName(specs->front()), "given opentsdb packed increasing");

  MatrixOptions other = options;
  fleet.series[0].interval_s = 60;
  other.given = std::make_shared<const GivenFleet>(fleet);
  EXPECT_NE(OptionsOf(options), OptionsOf(other));
}

TEST(CaseMatrixTest, OptionsThatDecideTheResultsHaveTheirNames) {
  EXPECT_THAT(OptionsOf({.size = MatrixSize::kShort, .layouts = {"a", "b"}, .seed = 5}),
              ElementsAre(Pair("size", "short"), Pair("--layouts", "a b"), Pair("--cells", "all"),
                          Pair("--rules", "all"), Pair("--workloads", "all"), Pair("series", "all"),
                          Pair("--points", "60000"), Pair("--seed", "5"), Pair("--rounds", "3")));
}

}  // namespace
}  // namespace hourcell::layouts::case_matrix_test
