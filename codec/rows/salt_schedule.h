// SaltSchedule: the salt epochs of an open store. Readers may use them while another epoch is
// added: epochs() returns a value that never changes and lives as long as the schedule.
// Thread-safe.

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

  // The current epochs.
  const SaltEpochs& epochs() const { return *epochs_.load(std::memory_order_acquire); }

  // SaltEpochs::Append: readers see the new epoch from now on, unless it fails. Errors as there.
  absl::Status Append(const SaltEpoch& epoch);

 private:
  const std::unique_ptr<const SaltEpochs> first_;
  std::atomic<const SaltEpochs*> epochs_;
  Mutex mutex_;
  // The schedules after the first, the last one in force: fewer than SaltEpochs::kEpochsMax.
  std::vector<std::unique_ptr<const SaltEpochs>> later_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
