#include "server/cli/lab/simulate_figure.h"

#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "codec/base/bytes.h"
#include "server/plot/output/png.h"
#include "server/plot/palette.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::simulate_figure_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint64_t kHourMs = 3'600'000;

// A result with the puts of a matrix, an hour a step.
SimulationResult ResultOf(size_t rows, size_t steps, std::vector<double> puts) {
  SimulationResult result;
  result.heat = {
      .start_ms = 1'356'998'400'000, .step_ms = kHourMs, .steps = steps, .puts = std::move(puts)};
  for (size_t row = 0; row < rows; ++row)
    result.heat.row_starts.push_back(row == 0 ? "" : fmt::format("k{:04}", row));
  return result;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string Attribute(std::string_view element, std::string_view name) {
  const std::string before = fmt::format(" {}=\"", name);
  const size_t begin = element.find(before) + before.size();
  return std::string(element.substr(begin, element.find('"', begin) - begin));
}

// The elements of the class "cell", with their tips.
std::vector<std::string> CellElements(const std::string& svg) {
  constexpr std::string_view kBegin = "<rect class=\"cell\"";
  std::vector<std::string> elements;
  for (size_t at = svg.find(kBegin); at != std::string::npos; at = svg.find(kBegin, at + 1))
    elements.push_back(svg.substr(at, svg.find("</rect>", at) - at));
  return elements;
}

TEST(SimulateFigureTest, CellsOfTheSvgAreThoseOfTheMatrix) {
  constexpr size_t kRows = 3;
  constexpr size_t kSteps = 4;
  std::vector<double> puts;
  for (size_t i = 0; i < kRows * kSteps; ++i)
    puts.push_back(i == 5 ? 0 : static_cast<double>(i + 1) * 3'600);
  const TempDir dir;
  ASSERT_OK(WriteHeatFigure(ResultOf(kRows, kSteps, puts), dir.file("heat.svg")));

  const std::string svg = ReadBytes(dir.file("heat.svg"));
  const std::vector<std::string> cells = CellElements(svg);

  ASSERT_EQ(cells.size(), puts.size() - 1);  // no puts, no cell
  const double left = std::stod(Attribute(cells[0], "x"));
  const double top = std::stod(Attribute(cells[0], "y"));
  std::vector<double> found(puts.size());
  for (const std::string& cell : cells) {
    const double width = std::stod(Attribute(cell, "width"));
    const double height = std::stod(Attribute(cell, "height"));
    const auto step = static_cast<size_t>((std::stod(Attribute(cell, "x")) - left) / width + 0.5);
    const auto row = static_cast<size_t>((std::stod(Attribute(cell, "y")) - top) / height + 0.5);
    const std::string start = row == 0 ? "(start)" : fmt::format("k{:04}", row);
    EXPECT_THAT(cell, HasSubstr(fmt::format("<title>{}, {}:00: ", start, step)));
    const double value = std::stod(cell.substr(cell.rfind(": ") + 2));
    found[row * kSteps + step] = value * 3'600;
    const plot::Color color = plot::HeatColor(value / 12.5);  // the last tick
    EXPECT_EQ(Attribute(cell, "fill"),
              fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue));
  }
  EXPECT_EQ(found, puts);
  EXPECT_THAT(svg, HasSubstr(">puts/s</text>"));
  EXPECT_THAT(svg, HasSubstr(">time since 2013-01-01 00:00 UTC</text>"));
}

TEST(SimulateFigureTest, AThousandRegionsAndStepsAreBinnedToWhatCanBeSeen) {
  constexpr size_t kSide = 1'000;
  std::vector<double> puts(kSide * kSide);
  for (size_t i = 0; i < puts.size(); ++i)
    puts[i] = static_cast<double>(i % 97);
  const SimulationResult result = ResultOf(kSide, kSide, puts);

  const plot::Figure figure = HeatFigure(result);

  EXPECT_OK(plot::CheckFigure(figure));
  EXPECT_EQ(figure.y.categories.size(), 91U);   // 11 each
  EXPECT_EQ(figure.x.categories.size(), 167U);  // 6 each
  EXPECT_THAT(figure.note, HasSubstr("a cell joins 11 key ranges and 6 steps"));
  EXPECT_EQ(figure.x.categories[1], "0d 6:00");
  double sum = 0;
  for (const double value : figure.cells)
    sum += value * 6 * 3'600;
  EXPECT_NEAR(sum, std::accumulate(puts.begin(), puts.end(), 0.0), 1);
}

// What zlib makes of the image's data is so many rows of so many pixels, each row with a byte that
// says its filter.
TEST(SimulateFigureTest, ThePngDecodesToTheSizeAskedFor) {
  const TempDir dir;
  ASSERT_OK(WriteHeatFigure(ResultOf(2, 2, {1, 2, 3, 4}), dir.file("heat.png"),
                            {.width_px = 500, .height_px = 300}));

  const std::string png = ReadBytes(dir.file("heat.png"));
  ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string data;
  size_t width = 0;
  size_t height = 0;
  for (size_t at = 8; at + 12 <= png.size();) {
    const size_t size = LoadBigEndian(png.data() + at, 4);
    const std::string type = png.substr(at + 4, 4);
    if (type == "IHDR") {
      width = LoadBigEndian(png.data() + at + 8, 4);
      height = LoadBigEndian(png.data() + at + 12, 4);
      EXPECT_EQ(png.substr(at + 16, 2), std::string("\x08\x02", 2));  // 8 bits of red, green, blue
    }
    if (type == "IDAT") data += png.substr(at + 8, size);
    at += 12 + size;
  }
  EXPECT_EQ(width, 500U * plot::kPngScale);
  EXPECT_EQ(height, 300U * plot::kPngScale);
  std::string rows(height * (1 + 3 * width), '\0');
  uLongf decoded = rows.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &decoded,
                       reinterpret_cast<const Bytef*>(data.data()), data.size()),
            Z_OK);
  EXPECT_EQ(decoded, rows.size());
}

TEST(SimulateFigureTest, RefusesOtherFormatsAndEmptyMaps) {
  const TempDir dir;

  EXPECT_THAT(CheckFigurePath("map.jpg"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("expected a name that ends in .png or .svg, got \"map.jpg\"")));
  EXPECT_THAT(WriteHeatFigure(ResultOf(1, 0, {}), dir.file("heat.svg")),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("got 1 rows of 0 cells")));
}

TEST(SimulateFigureTest, TimesAreToldAsFineAsTheyAre) {
  SimulationResult result = ResultOf(1, 2, {1, 2});
  result.heat.step_ms = 90'500;
  EXPECT_THAT(HeatFigure(result).x.categories, ElementsAre("0:00:00", "0:01:30"));
  result.heat.step_ms = 36 * kHourMs;
  EXPECT_THAT(HeatFigure(result).x.categories, ElementsAre("0d 0:00", "1d 12:00"));
}

}  // namespace
}  // namespace hourcell::simulate_figure_test
