// Messages of Prometheus' remote write, as a sender makes them.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/inputs/prom_write_request.h"

namespace hourcell {

struct PromTestSeries {
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<PromSample> samples = {};
  size_t histograms = 0;
  size_t exemplars = 0;
};

// The message of either version.
std::string PromMessage(PromWriteVersion version, const std::vector<PromTestSeries>& series);

// A block of snappy.
std::string SnappyBlock(const std::string& text);

}  // namespace hourcell
