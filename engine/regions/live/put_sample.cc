#include "engine/regions/live/put_sample.h"

#include "codec/base/check.h"

namespace hourcell {

void PutSample::Keep(const SampledPut& put) {
  MutexLock lock(&mutex_);
  if (puts_.size() < kSampleMax) puts_.push_back(put);
}

PutSample::Taken PutSample::Take() {
  MutexLock lock(&mutex_);
  Taken taken{.puts = std::exchange(puts_, {})};
  // Points of an incomplete block are counted with the next put that is taken.
  if (taken.puts.empty()) return taken;
  const uint64_t points = points_.load(std::memory_order_relaxed);
  HOURCELL_DCHECK(points >= points_taken_);
  taken.points = points - std::exchange(points_taken_, points);
  return taken;
}

}  // namespace hourcell
