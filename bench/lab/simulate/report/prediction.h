// Predictions: advice on a design from a simulated run, in words: problems, causes and remedies;
// and recommended settings. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/lab/simulate/simulation.h"

namespace hourcell {

enum class PredictionKind : uint8_t {
  kDominantRow,     // a row as large as a region: a split cannot relieve it
  kPrefixTooShort,  // groups kept whole are larger than regions (HBASE-23620)
  kHotRegion,       // one region takes most of the writes of each moment
  kUnusedRegions,   // pre-split regions without any key
  kEmptyRegions,    // left by a TTL
  kCycleTooShort,   // the time between two laps of a cyclic key
  kFewSeries,       // too few series for the buckets of a salt
  kMemory,          // more regions than fit into memory
  kBlockedWrites,
  kPresplit,    // the recommended number of first regions
  kSampleSize,  // the expected evenness of a pre-split by sample
};

std::string_view PredictionName(PredictionKind kind);

struct Prediction {
  PredictionKind kind = PredictionKind::kPresplit;
  bool is_warning = false;  // else advice
  std::string text = {};
};

// The predictions from a run; warnings first.
std::vector<Prediction> Predict(const SimulationResult& result);

// The fault of a cyclic distributor: the rule period >= TTL + 2 x the longest time between major
// LSM compactions, by these settings. Empty for any other distributor, and if the rule is kept.
std::string CycleFault(std::string_view distributor, const ModelSettings& settings);

}  // namespace hourcell
