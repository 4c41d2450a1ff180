#include "bench/lab/layouts/cases/case_figures.h"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/layouts/cases/results.h"
#include "tests/support/status_matchers.h"

namespace hourcell::layouts::case_figures_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> NamesOf(const std::vector<NamedFigure>& figures) {
  std::vector<std::string> names;
  for (const NamedFigure& named : figures)
    names.push_back(named.name);
  return names;
}

TEST(CaseFiguresTest, OneCaseComparesNothingButHasItsLoad) {
  EXPECT_THAT(NamesOf(CaseFigures(std::vector{MadeUpResult("opentsdb")})),
              ElementsAre("load-opentsdb"));
  EXPECT_THAT(CaseFigures({}), IsEmpty());
}

TEST(CaseFiguresTest, LayoutsAreComparedByLoadAndReads) {
  const std::vector<CaseResult> results = {MadeUpResult("opentsdb"), MadeUpResult("series-first")};
  const std::vector<NamedFigure> figures = CaseFigures(results);

  EXPECT_THAT(NamesOf(figures), ElementsAre("hot-share", "hot-share-in-time", "read-time",
                                            "read-instructions", "read-bytes", "load-opentsdb"));
  EXPECT_THAT(figures[0].figure.x.categories, ElementsAre("opentsdb", "series-first"));
  EXPECT_THAT(figures[0].figure.series[0].y, ElementsAre(25, 25));
  EXPECT_THAT(figures[1].figure.series[1].y, ElementsAre(100, 25));
  EXPECT_THAT(figures[2].figure.series, SizeIs(3));
  EXPECT_THAT(figures[2].figure.series[0].y, ElementsAre(30, 30));
  EXPECT_TRUE(figures[2].depends_on_build);
  EXPECT_THAT(figures[3].figure.series[0].y, ElementsAre(4'500, 4'500));
  EXPECT_TRUE(figures[3].depends_on_build);
}

TEST(CaseFiguresTest, InstructionsThatWereNotCountedAreNotDrawn) {
  std::vector<CaseResult> results = {MadeUpResult("opentsdb"), MadeUpResult("series-first")};
  results[1].reads[1].instructions = 0;
  EXPECT_THAT(NamesOf(CaseFigures(results)), Not(Contains("read-instructions")));
}

TEST(CaseFiguresTest, CellFormsAreComparedByTimeAndBytes) {
  const std::vector<CaseResult> results = {MadeUpResult("opentsdb"),
                                           MadeUpResult("opentsdb", {CellKind::kAppend})};
  const std::vector<NamedFigure> figures = CaseFigures(results);

  EXPECT_THAT(NamesOf(figures), ElementsAre("write-time", "bytes", "load-opentsdb"));
  EXPECT_THAT(figures[0].figure.series[0].y, ElementsAre(321, 321));
  EXPECT_TRUE(figures[0].depends_on_build);
  EXPECT_FALSE(figures[1].depends_on_build);
  EXPECT_THAT(figures[1].figure.x.categories, ElementsAre("packed", "append"));
  EXPECT_THAT(figures[1].figure.series[0].y, ElementsAre(2.25, 2.25));
  EXPECT_THAT(figures[1].figure.series[1].y, ElementsAre(1.5, 1.5));
}

TEST(CaseFiguresTest, RulesAreComparedByLoadAndPauses) {
  const std::vector<CaseResult> results = {MadeUpResult("salt-4"),
                                           MadeUpResult("salt-4", {}, SplitRule::kNone)};
  const std::vector<NamedFigure> figures = CaseFigures(results);

  EXPECT_THAT(NamesOf(figures), ElementsAre("rules-hot-share", "rules-pause"));
  EXPECT_THAT(figures[1].figure.series[0].y, ElementsAre(9.5, 9.5));
}

TEST(CaseFiguresTest, EveryFigureCanBeDrawn) {
  std::vector<CaseResult> results = {MadeUpResult("opentsdb"), MadeUpResult("salt-16"),
                                     MadeUpResult("opentsdb", {CellKind::kAppend}),
                                     MadeUpResult("opentsdb", {}, SplitRule::kLoad)};
  EXPECT_THAT(CaseFigures(results), SizeIs(11));
  for (const NamedFigure& named : CaseFigures(results))
    EXPECT_OK(plot::CheckFigure(named.figure));
}

TEST(CaseFiguresTest, LoadIsAShareOfEachWindowByRegion) {
  const plot::Figure figure = LoadFigure(MadeUpResult("opentsdb"), 24);

  EXPECT_THAT(figure.y.categories, ElementsAre("first", "6b"));
  EXPECT_THAT(figure.x.categories, ElementsAre("0", "50"));
  EXPECT_EQ(figure.cells[0], 100);
  EXPECT_TRUE(std::isnan(figure.cells[1]));
}

TEST(CaseFiguresTest, ManyRegionsArePutTogether) {
  CaseResult result = MadeUpResult("opentsdb");
  result.load.starts.assign(50, "k");
  result.load.rows.assign(50, {10, 10});

  const plot::Figure figure = LoadFigure(result, 24);

  EXPECT_THAT(figure.y.categories, SizeIs(17));
  EXPECT_DOUBLE_EQ(figure.cells[0], 100.0 * 30 / 500);
}

}  // namespace
}  // namespace hourcell::layouts::case_figures_test
