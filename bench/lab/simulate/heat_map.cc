#include "bench/lab/simulate/heat_map.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "engine/regions/region_name.h"

namespace hourcell {
namespace {

constexpr std::string_view kShades = " .:-=+*#%@";
constexpr size_t kLabelChars = 24;

}  // namespace

HeatMap::HeatMap(uint64_t start_ms, uint64_t step_ms, const HeatResolution& resolution)
    : start_ms_(start_ms), step_ms_(step_ms), resolution_(resolution) {
  HOURCELL_CHECK(step_ms > 0 && resolution.steps_max > 0 && resolution.steps_max % 2 == 0);
}

void HeatMap::Add(std::string_view key, uint64_t time_ms, uint64_t puts) {
  const uint64_t since_ms = time_ms - std::min(time_ms, start_ms_);
  while (since_ms / step_ms_ >= resolution_.steps_max)
    JoinPairs();
  const size_t step = since_ms / step_ms_;
  while (steps_.size() <= step)
    steps_.emplace_back(resolution_.bins);
  steps_[step].Add(key, {.cells = puts, .rows = 0, .bytes = puts}, time_ms);
}

HeatMatrix HeatMap::Matrix(std::span<const std::string> row_starts) const {
  HeatMatrix matrix{
      .row_starts = {""}, .start_ms = start_ms_, .step_ms = step_ms_, .steps = steps_.size()};
  matrix.row_starts.insert(matrix.row_starts.end(), row_starts.begin(), row_starts.end());
  for (size_t row = 0; row < matrix.rows(); ++row) {
    const std::string_view start = matrix.row_starts[row];
    std::string_view end;
    if (row + 1 < matrix.rows()) end = matrix.row_starts[row + 1];
    for (const KeyHistogram& step : steps_)
      matrix.puts.push_back(static_cast<double>(step.BytesBetween(start, end)));
  }
  return matrix;
}

std::vector<std::string> HeatMap::EvenBounds(size_t rows) const {
  KeyHistogram all(resolution_.bins * 4);
  for (const KeyHistogram& step : steps_)
    all.Merge(step);
  std::vector<std::string> bounds;
  for (size_t row = 1; row < rows; ++row) {
    std::string bound = all.KeyAt(static_cast<double>(row) / static_cast<double>(rows));
    if (!bound.empty() && (bounds.empty() || bounds.back() < bound)) {
      bounds.push_back(std::move(bound));
    }
  }
  return bounds;
}

void HeatMap::JoinPairs() {
  std::vector<KeyHistogram> joined;
  for (size_t i = 0; i < steps_.size(); i += 2) {
    joined.push_back(std::move(steps_[i]));
    if (i + 1 < steps_.size()) joined.back().Merge(steps_[i + 1]);
  }
  steps_ = std::move(joined);
  step_ms_ *= 2;
}

std::vector<std::string> ThinBounds(std::span<const std::string> starts, size_t rows_max) {
  HOURCELL_CHECK(rows_max > 0);
  const size_t every = (starts.size() + rows_max - 1) / rows_max;
  std::vector<std::string> bounds;
  for (size_t i = every; i < starts.size(); i += every)
    bounds.push_back(starts[i]);
  return bounds;
}

HeatMatrix BinnedHeat(const HeatMatrix& matrix, size_t rows_max, size_t steps_max) {
  HOURCELL_CHECK(rows_max > 0 && steps_max > 0);
  const auto parts = [](size_t count, size_t max) {
    return std::max<size_t>(1, (count + max - 1) / max);
  };
  const size_t rows_each = parts(matrix.rows(), rows_max);
  const size_t steps_each = parts(matrix.steps, steps_max);
  HeatMatrix binned{.start_ms = matrix.start_ms,
                    .step_ms = matrix.step_ms * steps_each,
                    .steps = (matrix.steps + steps_each - 1) / steps_each};
  for (size_t row = 0; row < matrix.rows(); row += rows_each)
    binned.row_starts.push_back(matrix.row_starts[row]);
  binned.puts.resize(binned.rows() * binned.steps);
  for (size_t row = 0; row < matrix.rows(); ++row) {
    for (size_t step = 0; step < matrix.steps; ++step) {
      const size_t cell = row / rows_each * binned.steps + step / steps_each;
      binned.puts[cell] += matrix.at(row, step);
    }
  }
  return binned;
}

// The ends of keys differ more than their common beginning, but the beginning shows the order.
std::string HeatRowLabel(std::string_view start) {
  std::string label = ToStringBinary(start);
  if (label.empty()) label = "(start)";
  if (label.size() > kLabelChars) label = label.substr(0, kLabelChars - 2) + "..";
  return label;
}

std::string HeatText(const HeatMatrix& matrix) {
  double most = 0;
  for (const double puts : matrix.puts)
    most = std::max(most, puts);
  std::string text;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    fmt::format_to(std::back_inserter(text), "{:<{}} |", HeatRowLabel(matrix.row_starts[row]),
                   kLabelChars);
    for (size_t step = 0; step < matrix.steps; ++step) {
      const double puts = matrix.at(row, step);
      // Any put at all must be distinguishable from 0.
      const double shade = most > 0 ? std::ceil(puts / most * (kShades.size() - 1)) : 0;
      text += kShades[static_cast<size_t>(shade)];
    }
    text += "|\n";
  }
  const double hours = static_cast<double>(matrix.step_ms) / 3.6e6;
  fmt::format_to(std::back_inserter(text),
                 "{:<{}}  a character is {:.2f} h, {} characters; @ = {:.0f} puts\n", "",
                 kLabelChars, hours, matrix.steps, most);
  return text;
}

}  // namespace hourcell
