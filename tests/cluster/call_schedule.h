// CallSchedule: runs several processes of a test, each a thread, one call of the engine at a time,
// in an order that the test chooses. So the steps of a protocol can be put in every order.
//
// A process makes its calls one after the other, with a client whose app profile is its index in
// decimal digits: "0", "1". Calls with another profile are not held.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "codec/base/mutex.h"
#include "tests/support/bigtable/fake_bigtable.h"

namespace hourcell {

class CallSchedule {
 public:
  // The next call: its process, among those with a pending call, and its fate.
  struct Choice {
    size_t process = 0;
    FakeBigtable::Fate fate = FakeBigtable::Fate::kAnswered;
  };
  // `waiting`: the processes that have a call, ascending; never empty. `last`: whose call was made
  // before; the number of processes at first.
  using Choose = std::function<Choice(const std::vector<size_t>& waiting, size_t last)>;

  // Holds the calls of `fake`, which is borrowed, until this ends.
  explicit CallSchedule(FakeBigtable* fake);
  ~CallSchedule();
  CallSchedule(const CallSchedule&) = delete;
  CallSchedule& operator=(const CallSchedule&) = delete;

  // Runs the processes until all have returned.
  void Run(const std::vector<std::function<void()>>& processes, const Choose& choose);

  // How many calls were made so far. Thread-safe.
  size_t calls() const;

 private:
  enum class State : uint8_t { kRuns, kWaits, kEnded };

  // For a call: returns when it may be made, with its fate.
  FakeBigtable::Fate Hold(const std::string& profile);
  bool AnyRuns() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  FakeBigtable& fake_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<State> states_ ABSL_GUARDED_BY(mutex_);
  Choice granted_ ABSL_GUARDED_BY(mutex_);  // while is_granted_
  bool is_granted_ ABSL_GUARDED_BY(mutex_) = false;
  size_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Goes through all schedules of a test with at most a given number of switches from a process that
// could have continued to another one.
class EveryOrder {
 public:
  explicit EveryOrder(int changes_max) : changes_max_(changes_max) {}

  // Moves to the next schedule; false: all are done.
  bool Next();
  // For CallSchedule::Run, once a schedule.
  CallSchedule::Choice Choose(const std::vector<size_t>& waiting, size_t last);

  // How to see the schedule again: the process of each call.
  std::string ToString() const;

 private:
  struct Decision {
    std::vector<size_t> options;  // the first is the one without a change
    size_t taken = 0;             // index in them
    int changes = 0;              // before it
  };

  const int changes_max_;
  bool is_first_ = true;
  std::vector<Decision> decisions_;
  size_t at_ = 0;  // in them, of the schedule under way
};

}  // namespace hourcell
