// MetricsParser: reads a page of /metrics by the grammar of its format, more strictly than
// Prometheus does, and returns its fault.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/monitor/metrics_writer.h"

namespace hourcell {

struct ParsedSample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

struct ParsedFamily {
  std::string name;
  std::string type;
  std::string help;
  std::vector<ParsedSample> samples;
};

struct ParsedMetrics {
  std::vector<ParsedFamily> families;
  std::vector<std::string> faults;  // "line 7: ...", empty if the page is of the format

  // Null if absent.
  const ParsedFamily* Family(std::string_view name) const;
  // The value of the sample with exactly these labels; -1 if absent.
  double Value(std::string_view name, const std::map<std::string, std::string>& labels = {}) const;
};

ParsedMetrics ParseMetrics(std::string_view page, MetricsFormat format);

}  // namespace hourcell
