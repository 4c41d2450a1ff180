#include "engine/names/metrics_in_use.h"

namespace hourcell {

bool MetricsInUse::Has(Uid metric, uint64_t changes) const {
  ReaderLock lock(&mutex_);
  return changes == changes_ && metrics_.contains(metric);
}

void MetricsInUse::Add(Uid metric, uint64_t changes) {
  WriterLock lock(&mutex_);
  // A slow look-up ends after a fast one with a later count, which stays.
  if (changes < changes_) return;
  if (changes > changes_) metrics_.clear();
  changes_ = changes;
  if (metrics_.size() < metrics_max_) metrics_.insert(metric);
}

size_t MetricsInUse::size() const {
  ReaderLock lock(&mutex_);
  return metrics_.size();
}

}  // namespace hourcell
