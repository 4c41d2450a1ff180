// The bytes of cells, by kind of value and by points an hour, in cells of an hour or of a day.
// Sizes are counts, the same on every machine, so a test holds them: cell_sizes.golden has a row
// for each set of cells.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/values/size_table.h"
#include "tests/support/values/value_kinds.h"

namespace hourcell::cell_sizes_test {
namespace {

constexpr size_t kSeries = 4;
constexpr size_t kHours = 24;

// How a series is stored: `points_an_hour` on a line, in cells of an hour or of a day.
struct Storing {
  size_t points_an_hour = 0;
  bool is_by_day = false;

  size_t points_a_cell() const { return is_by_day ? kHours * points_an_hour : points_an_hour; }
};

// The points of each cell of a series.
std::vector<CellColumns> CellsOf(const std::vector<Value>& values, const Storing& storing) {
  const auto step_ms = static_cast<uint32_t>(3'600'000 / storing.points_an_hour);
  const size_t points_a_cell = storing.points_a_cell();
  std::vector<CellColumns> cells(values.size() / points_a_cell);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto offset_ms = static_cast<uint32_t>(i % points_a_cell) * step_ms;
    AddPoint(offset_ms, kSeconds, values[i], &cells[i / points_a_cell]);
  }
  return cells;
}

// The bytes of the cells. Checks that each cell decodes to the same bits.
size_t BytesOf(const std::vector<CellColumns>& cells, bool is_by_day) {
  size_t bytes = 0;
  for (const CellColumns& points : cells) {
    std::string cell;
    is_by_day ? AppendDayCell(points, &cell) : AppendPackedCell(points, &cell);
    CellColumns decoded;
    EXPECT_OK(DecodeCell(cell, &decoded));
    EXPECT_TRUE(decoded == points) << "decodes to other points: " << ToHex(cell);
    bytes += cell.size();
  }
  return bytes;
}

SizeRow RowOf(std::string name, const ValueKind& kind, const Storing& storing) {
  SizeRow row{.name = std::move(name)};
  for (uint64_t seed = 1; seed <= kSeries; ++seed) {
    Random random(seed);
    const std::vector<Value> values = kind.make(kHours * storing.points_an_hour, &random);
    row.points += values.size();
    row.bytes += BytesOf(CellsOf(values, storing), storing.is_by_day);
  }
  return row;
}

std::vector<SizeRow> MeasureRows() {
  std::vector<SizeRow> rows;
  for (const ValueKind& kind : ValueKinds())
    rows.push_back(RowOf(std::string(kind.name), kind, {.points_an_hour = 360}));
  const auto add = [&](const Storing& storing) {
    const std::string how =
        fmt::format("{} an hour{}", storing.points_an_hour, storing.is_by_day ? ", by day" : "");
    rows.push_back(RowOf("integers, " + how, {.name = "", .make = &IntegerWalk}, storing));
    rows.push_back(RowOf("2 decimals, " + how, {.name = "", .make = &TwoDecimalWalk}, storing));
  };
  for (const size_t points_an_hour : std::array<size_t, 7>{3600, 360, 240, 120, 60, 12, 1})
    add({.points_an_hour = points_an_hour});
  for (const size_t points_an_hour : std::array<size_t, 5>{240, 120, 60, 12, 1})
    add({.points_an_hour = points_an_hour, .is_by_day = true});
  return rows;
}

TEST(CellSizesTest, CellsTakeTheBytesOfTheGoldenFile) {
  ExpectSizes("tests/codec/cells/cell_sizes.golden", MeasureRows(), /*tolerance=*/0.01);
}

}  // namespace
}  // namespace hourcell::cell_sizes_test
