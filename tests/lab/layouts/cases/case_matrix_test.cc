#include "bench/lab/layouts/cases/case_matrix.h"

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
  for (const MatrixSize size : {MatrixSize::kShort, MatrixSize::kUsual, MatrixSize::kFull}) {
    const std::vector<std::string> names = NamesOf({.size = size});
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  }
}

TEST(CaseMatrixTest, FullIsTheProductAndTheOthersArePartsOfIt) {
  const std::vector<std::string> full = NamesOf({.size = MatrixSize::kFull});
  EXPECT_THAT(full, SizeIs(12 * 8 * 8 * 5));
  for (const std::string& name : NamesOf({.size = MatrixSize::kUsual}))
    EXPECT_THAT(full, Contains(name));
}

TEST(CaseMatrixTest, ShortHasEveryLayoutAndEveryCellForm) {
  const std::vector<std::string> names = NamesOf({.size = MatrixSize::kShort});

  EXPECT_THAT(names, SizeIs(12 + 7));
  EXPECT_THAT(names, Contains("fleet time-first packed increasing"));
  EXPECT_THAT(names, Contains("fleet opentsdb append-ms increasing"));
  EXPECT_THAT(names, Not(Contains("hot opentsdb packed increasing")));
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
  const auto results = RunMatrix(*specs, dir.path(), [&](size_t index, const CaseSpec& spec) {
    told.push_back(std::to_string(index) + " " + CaseName(spec));
    return true;
  });

  ASSERT_OK(results);
  EXPECT_THAT(told, ElementsAre("0 single opentsdb packed none", "1 single salt-4 packed none"));
  EXPECT_EQ(results->at(1).points, 7'200u);
  EXPECT_EQ(results->at(1).spec.seed, 3u);

  const auto stop = [](size_t index, const CaseSpec&) { return index == 0; };
  EXPECT_THAT(RunMatrix(*specs, dir.path(), stop), StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace hourcell::layouts::case_matrix_test
