#include "server/plot/output/write_figure.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/plot/compose.h"
#include "server/plot/output/svg.h"
#include "tests/server/plot/figures.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::plot::write_figure_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::StartsWith;

std::string Read(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

TEST(WriteFigureTest, WritesBothFormatsAndReplacesFiles) {
  const TempDir dir;
  ASSERT_OK(WriteSvg(Heat(), dir.file("a.svg")));
  ASSERT_OK(WriteSvg(Bars(), dir.file("a.svg")));
  ASSERT_OK(WritePng(Lines(), dir.file("a.png")));

  EXPECT_EQ(Read(dir.file("a.svg")), SvgText(*Compose(Bars())));
  EXPECT_THAT(Read(dir.file("a.png")), StartsWith("\x89PNG"));
}

TEST(WriteFigureTest, SaysWhatIsWrong) {
  const TempDir dir;

  EXPECT_THAT(WriteSvg(Figure(), dir.file("a.svg")), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(WritePng(Bars(), dir.file("none/a.png")),
              StatusIs(StatusCode::kUnavailable, HasSubstr("none/a.png: No such file")));
}

}  // namespace
}  // namespace hourcell::plot::write_figure_test
