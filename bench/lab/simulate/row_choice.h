// RowChoice: the rows that a store would give the hours of a design. With the keys of a store,
// metric+hour+tags with or without salt and without a distributor, an hour of few points shares the
// row of its day, by the engine's rule (engine/days). With rows of days (the field `day`), each
// hour does. All other hours have a row each. Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/lab/simulate/input/key_maker.h"
#include "bench/lab/simulate/input/put_source.h"
#include "bench/lab/simulate/input/recent_rows.h"
#include "bench/lab/simulate/model/model_settings.h"

namespace hourcell {

// The row of a put.
struct ChosenRow {
  std::string_view key = {};
  bool begins = false;  // the put is the first of the row
};

class RowChoice {
 public:
  // `keys` makes the keys of the puts.
  RowChoice(const KeyMaker& keys, const CellSettings& cells);

  // The row of a put with the key `key`; valid until the next call and as long as `key`.
  ChosenRow RowOf(std::string_view key, const SourcePut& put);

 private:
  bool IsShared(std::string_view key, const SourcePut& put) const;

  uint32_t day_row_points_ = 0;     // 0: no hour shares a row by its points
  size_t salt_bytes_ = 0;           // before the metric
  std::optional<RecentRows> days_;  // if hours share rows
  const bool has_day_rows_;         // by the layout
  std::string day_key_;
};

}  // namespace hourcell
