// HeatMap: the distribution of puts over keys and time, as in Bigtable's key visualizer. Bounded:
// if there are too many steps, pairs are joined, and each holds a KeyHistogram. The caller gives
// the key ranges of the rows at the end, when the regions are known. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/lab/simulate/model/key_histogram.h"

namespace hourcell {

// A matrix for drawing.
struct HeatMatrix {
  std::vector<std::string> row_starts = {};  // first key of each row's range, ascending
  uint64_t start_ms = 0;                     // of step 0
  uint64_t step_ms = 0;                      // width of a step
  size_t steps = 0;
  std::vector<double> puts = {};  // row by row: [row * steps + step]

  size_t rows() const { return row_starts.size(); }
  double at(size_t row, size_t step) const { return puts[row * steps + step]; }
};

// The resolution of a map. A step needs about 100 bytes per bin.
struct HeatResolution {
  size_t steps_max = 96;  // an even number, and not 0
  size_t bins = 96;       // of the keys of a step, at least 2
};

class HeatMap {
 public:
  // Steps begin with `step_ms` each. REQUIRES: step_ms > 0, and the limits of HeatResolution.
  HeatMap(uint64_t start_ms, uint64_t step_ms, const HeatResolution& resolution = {});

  // Times may be in any order; those before the start count as the start.
  void Add(std::string_view key, uint64_t time_ms, uint64_t puts);

  // Rows that begin at the least key and at `row_starts`, ascending.
  HeatMatrix Matrix(std::span<const std::string> row_starts) const;

  // Bounds of `rows` ranges with about equal puts: at most rows - 1, ascending.
  std::vector<std::string> EvenBounds(size_t rows) const;

 private:
  void JoinPairs();

  uint64_t start_ms_;
  uint64_t step_ms_;
  HeatResolution resolution_;
  std::vector<KeyHistogram> steps_;
};

// The starts of rows among the bounds of regions: all except the first, or every nth if there are
// more than `rows_max`.
std::vector<std::string> ThinBounds(std::span<const std::string> starts, size_t rows_max);

// The matrix with at most `rows_max` rows and `steps_max` steps: joins equal numbers of neighbours,
// as few as possible; the last group may have fewer. A cell has the sum of the puts of its parts.
// REQUIRES: both are positive.
HeatMatrix BinnedHeat(const HeatMatrix& matrix, size_t rows_max, size_t steps_max);

// The first key of a row, cut to the width of the label.
std::string HeatRowLabel(std::string_view start);

// The matrix as text: a line a row with its first key before it, a character a step, of
// " .:-=+*#%@" by the share of the busiest place; below it the times of both ends.
std::string HeatText(const HeatMatrix& matrix);

}  // namespace hourcell
