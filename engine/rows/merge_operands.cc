#include "engine/rows/merge_operands.h"

#include "codec/base/check.h"
#include "codec/cells/cell.h"
#include "engine/rows/series_key.h"

namespace hourcell {
namespace {

void MergeRow(std::span<const std::string_view> oldest_first, std::string* out) {
  MergeCells(/*existing=*/{}, oldest_first, out);
}

}  // namespace

OperandMerge OperandMergeOf(TableMerge merge) {
  switch (merge) {
    case TableMerge::kNone:
      return nullptr;
    case TableMerge::kPostings:
      return &MergePostings;
    case TableMerge::kCells:
      return &MergeRow;
  }
  HOURCELL_CHECK(false);
}

std::string MergedOperands(TableId table, std::span<const std::string_view> operands) {
  HOURCELL_CHECK(SpecOf(table).merges() && !operands.empty());
  std::string merged;
  OperandMergeOf(SpecOf(table).merge)(operands, &merged);
  return merged;
}

}  // namespace hourcell
