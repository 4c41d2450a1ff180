#include "server/cli/data/import/import_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/limits.h"

namespace hourcell::import_lines_test {
namespace {

TEST(ImportLinesTest, PointsAndFaultsKnowTheirLine) {
  ImportLines lines;
  ForeignSeries series;
  series.SetMetric("m x");
  series.AddTag("k", "v");
  series.AddTag("none", "");
  lines.BeginLine(3);
  lines.AddPoint(series, "1", "2");
  lines.BeginLine(5);
  lines.AddFault({.text = "wrong"});

  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines.unit(0).line, 3u);
  EXPECT_EQ(lines.TextOf(lines.unit(0)), "m_x 1 2 k=v");
  EXPECT_EQ(lines.unit(1).line, 5u);
  EXPECT_EQ(lines.FaultOf(lines.unit(1)).text, "wrong");
  lines.Clear();
  EXPECT_EQ(lines.size(), 0u);
}

TEST(ImportLinesTest, OnlyTheFormatThatHasSeriesInALineHasLongOnes) {
  EXPECT_EQ(LineBytesMaxOf(ImportFormat::kOpenTsdb), size_t{1} << 20);
  EXPECT_EQ(LineBytesMaxOf(ImportFormat::kGraphite), kLineBytesMax);
  EXPECT_EQ(LineBytesMaxOf(ImportFormat::kVm), size_t{16} << 20);
  EXPECT_EQ(MakeLineTranslator({}), nullptr);
}

}  // namespace
}  // namespace hourcell::import_lines_test
