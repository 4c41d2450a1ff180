// Predictions: what a simulated run foretells of a design, in words: what will go wrong, why, and
// what to do instead; and what to set. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/lab/simulate/simulation.h"

namespace hourcell {

enum class PredictionKind : uint8_t {
  kDominantRow,     // a row as large as a region: no split relieves it
  kPrefixTooShort,  // groups that must not be cut are larger than regions (HBASE-23620)
  kHotRegion,       // one region takes most of the writes of each moment
  kUnusedRegions,   // pre-split regions that no key falls into
  kEmptyRegions,    // what a TTL leaves
  kCycleTooShort,   // the time between two laps of a cyclic key
  kFewSeries,       // too few series for the buckets of a salt
  kMemory,          // more regions than memory has room for
  kBlockedWrites,
  kPresplit,    // how many regions to begin with
  kSampleSize,  // how even a pre-split by sample can be
};

std::string_view PredictionName(PredictionKind kind);

struct Prediction {
  PredictionKind kind = PredictionKind::kPresplit;
  bool is_warning = false;  // else advice
  std::string text = {};
};

// What the run foretells; warnings first.
std::vector<Prediction> Predict(const SimulationResult& result);

// What is wrong with a cyclic distributor: the rule period >= TTL + 2 x the longest time between
// major LSM compactions, by these settings. Empty for any other distributor, and if it is kept.
std::string CycleFault(std::string_view distributor, const ModelSettings& settings);

// How many times the mean the busiest of `buckets` buckets has to be expected to get when `series`
// series are dealt to them by a hash: 1 + sqrt(2 ln(buckets) buckets / series). REQUIRES: both > 0.
double ExpectedBucketRatio(double series, double buckets);

}  // namespace hourcell
