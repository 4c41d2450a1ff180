// HeatMap: where in the key space the puts went, over time: what Bigtable's key visualizer shows.
// Bounded: steps are joined in pairs when there are too many, and each holds a KeyHistogram.
// Which ranges of keys the rows are is said at the end, when the regions are known.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/lab/simulate/model/key_histogram.h"

namespace hourcell {

// To be drawn. Plain values.
struct HeatMatrix {
  std::vector<std::string> row_starts = {};  // first key of each row's range, ascending
  uint64_t start_ms = 0;                     // of step 0
  uint64_t step_ms = 0;                      // width of a step
  size_t steps = 0;
  std::vector<double> puts = {};  // row by row: [row * steps + step]

  size_t rows() const { return row_starts.size(); }
  double at(size_t row, size_t step) const { return puts[row * steps + step]; }
};

// How fine a map is. A step takes some 100 bytes a bin.
struct HeatResolution {
  size_t steps_max = 96;  // an even number, and not 0
  size_t bins = 96;       // of the keys of a step, at least 2
};

class HeatMap {
 public:
  // Steps begin with `step_ms` each. REQUIRES: step_ms > 0, and what HeatResolution says.
  HeatMap(uint64_t start_ms, uint64_t step_ms, const HeatResolution& resolution = {});

  // Times may come in any order; those before the start count as the start.
  void Add(std::string_view key, uint64_t time_ms, uint64_t puts);

  // Rows that begin at the least key and at `row_starts`, ascending.
  HeatMatrix Matrix(std::span<const std::string> row_starts) const;

  // Bounds of `rows` ranges with about as many puts each: at most rows - 1, ascending.
  std::vector<std::string> EvenBounds(size_t rows) const;

 private:
  void JoinPairs();

  uint64_t start_ms_;
  uint64_t step_ms_;
  HeatResolution resolution_;
  std::vector<KeyHistogram> steps_;
};

// Which bounds of regions are the starts of rows: all but the first, or every nth of them if they
// are more than `rows_max`.
std::vector<std::string> ThinBounds(std::span<const std::string> starts, size_t rows_max);

// The matrix with at most so many rows and steps: neighbours are joined by the same number, as
// few as that takes, but for the last, which may be fewer. The puts of a cell are those of all it
// was joined from. REQUIRES: neither is 0.
HeatMatrix BinnedHeat(const HeatMatrix& matrix, size_t rows_max, size_t steps_max);

// The first key of a row, as far as there is room for it.
std::string HeatRowLabel(std::string_view start);

// The matrix as text: a line a row with its first key before it, a character a step, of
// " .:-=+*#%@" by the share of the busiest place; below it the times of both ends.
std::string HeatText(const HeatMatrix& matrix);

}  // namespace hourcell
