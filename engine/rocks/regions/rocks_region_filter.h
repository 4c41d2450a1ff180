// Limits a region's files to its range: LSM compactions drop rows of other ranges, which a region
// has from its parents after a split until its files are rewritten.

#pragma once

#include <memory>
#include <utility>

#include <rocksdb/options.h>

#include "codec/base/mutex.h"
#include "engine/regions/region_info.h"

namespace hourcell {

// The range of a region for its filters. It changes for a family that is opened before its region
// is known, and for a region that takes over an empty neighbour. Thread-safe.
class RegionBounds {
 public:
  // All keys.
  RegionBounds() = default;
  explicit RegionBounds(RegionRange range) : range_(std::move(range)) {}

  RegionRange Get() const;
  void Set(RegionRange range);

 private:
  mutable Mutex mutex_;
  RegionRange range_ ABSL_GUARDED_BY(mutex_);
};

// Adds the filter to the options of a family, ahead of the filter that they have.
void AddRegionFilter(std::shared_ptr<const RegionBounds> bounds,
                     rocksdb::ColumnFamilyOptions* family);

}  // namespace hourcell
