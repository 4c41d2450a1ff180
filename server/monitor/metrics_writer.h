// MetricsWriter: prints metrics in the text formats of Prometheus: 0.0.4 and OpenMetrics 1.0.
//
//   MetricsWriter out(MetricsFormat::kPrometheus);
//   out.Begin({.name = "hourcell_rpc_errors", .type = MetricType::kCounter, .help = "..."});
//   out.Add({{"type", "line_too_long"}}, 3);
//   std::string page = std::move(out).Finish();
//
// Families must not repeat, nor the labels within a family. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/stats.h"

namespace hourcell {

enum class MetricsFormat : uint8_t { kPrometheus, kOpenMetrics };

enum class MetricType : uint8_t { kCounter, kGauge, kHistogram };

// The common part of the lines of one name.
struct MetricFamily {
  std::string name;  // without the suffixes _total, _bucket, _sum and _count
  MetricType type = MetricType::kGauge;
  std::string_view help;  // one sentence
};

// The value of Content-Type.
std::string_view ContentTypeOf(MetricsFormat format);

// The format that an Accept header prefers; kPrometheus by default.
MetricsFormat PreferredFormat(std::string_view accept);

class MetricsWriter {
 public:
  explicit MetricsWriter(MetricsFormat format) : format_(format) {}

  void Begin(MetricFamily family);

  // Adds one line of the family. REQUIRES: Begin was called for a counter or gauge.
  void Add(const StatTags& labels, int64_t value);
  void AddFloat(const StatTags& labels, double value);

  // Adds all lines of one histogram, in seconds. REQUIRES: Begin was called for a histogram.
  void AddHistogram(const HistogramSample& sample);

  std::string Finish() &&;

 private:
  void AppendLine(std::string_view suffix,
                  const StatTags& labels,
                  std::string_view le,
                  std::string_view value);

  const MetricsFormat format_;
  MetricFamily family_;
  std::string out_;
};

}  // namespace hourcell
