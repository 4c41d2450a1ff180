#include "server/put/body_work.h"

namespace hourcell {

bool BodyWork::Look() {
  if (!status_.ok()) return false;
  if (control_ != nullptr && control_->is_cancelled()) {
    status_ = absl::UnavailableError("The request was cancelled before all of it was stored");
  } else if (deadline_ms_ != 0 && clock_->MonotonicMs() > deadline_ms_) {
    status_ = absl::UnavailableError(
        "The request took longer than tsd.http.request.work_timeout; send it in smaller parts");
  }
  return status_.ok();
}

}  // namespace hourcell
