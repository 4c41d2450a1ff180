// Messages of Prometheus' remote write and read, as a client makes and reads them.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "server/inputs/prometheus/prom_read_request.h"
#include "server/inputs/prometheus/prom_write_request.h"

namespace hourcell {

struct PromTestSeries {
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<PromSample> samples = {};
  size_t histograms = 0;
  size_t exemplars = 0;
  std::vector<std::string> native = {};  // messages of native histograms
};

// The message of either version.
std::string PromMessage(PromWriteVersion version, const std::vector<PromTestSeries>& series);

// A message of remote read. `types`: the response types that are accepted.
std::string PromReadMessage(const std::vector<PromReadQuery>& queries,
                            const std::vector<int32_t>& types = {0});

// The results of an answer, each series as "up{job=p} 1@1000 2@2000", result by result; "!" for
// what is no answer.
std::vector<std::vector<std::string>> PromReadResults(const std::string& message);

// A block of snappy.
std::string SnappyBlock(const std::string& text);
std::string FromSnappy(const std::string& block);

}  // namespace hourcell
