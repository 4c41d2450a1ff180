#include "engine/background.h"

#include <utility>

namespace hourcell {

Background::Background(int64_t interval_ms, std::function<void()> task)
    : interval_ms_(interval_ms), task_(std::move(task)) {
  if (interval_ms_ > 0) thread_ = std::thread([this] { Loop(); });
}

Background::~Background() {
  {
    MutexLock lock(&mutex_);
    is_stopping_ = true;
  }
  stop_changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void Background::Loop() {
  while (true) {
    {
      MutexLock lock(&mutex_);
      if (!is_stopping_) stop_changed_.WaitFor(&mutex_, interval_ms_);
      if (is_stopping_) return;
    }
    task_();
  }
}

}  // namespace hourcell
