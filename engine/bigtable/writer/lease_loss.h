// LeaseLoss: why this process lost the writer lease. The lease and the journal share it and record
// the first reason. Thread-safe.

#pragma once

#include <functional>
#include <string>
#include <utility>

#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "codec/base/status_copy.h"

namespace hourcell {

class LeaseLoss {
 public:
  // `on_lost` is called once, with the first reason; may be null.
  explicit LeaseLoss(std::function<void(const absl::Status& why)> on_lost = nullptr)
      : on_lost_(std::move(on_lost)) {}

  // Only the first call has an effect.
  void Lose(const absl::Status& why) {
    const absl::Status reason = absl::FailedPreconditionError(std::string(why.message()));
    {
      MutexLock lock(&mutex_);
      if (!why_.ok()) return;
      why_ = CopyStatus(reason);
    }
    if (on_lost_) on_lost_(reason);
  }
  // OK while this process is the writer, else kFailedPrecondition.
  absl::Status status() const {
    MutexLock lock(&mutex_);
    return CopyStatus(why_);
  }

 private:
  const std::function<void(const absl::Status& why)> on_lost_;
  mutable Mutex mutex_;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
