// MetricsHandler: /metrics, the server's statistics for Prometheus: every counter, gauge and
// histogram of Stats, the sizes of each region, and the process.
//
// It never waits for a thread that writes points. Thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/region_admin.h"
#include "engine/tsdb.h"
#include "server/http/http_message.h"
#include "server/monitor/metrics_writer.h"

namespace hourcell {

// The sizes of regions are cached for this time.
inline constexpr int64_t kRegionFiguresMs = 10'000;

// Writes all counters, gauges and histograms of `stats`, as families sorted by name.
void WriteStats(const Stats& stats, MetricsWriter* out);

class MetricsHandler {
 public:
  struct Settings {
    // The regions of a table with more regions than this are omitted; 0 = always.
    int64_t regions_max = 0;
  };
  // Both are borrowed and outlive the object.
  MetricsHandler(Tsdb* tsdb, Clock* clock, Settings settings);

  HttpResponse Handle(const HttpRequest& request);

 private:
  struct TableFigures {
    std::string table;
    std::vector<ListedRegion> regions;
  };
  using Figures = std::vector<TableFigures>;

  std::shared_ptr<const Figures> RegionFigures();
  void WriteRegions(MetricsWriter* out);

  Tsdb* const tsdb_;
  Clock* const clock_;
  const Settings settings_;
  const int64_t started_ms_;
  Mutex mutex_;
  std::shared_ptr<const Figures> figures_ ABSL_GUARDED_BY(mutex_);  // null: not yet read
  int64_t figures_ms_ ABSL_GUARDED_BY(mutex_) = 0;                  // by MonotonicMs
};

}  // namespace hourcell
