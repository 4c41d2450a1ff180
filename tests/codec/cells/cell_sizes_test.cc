// The bytes of cells, by kind of value and by points an hour. Sizes are counts, the same on every
// machine, so a test holds them: cell_sizes.golden has a row for each set of cells.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/source_dir.h"
#include "tests/support/status_matchers.h"
#include "tests/support/values/value_kinds.h"

namespace hourcell::cell_sizes_test {
namespace {

constexpr std::string_view kGolden = "tests/codec/cells/cell_sizes.golden";
constexpr size_t kSeries = 4;
constexpr size_t kHours = 24;
constexpr double kTolerance = 0.01;

// The cells of one kind of values.
struct SizeRow {
  std::string name;
  size_t points = 0;
  size_t bytes = 0;
};

std::string LineOf(const SizeRow& row) {
  return fmt::format("{:<36}{:>8}{:>9}{:>8.3f}", row.name, row.points, row.bytes,
                     static_cast<double>(row.bytes) / static_cast<double>(row.points));
}

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

// The bytes of each row of the golden file, by the row's name and points.
std::map<std::string, double> GoldenBytes() {
  std::map<std::string, double> bytes;
  std::ifstream file(SourcePath(kGolden));
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line.substr(std::min<size_t>(line.size(), 36)));
    size_t points = 0;
    double count = 0;
    if (numbers >> points >> count) bytes[line.substr(0, 44)] = count;
  }
  return bytes;
}

// Fails if a set of cells becomes more than 1 % larger or smaller, so that the file has the present
// sizes. HOURCELL_GOLDEN=1 writes it anew.
TEST(CellSizesTest, CellsTakeTheBytesOfTheGoldenFile) {
  const std::vector<SizeRow> rows = MeasureRows();

  std::string table = "# kind of values, points, bytes of cells, bytes a point\n";
  for (const SizeRow& row : rows)
    table.append(LineOf(row)).push_back('\n');
  fmt::print("{}", table);
  if (std::getenv("HOURCELL_GOLDEN") != nullptr) std::ofstream(SourcePath(kGolden)) << table;
  const std::map<std::string, double> golden = GoldenBytes();
  EXPECT_EQ(golden.size(), rows.size());
  for (const SizeRow& row : rows) {
    const auto expected = golden.find(LineOf(row).substr(0, 44));
    ASSERT_TRUE(expected != golden.end()) << kGolden << ": no row " << row.name;
    EXPECT_NEAR(static_cast<double>(row.bytes), expected->second, kTolerance * expected->second)
        << row.name;
  }
}

}  // namespace
}  // namespace hourcell::cell_sizes_test
