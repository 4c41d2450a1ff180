// The bytes of cells, by kind of value and by points an hour. Sizes are counts, the same on every
// machine, so a test holds them: cell_sizes.golden has a row for each set of cells.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/values/size_table.h"
#include "tests/support/values/value_kinds.h"

namespace hourcell::cell_sizes_test {
namespace {

constexpr size_t kSeries = 4;
constexpr size_t kHours = 24;

// The hours of a series, `points_an_hour` in each, on a line.
std::vector<CellColumns> HoursOf(const std::vector<Value>& values, size_t points_an_hour) {
  const auto step_ms = static_cast<uint32_t>(3'600'000 / points_an_hour);
  std::vector<CellColumns> hours(values.size() / points_an_hour);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto offset_ms = static_cast<uint32_t>(i % points_an_hour) * step_ms;
    AddPoint(offset_ms, kSeconds, values[i], &hours[i / points_an_hour]);
  }
  return hours;
}

// The bytes of the cells of `hours`. Checks that each cell decodes to the same bits.
size_t BytesOf(const std::vector<CellColumns>& hours) {
  size_t bytes = 0;
  for (const CellColumns& hour : hours) {
    const std::string cell = PackedCellOf(hour);
    CellColumns decoded;
    EXPECT_OK(DecodeCell(cell, &decoded));
    EXPECT_TRUE(decoded == hour) << "decodes to other points: " << ToHex(cell);
    bytes += cell.size();
  }
  return bytes;
}

SizeRow RowOf(std::string name, const ValueKind& kind, size_t points_an_hour) {
  SizeRow row{.name = std::move(name)};
  for (uint64_t seed = 1; seed <= kSeries; ++seed) {
    Random random(seed);
    const std::vector<Value> values = kind.make(kHours * points_an_hour, &random);
    row.points += values.size();
    row.bytes += BytesOf(HoursOf(values, points_an_hour));
  }
  return row;
}

std::vector<SizeRow> MeasureRows() {
  std::vector<SizeRow> rows;
  for (const ValueKind& kind : ValueKinds())
    rows.push_back(RowOf(std::string(kind.name), kind, 360));
  for (const size_t points_an_hour : std::array<size_t, 7>{3600, 360, 240, 120, 60, 12, 1}) {
    rows.push_back(RowOf(fmt::format("integers, {} an hour", points_an_hour),
                         {.name = "", .make = &IntegerWalk}, points_an_hour));
    rows.push_back(RowOf(fmt::format("2 decimals, {} an hour", points_an_hour),
                         {.name = "", .make = &TwoDecimalWalk}, points_an_hour));
  }
  return rows;
}

TEST(CellSizesTest, CellsTakeTheBytesOfTheGoldenFile) {
  ExpectSizes("tests/codec/cells/cell_sizes.golden", MeasureRows(), /*tolerance=*/0.01);
}

}  // namespace
}  // namespace hourcell::cell_sizes_test
