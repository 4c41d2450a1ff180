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

// A native histogram. Its count is the sum of all counts.
struct PromTestNative {
  int32_t schema = 0;
  double zero_threshold = 0;
  double zero_count = 0;
  double sum = 0;
  std::vector<std::pair<int32_t, double>> positive = {};  // by Prometheus' numbers, ascending
  std::vector<std::pair<int32_t, double>> negative = {};
  bool is_float = false;
  int32_t hint = 0;  // 3: a gauge
  int64_t ms = 0;
};
std::string PromNativeMessage(const PromTestNative& native);

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
