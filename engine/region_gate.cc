#include "engine/region_gate.h"

#include "codec/base/check.h"

namespace hourcell {

bool RegionGate::Enter() {
  MutexLock lock(&mutex_);
  while (state_ == State::kClosed)
    changed_.Wait(&mutex_);
  if (state_ == State::kGone) return false;
  ++inside_;
  return true;
}

void RegionGate::Leave() {
  MutexLock lock(&mutex_);
  HOURCELL_DCHECK(inside_ > 0);
  if (--inside_ == 0 && state_ == State::kClosed) changed_.NotifyAll();
}

void RegionGate::Close() {
  MutexLock lock(&mutex_);
  HOURCELL_CHECK(state_ == State::kOpen);
  state_ = State::kClosed;
  while (inside_ > 0)
    changed_.Wait(&mutex_);
}

void RegionGate::Open() {
  MutexLock lock(&mutex_);
  HOURCELL_CHECK(state_ == State::kClosed);
  state_ = State::kOpen;
  changed_.NotifyAll();
}

void RegionGate::Abandon() {
  MutexLock lock(&mutex_);
  HOURCELL_CHECK(state_ == State::kClosed);
  state_ = State::kGone;
  changed_.NotifyAll();
}

}  // namespace hourcell
