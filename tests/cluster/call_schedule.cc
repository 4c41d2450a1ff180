#include "tests/cluster/call_schedule.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {

CallSchedule::CallSchedule(FakeBigtable* fake) : fake_(*fake) {
  fake_.SetGate([this](const std::string& profile) { return Hold(profile); });
}

CallSchedule::~CallSchedule() {
  fake_.SetGate(nullptr);
}

bool CallSchedule::AnyRuns() const {
  return std::find(states_.begin(), states_.end(), State::kRuns) != states_.end();
}

FakeBigtable::Fate CallSchedule::Hold(const std::string& profile) {
  const std::optional<uint64_t> index = ParseUnsigned(profile);
  MutexLock lock(&mutex_);
  if (!index.has_value() || *index >= states_.size()) {
    return FakeBigtable::Fate::kAnswered;
  }
  states_[*index] = State::kWaits;
  changed_.NotifyAll();
  while (!is_granted_ || granted_.process != *index)
    changed_.Wait(&mutex_);
  is_granted_ = false;
  states_[*index] = State::kRuns;
  ++calls_;
  return granted_.fate;
}

void CallSchedule::Run(const std::vector<std::function<void()>>& processes, const Choose& choose) {
  {
    MutexLock lock(&mutex_);
    states_.assign(processes.size(), State::kRuns);
  }
  std::vector<std::thread> threads;
  for (size_t i = 0; i < processes.size(); ++i) {
    threads.emplace_back([this, &processes, i] {
      processes[i]();
      MutexLock lock(&mutex_);
      states_[i] = State::kEnded;
      changed_.NotifyAll();
    });
  }
  for (size_t last = processes.size();;) {
    MutexLock lock(&mutex_);
    while (is_granted_ || AnyRuns())
      changed_.Wait(&mutex_);
    std::vector<size_t> waiting;
    for (size_t i = 0; i < states_.size(); ++i) {
      if (states_[i] == State::kWaits) waiting.push_back(i);
    }
    if (waiting.empty()) break;
    granted_ = choose(waiting, last);
    last = granted_.process;
    is_granted_ = true;
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads)
    thread.join();
  MutexLock lock(&mutex_);
  states_.clear();
}

size_t CallSchedule::calls() const {
  MutexLock lock(&mutex_);
  return calls_;
}

// The last decision that can be another one is made so, and those after it are made again.
bool EveryOrder::Next() {
  at_ = 0;
  if (std::exchange(is_first_, false)) return true;
  while (!decisions_.empty()) {
    Decision& last = decisions_.back();
    if (last.changes < changes_max_ && last.taken + 1 < last.options.size()) {
      ++last.taken;
      return true;
    }
    decisions_.pop_back();
  }
  return false;
}

CallSchedule::Choice EveryOrder::Choose(const std::vector<size_t>& waiting, size_t last) {
  if (at_ == decisions_.size()) {
    Decision decision{.options = waiting, .taken = 0, .changes = 0};
    const auto goes_on = std::find(decision.options.begin(), decision.options.end(), last);
    if (goes_on != decision.options.end()) {
      std::rotate(decision.options.begin(), goes_on, goes_on + 1);
    }
    if (!decisions_.empty()) {
      const Decision& before = decisions_.back();
      decision.changes = before.changes + (before.taken > 0 ? 1 : 0);
    }
    decisions_.push_back(std::move(decision));
  }
  const Decision& decision = decisions_[at_++];
  HOURCELL_CHECK(std::is_permutation(waiting.begin(), waiting.end(), decision.options.begin(),
                                     decision.options.end()));
  return {.process = decision.options[decision.taken]};
}

std::string EveryOrder::ToString() const {
  std::string text;
  for (const Decision& decision : decisions_)
    text += std::to_string(decision.options[decision.taken]);
  return text;
}

}  // namespace hourcell
