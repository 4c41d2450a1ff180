// SplitWorker: cuts regions of the store while another thread writes, and records the times. Only
// this class of the layout benchmark changes regions of a TableStore, and only it starts a thread.
// Thread-compatible: for one writer.

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

// Nanoseconds of a monotonic clock.
int64_t MonotonicNs();

// Nanoseconds that a processor worked for the calling thread. Other load of the machine changes it
// less than it changes elapsed time.
int64_t ThreadCpuNs();

struct TimeSpanNs {
  int64_t begin = 0;
  int64_t end = 0;

  bool Overlaps(const TimeSpanNs& other) const { return begin < other.end && other.begin < end; }
};

class SplitWorker {
 public:
  // Splits the data table of `store`, which is borrowed.
  explicit SplitWorker(RegionStore* store);
  ~SplitWorker();
  SplitWorker(const SplitWorker&) = delete;
  SplitWorker& operator=(const SplitWorker&) = delete;

  // Call it before the first write.
  absl::Status Presplit(std::span<const std::string> keys);

  // Queues a cut at `key` in its region. Splits are made in the order of the calls.
  void Split(std::string key);

  // Call it between writes. Returns at once if no split is queued or running; else after a
  // millisecond, so that the splits keep up with the writer, and if more than two are queued, after
  // all but two are done.
  void Pace();

  // Waits for all splits, deletes the rows that daughters hold of each other, and checks that the
  // store's regions begin with `starts`. The first error of any split.
  absl::Status Finish(std::span<const std::string> starts);

  // The time of each split. Valid after Finish.
  const std::vector<TimeSpanNs>& splits() const { return done_; }

 private:
  void Run();
  void StopAndJoin();
  absl::Status TrimAll();

  RegionStore& store_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::string> keys_ ABSL_GUARDED_BY(mutex_);  // including the running one
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Used by the thread until it ends.
  absl::Status status_;
  std::vector<TimeSpanNs> done_;
  NamedThread thread_;
};

}  // namespace hourcell::layouts
