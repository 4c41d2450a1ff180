// LossCounter: counts results that are data loss in the counter `storage.data_loss`, so that an
// operator sees damage even if the client ignores the error. Thread-safe.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/stats.h"

namespace hourcell {

class LossCounter {
 public:
  // `stats` outlives it.
  explicit LossCounter(Stats* stats) : losses_(*stats->counter("storage.data_loss")) {}

  // Returns `answer`; counts it if it is data loss.
  absl::Status Note(absl::Status answer) {
    if (absl::IsDataLoss(answer)) losses_.Add(1);
    return answer;
  }
  template <typename T>
  absl::StatusOr<T> Note(absl::StatusOr<T> answer) {
    if (absl::IsDataLoss(answer.status())) losses_.Add(1);
    return answer;
  }

 private:
  Counter& losses_;
};

}  // namespace hourcell
