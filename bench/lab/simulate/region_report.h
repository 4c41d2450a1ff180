// RegionReport: the distribution of counts over regions: region-helper's classic report, and
// figures to compare with limits. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace hourcell {

struct RegionPuts {
  std::string start;  // the region's start key
  uint64_t puts = 0;
};

struct SpreadOfCounts {
  uint64_t total = 0;
  uint64_t min = 0;
  uint64_t max = 0;
  size_t hottest = 0;        // position of the first count that is `max`
  double hottest_share = 0;  // max / total
  double max_over_mean = 0;  // 1 = even
  // Standard deviation of the counts (of a sample, so n - 1), relative to their mean; 0 of a single
  // one. PredictedSpread of key_sample.h gives the expected value.
  double relative_deviation = 0;
  // Gini coefficient: 0 = even, (n - 1) / n = one region has everything.
  double gini = 0;
};

// Without counts, or with zeros only, all figures are 0.
SpreadOfCounts SpreadOf(std::span<const uint64_t> counts);

// The report of region-helper's simulator, line by line; start keys as the shell prints them:
//
//   Report Result:
//   :9973569:(1.0015434)
//   1986344a:9999295:(1.0041268)
//   total requests:19972864
//
// In parentheses the puts divided by the least of all regions, in single precision, as Java prints
// it. If a region has 0: 1.0 for such regions, inf for the others.
std::string ClassicReport(std::span<const RegionPuts> regions);

}  // namespace hourcell
