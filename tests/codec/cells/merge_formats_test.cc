// Merges of cells of all formats in one row, compared with a map in which the last write wins. The
// cells of format 2 are frozen, so the other operands are parts of the same hours.

#include <algorithm>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/source_dir.h"
#include "tests/support/status_matchers.h"

namespace hourcell::merge_formats_test {
namespace {

// A cell as it is stored, and its points.
struct Operand {
  std::string cell;
  CellColumns points;
};

// The cells of tests/data/packed_cells_2.txt: "name: format 1 = format 2". The points are those of
// format 1.
std::vector<Operand> FrozenCells() {
  std::vector<Operand> cells;
  std::ifstream file(SourcePath("tests/data/packed_cells_2.txt"));
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    const size_t equals = line.find(" = ");
    if (line.starts_with('#') || equals == std::string::npos) continue;
    Operand& cell = cells.emplace_back(Operand{.cell = Hex(line.substr(equals + 3)), .points = {}});
    EXPECT_OK(DecodeCell(Hex(line.substr(colon + 2, equals - colon - 2)), &cell.points));
  }
  return cells;
}

// A random part of the points, some of them with other values, in format 1 or 3.
Operand RandomPart(const CellColumns& points, Random* random) {
  const uint64_t one_of = 1 + random->Below(8);
  const size_t always = random->Below(points.size());
  Operand part;
  for (size_t i = 0; i < points.size(); ++i) {
    if (i != always && random->Below(one_of) != 0) continue;
    const bool is_changed = random->Below(4) == 0;
    if (is_changed) {
      const auto value = Value::Integer(static_cast<int64_t>(random->Below(1000)));
      AddPoint(points.offset_ms[i], points.qualifier(i).is_ms, value, &part.points);
    } else {
      part.points.push_back(points.qualifier(i), points.value(i));
    }
  }
  part.cell = random->Below(2) == 0 ? OpenTsdbCellOf(part.points) : PackedCellOf(part.points);
  return part;
}

// Cells of one row in the order of their writes.
std::vector<Operand> RandomRow(const std::vector<Operand>& frozen, Random* random) {
  const Operand& first = frozen[random->Below(frozen.size())];
  const Operand& second = frozen[random->Below(frozen.size())];
  std::vector<Operand> row;
  for (uint64_t i = 1 + random->Below(6); i > 0; --i) {
    const Operand& of = random->Below(3) == 0 ? second : first;
    row.push_back(random->Below(3) == 0 ? of : RandomPart(of.points, random));
  }
  return row;
}

CellColumns LastWins(std::span<const Operand> row) {
  std::map<uint32_t, std::pair<Qualifier, Value>> points;
  for (const Operand& operand : row) {
    for (size_t i = 0; i < operand.points.size(); ++i) {
      points.insert_or_assign(operand.points.offset_ms[i],
                              std::pair(operand.points.qualifier(i), operand.points.value(i)));
    }
  }
  CellColumns columns;
  for (const auto& [offset_ms, point] : points)
    columns.push_back(point.first, point.second);
  return columns;
}

std::string Merged(std::string_view existing, std::span<const Operand> row) {
  std::vector<std::string_view> operands;
  for (const Operand& operand : row)
    operands.push_back(operand.cell);
  std::string merged;
  MergeCells(existing, operands, &merged);
  return merged;
}

class MergeFormatsTest : public testing::Test {
 protected:
  // Calls `check` with 400 random rows.
  template <typename Check>
  void ForEachRow(const Check& check) {
    const std::vector<Operand> frozen = FrozenCells();
    ASSERT_GE(frozen.size(), 100u);
    for (uint64_t seed = 1; seed <= 400; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      Random random(seed);
      check(RandomRow(frozen, &random), &random);
      if (HasFailure()) return;
    }
  }
};

TEST_F(MergeFormatsTest, ARowHasTheLastPointOfEachOffset) {
  ForEachRow([](const std::vector<Operand>& row, Random*) {
    const CellColumns expected = LastWins(row);

    const std::string merged = Merged("", row);

    CellColumns columns;
    ASSERT_OK(DecodeCell(merged, &columns));
    EXPECT_TRUE(columns == expected) << ToHex(merged);
    const auto stored = ToOpenTsdb(merged);
    ASSERT_OK(stored);
    EXPECT_EQ(ToHex('\x01' + stored->qualifiers + stored->values), ToHex(OpenTsdbCellOf(expected)));
  });
}

// One cell stays as it was written; several become a cell of the newest format of columns, or of
// format 1 if all are.
TEST_F(MergeFormatsTest, AMergeWritesTheNewestFormat) {
  ForEachRow([](const std::vector<Operand>& row, Random*) {
    const std::string merged = Merged("", row);

    if (row.size() == 1) {
      EXPECT_EQ(ToHex(merged), ToHex(row[0].cell));
      return;
    }
    const bool is_packed =
        std::ranges::any_of(row, [](const Operand& operand) { return operand.cell[0] != '\x01'; });
    const CellColumns points = LastWins(row);
    EXPECT_EQ(ToHex(merged), ToHex(is_packed ? PackedCellOf(points) : OpenTsdbCellOf(points)));
    EXPECT_EQ(ReadCellSummary(merged).value(), is_packed ? Summarize(points) : std::nullopt);
  });
}

TEST_F(MergeFormatsTest, GroupingDoesNotMatter) {
  ForEachRow([](const std::vector<Operand>& row, Random* random) {
    if (row.size() < 2) return;
    const std::span<const Operand> all(row);
    const size_t cut = 1 + random->Below(row.size() - 1);
    const std::string merged = Merged("", row);

    const std::string front = Merged("", all.first(cut));
    const Operand back{.cell = Merged("", all.subspan(cut)), .points = {}};

    EXPECT_EQ(ToHex(Merged(front, all.subspan(cut))), ToHex(merged));
    EXPECT_EQ(ToHex(Merged(front, {&back, 1})), ToHex(merged));
  });
}

}  // namespace
}  // namespace hourcell::merge_formats_test
