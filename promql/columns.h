// Columns: the values of series at the steps of an evaluation, and points as they are stored.
//
// An expression is evaluated once for all steps: start, start + step, ... A vector is a list of
// series, each with a column of one double a step; kNoValue where the series has no element at that
// step. A scalar is one such column without labels and without gaps.
//
// Native histograms are in a second array, which is empty in the usual case. Where an element is a
// histogram, the column has kHistogram.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "promql/histograms/native_histogram.h"
#include "promql/labels.h"

namespace hourcell::promql {

// Bits of three NaNs with a meaning. All other NaNs are values.
inline constexpr uint64_t kStaleBits = 0x7ff0000000000002;  // as Prometheus writes it
// A quiet NaN, because compilers may make signaling constants quiet. Never stored.
inline constexpr uint64_t kNoValueBits = 0x7ff80000000000a5;
inline constexpr uint64_t kHistogramBits = 0x7ff80000000000a6;  // as kNoValueBits
inline constexpr double kStale = std::bit_cast<double>(kStaleBits);
inline constexpr double kNoValue = std::bit_cast<double>(kNoValueBits);
inline constexpr double kHistogram = std::bit_cast<double>(kHistogramBits);
inline bool IsStale(double value) {
  return std::bit_cast<uint64_t>(value) == kStaleBits;
}
inline bool IsNoValue(double value) {
  return std::bit_cast<uint64_t>(value) == kNoValueBits;
}
inline bool IsHistogram(double value) {
  return std::bit_cast<uint64_t>(value) == kHistogramBits;
}

// The steps of an evaluation, in Unix milliseconds. INVARIANT: count >= 1; step_ms >= 1.
struct Steps {
  int64_t start_ms = 0;
  int64_t step_ms = 1;
  size_t count = 1;
  int64_t at(size_t i) const { return start_ms + static_cast<int64_t>(i) * step_ms; }
  int64_t end_ms() const { return at(count - 1); }
  friend bool operator==(const Steps&, const Steps&) = default;
};

// A series of a vector. INVARIANT: values.size() is the count of steps; histograms is empty, or has
// as many elements, one that is not null where `values` has kHistogram.
struct SeriesColumn {
  Labels labels = {};
  std::vector<double> values = {};
  std::vector<HistogramPointer> histograms = {};
};
using Vector = std::vector<SeriesColumn>;

// Points of one series, ascending by time; `histograms` as in SeriesColumn. Borrowed.
struct PointsView {
  std::span<const int64_t> times = {};  // Unix milliseconds
  std::span<const double> values = {};
  // The number of points that each replaces, in the answer to a request with `needs`; empty: one.
  std::span<const uint32_t> weights = {};
  std::span<const HistogramPointer> histograms = {};
  size_t size() const { return times.size(); }
};
// The same, owned.
struct SeriesPoints {
  Labels labels = {};
  std::vector<int64_t> times = {};
  std::vector<double> values = {};
  std::vector<uint32_t> weights = {};
  std::vector<HistogramPointer> histograms = {};
  PointsView view() const { return {times, values, weights, histograms}; }
};

}  // namespace hourcell::promql
