// What keeps a region's files to its range: LSM compactions leave out rows of other ranges, which a
// region has of its parents from a split until its files are rewritten.

#pragma once

#include <memory>
#include <utility>

#include <rocksdb/options.h>

#include "codec/base/mutex.h"
#include "engine/regions/region_info.h"

namespace hourcell {

// The range of a region, as its filters are to see it: of a family that is opened before it is
// known whose it is, and of a region that takes in an empty neighbour. Thread-safe.
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

// Puts the filter into the options of a family, before the filter that they have.
void AddRegionFilter(std::shared_ptr<const RegionBounds> bounds,
                     rocksdb::ColumnFamilyOptions* family);

}  // namespace hourcell
