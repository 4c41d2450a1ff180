// SplitWorker: cuts regions of the store while somebody else writes to it, and knows when it did.
// The one place of the layout benchmark that changes regions of a TableStore, and the one that
// starts a thread. Thread-compatible: for one writer.

#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "engine/table/region_store.h"

namespace hourcell::layouts {

// Nanoseconds of a clock that only goes forward.
int64_t MonotonicNs();

struct TimeSpanNs {
  int64_t begin = 0;
  int64_t end = 0;

  bool Overlaps(const TimeSpanNs& other) const { return begin < other.end && other.begin < end; }
};

class SplitWorker {
 public:
  // The data table of `store`, which is borrowed.
  explicit SplitWorker(RegionStore* store);
  ~SplitWorker();
  SplitWorker(const SplitWorker&) = delete;
  SplitWorker& operator=(const SplitWorker&) = delete;

  // Before anything is written.
  absl::Status Presplit(std::span<const std::string> keys);

  // Has the region of `key` cut there, soon. Splits are made in the order they were asked for.
  void Split(std::string key);

  // To be called between writes. Returns at once if no split is under way or asked for; else after
  // a millisecond, so that the writer does not run away from the splits, and if more than two are
  // asked for, after all but two were made.
  void Pace();

  // Waits for all splits, gives back what daughters hold of each other's files, and checks that the
  // store's regions begin with `starts`. The first error of any split.
  absl::Status Finish(std::span<const std::string> starts);

  // When each split was under way. After Finish.
  const std::vector<TimeSpanNs>& splits() const { return done_; }

 private:
  void Run();
  void StopAndJoin();
  absl::Status TrimAll();

  RegionStore& store_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::string> keys_ ABSL_GUARDED_BY(mutex_);  // the one under way included
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Of the thread, until it has ended.
  absl::Status status_;
  std::vector<TimeSpanNs> done_;
  NamedThread thread_;
};

}  // namespace hourcell::layouts
