// OrderedScan: the rows of several ranges, mostly salt buckets, in the order of their keys without
// the salt. Other threads read each range ahead, a few blocks of rows; the caller's merges them.
//
//   range 0   [block][block] ...   <- read ahead, by whichever thread is free
//   range 1   [block][block] ...
//                  \  |
//              MergeCursor -> visit
//
// Thread-compatible.

#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "engine/table/table.h"

namespace hourcell {

// A piece of a key.
struct KeyPiece {
  size_t begin = 0;
  size_t size = 0;
};

class OrderedScan {
 public:
  // False ends the scan.
  using Visit = std::function<absl::StatusOr<bool>(std::string_view key, std::string_view value)>;
  // Visits the rows of a range in key order until `visit` returns false or an error, which it
  // returns. Called by several threads, for different ranges.
  using Read = std::function<absl::Status(const ScanRange& range, const Visit& visit)>;

  struct Settings {
    KeyPiece salt;       // not compared
    size_t threads = 0;  // that read ahead; 0: the caller reads, too
    size_t block_bytes = 256 << 10;
    // Checked between two rows; may be null.
    const std::atomic<bool>* cancelled = nullptr;
  };

  // REQUIRES: keys of each range ascend without their salt, too.
  OrderedScan(std::vector<ScanRange> ranges, const Settings& settings, Read read);
  ~OrderedScan();
  OrderedScan(const OrderedScan&) = delete;
  OrderedScan& operator=(const OrderedScan&) = delete;

  // Call it once. Of equal keys those of lower ranges come first. Errors: of `read`, and then no
  // row after a missing one was visited; of `visit`; kCancelled.
  absl::Status Run(const Visit& visit);

 private:
  struct Row {
    size_t order_at;  // where in the block's bytes the key without salt begins; key, value follow
    size_t order_size;
    size_t key_size;
    size_t value_size;
  };
  struct Block {
    std::string bytes;
    std::vector<Row> rows;
  };
  // A range. Only the thread that reads it uses `left`, the unread rest.
  struct Source {
    ScanRange left;
    std::deque<Block> ready;    // under mutex_
    bool is_wanted = false;     // under mutex_: a thread reads it, or will
    bool is_exhausted = false;  // under mutex_
  };
  class Cursor;

  void ReadAhead();
  // Reads the next block of a source's rows; true at the end of the range.
  absl::StatusOr<bool> Fill(Source* source, Block* block) const;
  // Waits for a source's next block; false at the end of the range.
  bool NextBlock(size_t source, Block* block);
  void Want(size_t source) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Fills a block of a wanted source; unlocks the mutex meanwhile.
  void FillOne(size_t source) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Settings settings_;
  const Read read_;
  std::vector<Source> sources_;
  std::atomic<bool> has_failed_{false};
  Mutex mutex_;
  CondVar is_wanted_;
  CondVar is_filled_;
  std::deque<size_t> wanted_ ABSL_GUARDED_BY(mutex_);
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  std::vector<NamedThread> threads_;
};

}  // namespace hourcell
