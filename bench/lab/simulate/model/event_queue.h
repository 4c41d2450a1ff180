// EventQueue: the future events of a simulation, in order of time; events of one instant in the
// order of their insertion, so that runs repeat. And DiskModel: the completion times of bytes that
// are written one after the other. Thread-compatible.

#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "engine/regions/region_info.h"

namespace hourcell {

enum class SimEventKind : uint8_t {
  kFlushDone,
  kFlushAgain,  // a flush delayed by too many files
  kLsmCompactionDone,
  kMajorLsmCompaction,
  kSplitCheck,  // of all regions, by load
  kNormalize,
};

struct SimEvent {
  uint64_t due_ms = 0;
  SimEventKind kind = SimEventKind::kFlushDone;
  RegionId region = {};              // no effect if it no longer exists
  std::vector<uint64_t> files = {};  // of kLsmCompactionDone
  uint64_t order = 0;                // the queue's
};

class EventQueue {
 public:
  void Push(SimEvent event) {
    event.order = next_order_++;
    events_.push(std::move(event));
  }
  bool HasDue(uint64_t now_ms) const { return !events_.empty() && events_.top().due_ms <= now_ms; }
  // REQUIRES: HasDue for some time.
  SimEvent Pop() {
    HOURCELL_DCHECK(!events_.empty());
    SimEvent event = events_.top();
    events_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const SimEvent& a, const SimEvent& b) const {
      return a.due_ms != b.due_ms ? a.due_ms > b.due_ms : a.order > b.order;
    }
  };
  std::priority_queue<SimEvent, std::vector<SimEvent>, Later> events_;
  uint64_t next_order_ = 0;
};

class DiskModel {
 public:
  // REQUIRES: bytes_per_s > 0.
  explicit DiskModel(uint64_t bytes_per_s) : bytes_per_s_(bytes_per_s) {
    HOURCELL_DCHECK(bytes_per_s > 0);
  }

  // The time at which `bytes` requested now are done: after all earlier requests.
  uint64_t Finish(uint64_t now_ms, uint64_t bytes) {
    free_us_ = std::max(free_us_, now_ms * 1'000);
    free_us_ +=
        static_cast<uint64_t>(static_cast<double>(bytes) * 1e6 / static_cast<double>(bytes_per_s_));
    return (free_us_ + 999) / 1'000;
  }

 private:
  uint64_t bytes_per_s_;
  uint64_t free_us_ = 0;
};

}  // namespace hourcell
