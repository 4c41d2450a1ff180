#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "codec/cells/hbase_row.h"
#include "tests/fuzz/fuzz_input.h"

// The columns of any row: each is points, an annotation, skipped or damaged. Good columns give a
// cell that decodes to the same points. Input: per column two parts of a length byte and
// bytes, then a write time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  std::vector<HBaseCell> columns;
  while (!input.empty() && columns.size() < 32) {
    const std::string_view qualifier = TakePart(&input);
    const std::string_view value = TakePart(&input);
    columns.push_back({.qualifier = qualifier, .value = value, .write_time_ms = TakeByte(&input)});
  }
  const HBaseRowContent content = ReadHBaseRow(columns);
  HOURCELL_CHECK(content.annotations.size() + content.skipped.size() + content.damaged.size() <=
                 columns.size());
  for (const DamagedColumn& damaged : content.damaged)
    HOURCELL_CHECK(!damaged.fault.empty() && damaged.index < columns.size());
  if (content.cell.empty()) return 0;
  CellColumns points;
  HOURCELL_CHECK(DecodeCell(content.cell, &points).ok() && points.size() > 0);
  const absl::StatusOr<OpenTsdbCell> stored = ToOpenTsdb(content.cell);
  HOURCELL_CHECK(stored.ok());
  const HBaseCell column{.qualifier = stored->qualifiers, .value = stored->values};
  const HBaseRowContent again = ReadHBaseRow({&column, 1});
  HOURCELL_CHECK(again.cell == content.cell && again.damaged.empty());
  return 0;
}
