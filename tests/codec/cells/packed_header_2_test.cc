// Cells of format 2, as version 0.1.0 wrote them, are read and merged for ever.

#include "codec/cells/packed_header_2.h"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codec/codec_testing.h"
#include "tests/support/source_dir.h"
#include "tests/support/status_matchers.h"

namespace hourcell::packed_header_2_test {
namespace {

struct OldCell {
  std::string name;
  std::string stored;  // in format 1
  std::string packed;  // in format 2
};

// The lines `name: hex = hex` of the file.
std::vector<OldCell> OldCells() {
  std::ifstream file(SourcePath("tests/data/packed_cells_2.txt"));
  std::vector<OldCell> cells;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const size_t colon = line.find(": ");
    const size_t equals = line.find(" = ");
    if (colon == std::string::npos || equals == std::string::npos) {
      ADD_FAILURE() << "not a cell: " << line;
      continue;
    }
    cells.push_back({line.substr(0, colon), Hex(line.substr(colon + 2, equals - colon - 2)),
                     Hex(line.substr(equals + 3))});
  }
  return cells;
}

CellColumns Decoded(const std::string& cell) {
  CellColumns columns;
  EXPECT_OK(DecodeCell(cell, &columns));
  return columns;
}

std::string Merged(std::vector<std::string_view> cells) {
  std::string merged;
  MergeCells("", cells, &merged);
  return merged;
}

TEST(PackedHeader2Test, OldCellsDecodeToTheirPoints) {
  const std::vector<OldCell> cells = OldCells();
  ASSERT_EQ(cells.size(), 199U);
  for (const OldCell& cell : cells) {
    SCOPED_TRACE(cell.name);
    ASSERT_EQ(cell.packed.front(), '\x02');
    const CellColumns columns = Decoded(cell.packed);
    EXPECT_EQ(columns, Decoded(cell.stored));
    EXPECT_EQ(ReadCellSummary(cell.packed).value(), Summarize(columns));
  }
}

TEST(PackedHeader2Test, OldCellsMergeWithThePointsOfAllFormats) {
  const std::vector<OldCell> cells = OldCells();
  for (size_t i = 1; i < cells.size(); ++i) {
    const OldCell& cell = cells[i];
    const OldCell& other = cells[i - 1];
    SCOPED_TRACE(cell.name);
    const std::string all = Merged({cell.stored, other.stored});
    const std::string packed = Packed(all);
    EXPECT_EQ(ToHex(Merged({cell.packed, other.stored})), ToHex(packed));
    EXPECT_EQ(ToHex(Merged({cell.stored, other.packed})), ToHex(packed));
    EXPECT_EQ(ToHex(Merged({cell.packed, other.packed})), ToHex(packed));
    EXPECT_EQ(ToHex(Merged({Packed(cell.stored), other.packed})), ToHex(packed));
    EXPECT_EQ(ToHex(Merged({cell.packed, Packed(other.stored)})), ToHex(packed));
  }
}

TEST(PackedHeader2Test, AMergeKeepsOneOldCellVerbatim) {
  for (const OldCell& cell : OldCells())
    EXPECT_EQ(ToHex(Merged({cell.packed})), ToHex(cell.packed)) << cell.name;
}

TEST(PackedHeader2Test, EveryTruncationIsRefused) {
  for (const OldCell& cell : OldCells()) {
    SCOPED_TRACE(cell.name);
    for (size_t size = 0; size < cell.packed.size(); ++size) {
      CellColumns columns;
      EXPECT_THAT(DecodeCell(cell.packed.substr(0, size), &columns),
                  StatusIs(absl::StatusCode::kDataLoss));
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace hourcell::packed_header_2_test
