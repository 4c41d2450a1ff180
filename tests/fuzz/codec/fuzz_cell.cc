#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

constexpr size_t kCellsMax = 32;

std::string Merged(std::string_view existing, std::span<const std::string_view> operands) {
  std::string out;
  MergeCells(existing, operands, &out);
  return out;
}

void CheckGivesBack(const std::string& cell, const CellColumns& columns) {
  CellColumns again;
  HOURCELL_CHECK(DecodeCell(cell, &again).ok());
  HOURCELL_CHECK(again == columns);
}

// Day cells and their pages have other limits; fuzz_day_cell.cc checks these.
bool IsOfDay(std::string_view cell) {
  return IsDayCell(cell) || cell.starts_with(kPageByte);
}

// True for a day cell, and for a damaged record whose good cell is one.
bool HasDayCell(std::string_view cell) {
  if (!cell.starts_with('\xff')) return IsDayCell(cell);
  std::string_view rest = cell.substr(1);
  const absl::StatusOr<uint64_t> size = TakeVarint(&rest);
  return size.ok() && *size > 0 && IsDayCell(rest);
}

// A cell that decodes holds points that either format gives back, with the summary it says they
// have. A format-1 cell is the encoding of its points, but for bits that OpenTSDB ignores.
void CheckDecode(std::string_view cell) {
  if (IsOfDay(cell)) return;
  CellColumns columns;
  const absl::Status status = DecodeCell(cell, &columns);
  const absl::StatusOr<std::optional<CellSummary>> summary = ReadCellSummary(cell);
  if (!status.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(status));
    HOURCELL_CHECK(summary.ok() || absl::IsDataLoss(summary.status()));
    return;
  }
  std::string stored;
  AppendCell(columns, &stored);
  const bool is_packed = IsPacked(cell);
  HOURCELL_CHECK(is_packed || stored.size() == cell.size());
  CheckGivesBack(stored, columns);

  std::string packed;
  AppendPackedCell(columns, &packed);
  CheckGivesBack(packed, columns);
  HOURCELL_CHECK(summary.ok() && (is_packed || *summary == std::nullopt));
  HOURCELL_CHECK(ReadCellSummary(packed).value() == Summarize(columns));

  const absl::StatusOr<OpenTsdbCell> wire = ToOpenTsdb(packed);
  HOURCELL_CHECK(wire.ok());
  HOURCELL_CHECK(stored.substr(1) == wire->qualifiers + wire->values);
}

}  // namespace
}  // namespace hourcell

// Any cells decode to points that encode as they were or are refused with kDataLoss, and merging
// them gives the same cell however they are grouped. Input: parts of a length byte and a cell each.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  std::vector<std::string_view> cells;
  while (!input.empty() && cells.size() < kCellsMax)
    cells.push_back(TakePart(&input));
  for (const std::string_view cell : cells)
    CheckDecode(cell);
  if (cells.empty()) return 0;

  const std::string merged = Merged("", cells);
  CheckDecode(merged);
  if (HasDayCell(merged)) return 0;
  const std::span<const std::string_view> all(cells);
  // One grouping an input: all of them would be the square of the cells in work.
  if (cells.size() < 2) return 0;
  const size_t cut = 1 + size % (cells.size() - 1);
  const std::string front = Merged("", all.first(cut));
  const std::string back = Merged("", all.subspan(cut));
  const std::string_view operand = back;
  HOURCELL_CHECK(Merged(front, all.subspan(cut)) == merged);
  HOURCELL_CHECK(Merged(front, {&operand, 1}) == merged);
  return 0;
}
