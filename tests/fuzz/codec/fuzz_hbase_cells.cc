#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "codec/cells/hbase_cells.h"
#include "tests/fuzz/fuzz_input.h"

// Any cells of a row are refused with kDataLoss, or compact into one cell of ascending offsets
// that compacts to itself. Input: per cell two parts of a length byte and bytes, then a write
// time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  std::vector<HBaseCell> cells;
  while (!input.empty() && cells.size() < 32) {
    const std::string_view qualifier = TakePart(&input);
    const std::string_view value = TakePart(&input);
    cells.push_back({.qualifier = qualifier, .value = value, .write_time_ms = TakeByte(&input)});
  }

  const auto row = CompactRow(cells);
  if (!row.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(row.status()));
    return 0;
  }
  if (row->qualifier.empty()) return 0;
  const HBaseCell cell{.qualifier = row->qualifier, .value = row->value};
  CellColumns points;
  HOURCELL_CHECK(DecodeHBaseCell(cell, &points).ok());
  HOURCELL_CHECK(std::adjacent_find(points.offset_ms.begin(), points.offset_ms.end(),
                                    std::greater_equal<>()) == points.offset_ms.end());
  const auto again = CompactRow({&cell, 1});
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(!again->rewritten);
  HOURCELL_CHECK(again->qualifier == row->qualifier && again->value == row->value);
  return 0;
}
