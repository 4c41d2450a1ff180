// MetricsHandler: /metrics, what the server counts as Prometheus reads it: every counter, gauge and
// histogram of Stats, what each region takes, and the process.
//
// Waits for nothing that a writer of points holds. Thread-safe.

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

// How long what the regions take is not asked for again.
inline constexpr int64_t kRegionFiguresMs = 10'000;

// All counters, gauges and histograms of `stats`, as families sorted by name.
void WriteStats(const Stats& stats, MetricsWriter* out);

class MetricsHandler {
 public:
  struct Settings {
    // A table with more regions than this is given as a whole only; 0 = each table.
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
  std::shared_ptr<const Figures> figures_ ABSL_GUARDED_BY(mutex_);  // null: never asked for
  int64_t figures_ms_ ABSL_GUARDED_BY(mutex_) = 0;                  // by MonotonicMs
};

}  // namespace hourcell
