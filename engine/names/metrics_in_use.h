// MetricsInUse: the metrics that had series when they were looked up, so that a list of many
// metrics opens a cursor only for those that it meets first. Each look-up has the count of changes
// (DroppingSeries::changes) that was read before it: dropped series raise the count, and what was
// found at another count is forgotten. Metrics without series are not kept, because a put would
// have to take them out. Takes at most 18 MiB. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>

#include <absl/container/flat_hash_set.h>

#include "codec/base/mutex.h"
#include "codec/rows/uid.h"

namespace hourcell {

class MetricsInUse {
 public:
  explicit MetricsInUse(size_t metrics_max = size_t{1} << 20) : metrics_max_(metrics_max) {}

  // True: the metric had series at this count. False: look it up.
  bool Has(Uid metric, uint64_t changes) const;

  // The metric had series after the count was read. Beyond the maximum, nothing is kept.
  void Add(Uid metric, uint64_t changes);

  size_t size() const;

 private:
  const size_t metrics_max_;
  mutable SharedMutex mutex_;
  uint64_t changes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_set<Uid> metrics_ ABSL_GUARDED_BY(mutex_);  // found at `changes_`
};

}  // namespace hourcell
