#include "engine/rocks/regions/region_gate.h"

#include "codec/base/check.h"

// Why closing does not wait for a moment without writes: steady writes never leave one. New writes
// wait instead, and closing waits only for those inside: some milliseconds.

namespace hourcell {

RegionGate::Entry RegionGate::Enter() {
  MutexLock lock(&mutex_);
  while (state_ == State::kClosed)
    changed_.Wait(&mutex_);
  if (state_ == State::kGone) return Entry::kGone;
  if (state_ == State::kFailed) return Entry::kFailed;
  ++inside_;
  return Entry::kInside;
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

void RegionGate::EndClosed(State state) {
  MutexLock lock(&mutex_);
  HOURCELL_CHECK(state_ == State::kClosed);
  state_ = state;
  changed_.NotifyAll();
}

void RegionGate::Open() {
  EndClosed(State::kOpen);
}

void RegionGate::Abandon() {
  EndClosed(State::kGone);
}

void RegionGate::Fail() {
  EndClosed(State::kFailed);
}

bool RegionGate::has_failed() const {
  MutexLock lock(&mutex_);
  return state_ == State::kFailed;
}

}  // namespace hourcell
