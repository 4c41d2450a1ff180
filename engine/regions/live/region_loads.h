// RegionLoads: the rows written to each region of the data table, for the split policies that use
// the load: whether the rows ascend (append_detector.h), and where the load is (load_sampler.h).
//
// A row counts when its cells are written, not when its points come: an hour of points is one
// request. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/base/mutex.h"
#include "engine/regions/region_map.h"
#include "engine/regions/split/append_detector.h"
#include "engine/regions/split/load_sampler.h"
#include "engine/regions/split/split_settings.h"
#include "engine/table/table.h"

namespace hourcell {

class RegionLoads {
 public:
  explicit RegionLoads(const SplitSettings& settings) : settings_(settings) {}

  // Which regions there are from now on. Those that are gone are forgotten; of each that is new,
  // `largest_key` gives the largest row, or nothing. They tile the table.
  void SetRegions(const std::vector<RegionInfo>& regions,
                  const std::function<std::string(const RegionInfo&)>& largest_key);

  // Rows that were written. Nothing before the first SetRegions.
  void Record(uint64_t now_ms, std::span<const Mutation> rows);

  struct Load {
    double append_share = 0;
    bool is_cold = true;  // fewer rows were written than the append detector looks back at
    std::string largest_key = {};
    LoadVerdict verdict = {};
  };
  // The load of a region of SetRegions.
  Load Of(RegionId id, uint64_t now_ms) const;

 private:
  struct Watched {
    Watched(const SplitSettings& settings, const RegionInfo& region, const std::string& largest)
        : start(region.range.start),
          append(settings.append.window, largest),
          load(settings.load, /*seed=*/region.id.value) {}
    std::string start;
    AppendDetector append;
    LoadSampler load;
  };

  const SplitSettings settings_;
  mutable Mutex mutex_;
  std::unique_ptr<const RegionMap> map_ ABSL_GUARDED_BY(mutex_);
  std::map<RegionId, Watched> watched_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
