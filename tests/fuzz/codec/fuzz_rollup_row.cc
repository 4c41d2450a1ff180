#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "codec/rollups/rollup_row.h"
#include "tests/fuzz/fuzz_input.h"

// The cells of any row of rollups: refused, or points whose cells give the same points. Input: per
// cell two parts of a length byte and bytes, then a write time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  static const std::vector<RollupAggregate> aggregates = {{.name = "sum", .id = 0},
                                                          {.name = "count", .id = 1}};
  static const absl::StatusOr<RollupInterval> hours =
      RollupInterval::Parse({.interval = "1h", .row_span = "1d"});
  HOURCELL_CHECK(hours.ok());
  std::string_view input = InputText(data, size);
  std::vector<RollupCell> cells;
  while (!input.empty() && cells.size() < 32) {
    const std::string_view qualifier = TakePart(&input);
    const std::string_view value = TakePart(&input);
    cells.push_back({.qualifier = qualifier, .value = value, .written = TakeByte(&input)});
  }
  const absl::StatusOr<RollupRow> row = ReadRollupRow(*hours, 0, aggregates, cells);
  if (!row.ok()) return 0;
  for (const auto& [name, points] : *row) {
    const auto aggregate = std::ranges::find(aggregates, name, &RollupAggregate::name);
    HOURCELL_CHECK(aggregate != aggregates.end() && !points.empty());
    for (const RollupPoint& point : points) {
      const int64_t slot = point.time_s / hours->seconds();
      if (slot >= kRollupSlotsMax) continue;
      std::string qualifier;
      AppendRollupQualifier(static_cast<uint8_t>(aggregate->id), static_cast<uint32_t>(slot), 0,
                            &qualifier);
      const auto parsed = ParseRollupQualifier(qualifier, aggregates);
      HOURCELL_CHECK(parsed.ok() && parsed->aggregate == name && parsed->slot == slot);
    }
  }
  return 0;
}
