// Cells of OpenTSDB's rollup tables. A row has the row key of the series with the begin of the row
// (rollup_interval.h) as its base time, and a cell for each slot and aggregate:
//
//   +-----------------------+-----------+-------+
//   | aggregate: 8 bits     | slot: 12  | flags |    the first bit: compacted; then the id
//   +-----------------------+-----------+-------+
//   | "sum:" text and colon | slot: 12  | flags |    written by OpenTSDB before 2.4
//   +-----------------------+-----------+-------+
//
//   1h in 1d, 05:00, sum (id 0), 1 byte = 00 00 50
//
// Flags and values are those of qualifiers of points (codec/qualifier.h, codec/value.h). Pure;
// thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/point.h"
#include "codec/rollups/rollup_config.h"
#include "codec/rollups/rollup_interval.h"

namespace hourcell {

// REQUIRES: id <= kRollupIdMax; slot < kRollupSlotsMax; flags < 16.
void AppendRollupQualifier(uint8_t id, uint32_t slot, uint8_t flags, std::string* out);

struct RollupQualifier {
  std::string aggregate;
  uint32_t slot = 0;
  uint8_t flags = 0;
  bool is_text = false;  // of the older form
};
// kDataLoss: another length; an id or a name that is not among `aggregates`.
absl::StatusOr<RollupQualifier> ParseRollupQualifier(std::string_view bytes,
                                                     std::span<const RollupAggregate> aggregates);

struct RollupCell {
  std::string_view qualifier;
  std::string_view value;
  uint64_t written = 0;  // its time of writing
};
struct RollupPoint {
  int64_t time_s = 0;  // begin of its interval
  Value value;
};
// The points of a row by aggregate, in the order of their names and times. Cells may be in any
// order and form. Of several cells of a slot the last one written counts, or the last one given if
// they were written at one time. kDataLoss: a cell that does not parse.
using RollupRow = std::vector<std::pair<std::string, std::vector<RollupPoint>>>;
absl::StatusOr<RollupRow> ReadRollupRow(const RollupInterval& interval,
                                        int64_t base_s,
                                        std::span<const RollupAggregate> aggregates,
                                        std::span<const RollupCell> cells);

}  // namespace hourcell
