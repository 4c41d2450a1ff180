#include "server/http/body/send_window.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {

void SendWindow::Add(size_t bytes) {
  MutexLock lock(&mutex_);
  unsent_bytes_ += bytes;
}

bool SendWindow::WaitForRoom() {
  MutexLock lock(&mutex_);
  while (true) {
    if (closed_ || (control_ != nullptr && control_->is_cancelled())) return false;
    if (unsent_bytes_ <= kUnsentBytesMax) return true;
    changed_.WaitFor(&mutex_, kLookAtQueryMs);
  }
}

void SendWindow::Sent(size_t bytes) {
  MutexLock lock(&mutex_);
  unsent_bytes_ -= std::min(bytes, unsent_bytes_);
  if (unsent_bytes_ <= kUnsentBytesMax) changed_.NotifyAll();
}

void SendWindow::Close() {
  MutexLock lock(&mutex_);
  closed_ = true;
  if (control_ != nullptr) control_->Cancel();
  changed_.NotifyAll();
}

void SendWindow::Bind(std::shared_ptr<QueryControl> control) {
  MutexLock lock(&mutex_);
  HOURCELL_CHECK(control_ == nullptr);
  control_ = std::move(control);
  if (closed_) control_->Cancel();
}

bool SendWindow::is_closed() const {
  MutexLock lock(&mutex_);
  return closed_;
}

size_t SendWindow::unsent_bytes() const {
  MutexLock lock(&mutex_);
  return unsent_bytes_;
}

}  // namespace hourcell
