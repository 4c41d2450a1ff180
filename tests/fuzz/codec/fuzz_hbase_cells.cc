#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "codec/cells/hbase_cells.h"
#include "tests/fuzz/fuzz_input.h"

// Any columns of a row are refused with kDataLoss, or compact into one column of ascending offsets
// that compacts to itself. Input: per column two parts of a length byte and bytes, then a write
// time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  std::vector<Column> columns;
  while (!input.empty() && columns.size() < 32) {
    const std::string_view qualifier = TakePart(&input);
    const std::string_view value = TakePart(&input);
    columns.push_back({.qualifier = qualifier, .value = value, .write_time_ms = TakeByte(&input)});
  }

  const auto row = CompactRow(columns);
  if (!row.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(row.status()));
    return 0;
  }
  if (row->qualifier.empty()) return 0;
  const Column column{.qualifier = row->qualifier, .value = row->value};
  CellColumns points;
  HOURCELL_CHECK(DecodeColumn(column, &points).ok());
  HOURCELL_CHECK(std::adjacent_find(points.offset_ms.begin(), points.offset_ms.end(),
                                    std::greater_equal<>()) == points.offset_ms.end());
  const auto again = CompactRow({&column, 1});
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(!again->rewritten);
  HOURCELL_CHECK(again->qualifier == row->qualifier && again->value == row->value);
  return 0;
}
