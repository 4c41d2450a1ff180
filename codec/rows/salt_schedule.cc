#include "codec/rows/salt_schedule.h"

#include <memory>
#include <utility>

#include "codec/base/status_macros.h"

namespace hourcell {

SaltSchedule::SaltSchedule(SaltEpochs epochs)
    : first_(std::make_unique<const SaltEpochs>(std::move(epochs))), epochs_(first_.get()) {}

absl::Status SaltSchedule::Append(const SaltEpoch& epoch) {
  MutexLock lock(&mutex_);
  SaltEpochs longer = epochs();
  HOURCELL_RETURN_IF_ERROR(longer.Append(epoch));
  later_.push_back(std::make_unique<const SaltEpochs>(std::move(longer)));
  epochs_.store(later_.back().get(), std::memory_order_release);
  return absl::OkStatus();
}

}  // namespace hourcell
