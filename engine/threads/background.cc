#include "engine/threads/background.h"

#include <string>
#include <utility>

namespace hourcell {

Background::Background(std::string name, int64_t interval_ms, std::function<void()> task)
    : interval_ms_(interval_ms), task_(std::move(task)) {
  if (interval_ms_ > 0) thread_ = NamedThread(std::move(name), [this] { Loop(); });
}

Background::~Background() {
  {
    MutexLock lock(&mutex_);
    is_stopping_ = true;
  }
  changed_.NotifyAll();
  thread_.Join();
}

void Background::Wake() {
  MutexLock lock(&mutex_);
  is_woken_ = true;
  changed_.NotifyAll();
}

void Background::Loop() {
  while (true) {
    {
      MutexLock lock(&mutex_);
      if (!is_stopping_ && !is_woken_) changed_.WaitFor(&mutex_, interval_ms_);
      if (is_stopping_) return;
      is_woken_ = false;
    }
    task_();
  }
}

}  // namespace hourcell
