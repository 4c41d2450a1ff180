#include "engine/regions/live/region_loads.h"

#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/check.h"

// Why rows are counted when their cells are written and not when points come: a region is rows,
// and an hour of points is one row. Counting points would cost each put a lookup of its region.

namespace hourcell {

void RegionLoads::SetRegions(const std::vector<RegionInfo>& regions,
                             const std::function<std::string(const RegionInfo&)>& largest_key) {
  absl::StatusOr<RegionMap> map = RegionMap::Make(regions);
  HOURCELL_CHECK(map.ok());
  std::map<RegionId, Watched> next;
  for (const RegionInfo& region : regions) {
    const bool is_new = [&] {
      MutexLock lock(&mutex_);
      return !watched_.contains(region.id);
    }();
    // Reads rows, and so without the lock that writers wait for.
    if (is_new) next.try_emplace(region.id, settings_, region, largest_key(region));
  }
  MutexLock lock(&mutex_);
  for (const RegionInfo& region : regions) {
    if (const auto known = watched_.find(region.id); known != watched_.end()) {
      next.try_emplace(region.id, std::move(known->second));
    }
  }
  watched_ = std::move(next);
  map_ = std::make_unique<const RegionMap>(*std::move(map));
}

void RegionLoads::Record(uint64_t now_ms, std::span<const Mutation> rows) {
  MutexLock lock(&mutex_);
  if (map_ == nullptr) return;
  for (const Mutation& row : rows) {
    Watched& region = watched_.at(map_->regions()[map_->Find(row.key)].id);
    region.append.Record(row.key);
    region.load.RecordKey(now_ms, row.key);
  }
}

RegionLoads::Load RegionLoads::Of(RegionId id, uint64_t now_ms) const {
  MutexLock lock(&mutex_);
  const auto found = watched_.find(id);
  if (found == watched_.end()) return {};
  const Watched& region = found->second;
  return {.append_share = region.append.share(),
          .is_cold = region.append.is_cold(),
          .largest_key = region.append.largest(),
          .verdict = region.load.Judge(now_ms, region.start)};
}

}  // namespace hourcell
