// SaltSchedule: the salt epochs of an open store. Others read them while one more is added: what a
// reader has seen stays as it was, and may be held for as long as the schedule lives. Thread-safe.

#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "codec/rows/salt_epochs.h"

namespace hourcell {

class SaltSchedule {
 public:
  explicit SaltSchedule(SaltEpochs epochs);

  // Those of now.
  const SaltEpochs& epochs() const { return *epochs_.load(std::memory_order_acquire); }

  // SaltEpochs::Append: readers see the new epoch from now on. Errors as there; then they do not.
  absl::Status Append(const SaltEpoch& epoch);

 private:
  const std::unique_ptr<const SaltEpochs> first_;
  std::atomic<const SaltEpochs*> epochs_;
  Mutex mutex_;
  // Those after the first, the last one in force: fewer than SaltEpochs::kEpochsMax.
  std::vector<std::unique_ptr<const SaltEpochs>> later_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
