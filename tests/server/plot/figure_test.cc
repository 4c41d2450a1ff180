#include "server/plot/figure.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/plot/figures.h"
#include "tests/support/status_matchers.h"

namespace hourcell::plot::figure_test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;

TEST(FigureTest, TakesEachKind) {
  EXPECT_OK(CheckFigure(Bars()));
  EXPECT_OK(CheckFigure(Lines()));
  EXPECT_OK(CheckFigure(Heat()));
}

TEST(FigureTest, RefusesNoData) {
  Figure bars = Bars();
  bars.series.clear();
  Figure lines = Lines();
  lines.series[0].x.clear();
  Figure heat = Heat();
  heat.y.categories.clear();

  EXPECT_THAT(CheckFigure(bars), StatusIs(StatusCode::kInvalidArgument, HasSubstr("no series")));
  EXPECT_THAT(CheckFigure(lines), StatusIs(StatusCode::kInvalidArgument, HasSubstr("no points")));
  EXPECT_THAT(CheckFigure(heat), StatusIs(StatusCode::kInvalidArgument, HasSubstr("0 rows")));
}

TEST(FigureTest, RefusesSizesThatDoNotFitAndSaysWhich) {
  Figure bars = Bars();
  bars.series[1].y.pop_back();
  Figure heat = Heat();
  heat.cells.pop_back();

  EXPECT_THAT(CheckFigure(bars),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("\"Bytes by layout\""),
                             HasSubstr("series \"compacted\": expected 3 values, got 2"))));
  EXPECT_THAT(CheckFigure(heat), StatusIs(StatusCode::kInvalidArgument,
                                          HasSubstr("expected 2 rows of 3, got 5 cells")));
}

TEST(FigureTest, RefusesAxesThatCannotBe) {
  Figure backwards = Lines();
  backwards.x.min = 5;
  backwards.x.max = 4;
  Figure log = Lines();
  log.y.is_log = true;
  log.y.min = 0;
  Figure endless = Lines();
  endless.y.max = std::numeric_limits<double>::infinity();

  EXPECT_THAT(CheckFigure(backwards),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("x axis: expected the lower end first, got 5 to 4")));
  EXPECT_THAT(CheckFigure(log),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected a positive number")));
  EXPECT_THAT(CheckFigure(endless),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected a finite number")));
}

TEST(FigureTest, RefusesPicturesOutOfRange) {
  Figure small = Bars();
  small.height_px = kFigurePxMin - 1;
  Figure large = Bars();
  large.width_px = kFigurePxMax + 1;

  EXPECT_THAT(CheckFigure(small),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("expected 100 to 8000, got a side of 99 pixels")));
  EXPECT_THAT(CheckFigure(large), StatusIs(StatusCode::kInvalidArgument, HasSubstr("8001")));
}

}  // namespace
}  // namespace hourcell::plot::figure_test
