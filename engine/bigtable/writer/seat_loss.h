// SeatLoss: why this process is not the writer of a store any more. The seat and the journal share
// it: whoever finds out first says so. Thread-safe.

#pragma once

#include <string>

#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "codec/base/status_copy.h"

namespace hourcell {

class SeatLoss {
 public:
  // The first reason stays.
  void Lose(const absl::Status& why) {
    MutexLock lock(&mutex_);
    if (why_.ok()) why_ = absl::FailedPreconditionError(std::string(why.message()));
  }
  // kFailedPrecondition, or OK while this process is the writer.
  absl::Status status() const {
    MutexLock lock(&mutex_);
    return CopyStatus(why_);
  }

 private:
  mutable Mutex mutex_;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
