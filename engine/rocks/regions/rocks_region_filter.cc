#include "engine/rocks/regions/rocks_region_filter.h"

#include <string>
#include <string_view>

#include <rocksdb/compaction_filter.h>

// Why a filter and not a range deletion: an import of files loses range deletions, so the rows of a
// sister would come back (docs/decisions/0011). The filter drops them in any LSM compaction, and a
// trim in the background starts one.

namespace hourcell {
namespace {

class RegionFilter : public rocksdb::CompactionFilter {
 public:
  // `next` may be null.
  RegionFilter(RegionRange range, std::unique_ptr<rocksdb::CompactionFilter> next)
      : range_(std::move(range)), next_(std::move(next)) {}

  const char* Name() const override { return "hourcell.region"; }

  // Not Filter, which RocksDB does not call for merge operands.
  Decision FilterV2(int level,
                    const rocksdb::Slice& key,
                    ValueType type,
                    const rocksdb::Slice& value,
                    std::string* new_value,
                    std::string* skip_until) const override {
    if (!range_.Contains(std::string_view(key.data(), key.size()))) return Decision::kRemove;
    if (next_ == nullptr) return Decision::kKeep;
    return next_->FilterV2(level, key, type, value, new_value, skip_until);
  }

 private:
  const RegionRange range_;
  const std::unique_ptr<rocksdb::CompactionFilter> next_;
};

class RegionFilterFactory : public rocksdb::CompactionFilterFactory {
 public:
  RegionFilterFactory(std::shared_ptr<const RegionBounds> bounds,
                      std::shared_ptr<rocksdb::CompactionFilterFactory> next)
      : bounds_(std::move(bounds)), next_(std::move(next)) {}

  const char* Name() const override { return "hourcell.region"; }

  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& context) override {
    std::unique_ptr<rocksdb::CompactionFilter> next =
        next_ == nullptr ? nullptr : next_->CreateCompactionFilter(context);
    RegionRange range = bounds_->Get();
    if (range == RegionRange()) return next;
    return std::make_unique<RegionFilter>(std::move(range), std::move(next));
  }

 private:
  const std::shared_ptr<const RegionBounds> bounds_;
  const std::shared_ptr<rocksdb::CompactionFilterFactory> next_;
};

}  // namespace

RegionRange RegionBounds::Get() const {
  MutexLock lock(&mutex_);
  return range_;
}

void RegionBounds::Set(RegionRange range) {
  MutexLock lock(&mutex_);
  range_ = std::move(range);
}

void AddRegionFilter(std::shared_ptr<const RegionBounds> bounds,
                     rocksdb::ColumnFamilyOptions* family) {
  family->compaction_filter_factory =
      std::make_shared<RegionFilterFactory>(std::move(bounds), family->compaction_filter_factory);
}

}  // namespace hourcell
