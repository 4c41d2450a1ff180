// ReadCost: estimates the cost of reading rows by each method, and picks the cheapest. Pure.

#pragma once

#include <cstdint>
#include <span>

#include "engine/query/query_spec.h"

namespace hourcell {

struct ReadRequest {
  std::span<const uint32_t> series;  // positions of the wanted ones, ascending
  uint64_t metric_series = 0;        // how many the metric has
  bool knows_all = false;            // the positions are those among all series of the metric
  uint64_t hours = 0;
  uint32_t buckets = 1;  // salt buckets a scan has to visit
};

struct ReadCost {
  ReadMethod method = ReadMethod::kPointReads;  // the cheapest
  double us = 0;                                // roughly, with everything in the cache
  uint64_t rows = 0;                            // that are expected, if each series has every hour
};

ReadCost EstimateRead(const ReadRequest& request);

}  // namespace hourcell
