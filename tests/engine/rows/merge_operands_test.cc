#include "engine/rows/merge_operands.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "codec/cells/cell.h"

namespace hourcell::merge_operands_test {
namespace {

TEST(MergeOperandsTest, EveryTableWithAMergeHasAFunction) {
  EXPECT_EQ(OperandMergeOf(TableMerge::kNone), nullptr);
  for (const TableSpec& table : kTableSpecs) {
    EXPECT_EQ(OperandMergeOf(table.merge) != nullptr, table.merges()) << table.name;
  }
}

TEST(MergeOperandsTest, PostingSetsBecomeTheirUnion) {
  const std::string_view sets[] = {std::string_view("\1\0\2", 3), std::string_view("\1\0\1", 3)};

  EXPECT_EQ(MergedOperands(TableId::kSeries, sets), std::string_view("\1\0\1\0\2", 5));
}

TEST(MergeOperandsTest, CellsKeepTheLastWriteOfAnInstant) {
  // Format 1, one point: its qualifier (offset 0 or 1 s, integer of one byte) and its value.
  const std::string_view cells[] = {std::string_view("\1\0\x10\5", 4),
                                    std::string_view("\1\0\0\6", 4),
                                    std::string_view("\1\0\x10\7", 4)};
  std::string merged;
  MergeCells({}, cells, &merged);

  EXPECT_EQ(MergedOperands(TableId::kData, cells), merged);
  EXPECT_EQ(merged, std::string_view("\1\0\0\0\x10\6\7\0", 8));
}

}  // namespace
}  // namespace hourcell::merge_operands_test
