#include "bench/lab/layouts/split_worker.h"

#include <time.h>

#include <chrono>
#include <utility>

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell::layouts {
namespace {

constexpr int kTrimsMax = 20'000;

}  // namespace

int64_t MonotonicNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t ThreadCpuNs() {
  timespec now = {};
  HOURCELL_CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

SplitWorker::SplitWorker(RegionStore* store) : store_(*store) {
  thread_ = NamedThread("hc-split", [this] { Run(); });
}

SplitWorker::~SplitWorker() {
  StopAndJoin();
}

absl::Status SplitWorker::Presplit(std::span<const std::string> keys) {
  return store_.Presplit(TableId::kData, {.keys = {keys.begin(), keys.end()}});
}

void SplitWorker::Split(std::string key) {
  MutexLock lock(&mutex_);
  keys_.push_back(std::move(key));
  changed_.NotifyAll();
}

void SplitWorker::Pace() {
  {
    MutexLock lock(&mutex_);
    if (keys_.empty()) return;
    while (keys_.size() > 2)
      changed_.Wait(&mutex_);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void SplitWorker::Run() {
  while (true) {
    std::string key;
    {
      MutexLock lock(&mutex_);
      while (keys_.empty() && !is_stopping_)
        changed_.Wait(&mutex_);
      if (keys_.empty()) return;
      key = keys_.front();
    }
    if (status_.ok()) {  // splits after a failed one would cut the wrong region
      const int64_t begin = MonotonicNs();
      status_ = store_.Split(TableId::kData, {.keys = {key}});
      done_.push_back({.begin = begin, .end = MonotonicNs()});
    }
    MutexLock lock(&mutex_);
    keys_.pop_front();
    changed_.NotifyAll();
  }
}

void SplitWorker::StopAndJoin() {
  if (!thread_.is_joinable()) return;
  {
    MutexLock lock(&mutex_);
    is_stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

absl::Status SplitWorker::TrimAll() {
  for (int i = 0; i < kTrimsMax; ++i) {
    HOURCELL_ASSIGN_OR_RETURN(const bool has_more, store_.TrimRegions(TableId::kData));
    if (!has_more) return absl::OkStatus();
    // A file in an LSM compaction has to wait for its end.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return absl::DeadlineExceededError(
      fmt::format("regions still have rows of others after {} trims", kTrimsMax));
}

absl::Status SplitWorker::Finish(std::span<const std::string> starts) {
  StopAndJoin();
  HOURCELL_RETURN_IF_ERROR(status_);
  HOURCELL_RETURN_IF_ERROR(TrimAll());
  const std::vector<RegionInfo> regions = store_.Regions(TableId::kData);
  if (regions.size() != starts.size()) {
    return absl::DataLossError(
        fmt::format("the store has {} regions; expected {}", regions.size(), starts.size()));
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    if (regions[i].range.start == starts[i]) continue;
    return absl::DataLossError(fmt::format("region {} begins at {}; expected {}", i,
                                           ToHex(regions[i].range.start), ToHex(starts[i])));
  }
  return absl::OkStatus();
}

}  // namespace hourcell::layouts
