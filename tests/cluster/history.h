// History: the requests of a cluster's clients and the answers, with a check that each answer is
// possible.
//
// Each point is a register: a put writes a unique value, a delete writes "absent", and each point
// is absent at first. An answer may have the value of a write that began before the answer ended,
// unless another write followed that write and ended before the question. A write without an answer
// may take effect at any time, or never: it never ends.

#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codec/base/mutex.h"

namespace hourcell {

struct PointKey {
  int series = 0;
  int64_t second = 0;  // of Unix time
  friend auto operator<=>(const PointKey&, const PointKey&) = default;
};

// Moments are counted, so that those of all clients have one order.
using Moment = int64_t;
inline constexpr Moment kNeverEnds = std::numeric_limits<Moment>::max();

struct HistoryWrite {
  PointKey key;
  std::optional<int64_t> value = {};  // none: a delete
  Moment begun = 0;
  Moment ended = kNeverEnds;
  std::string by = {};  // how, and through which node
};

struct HistoryAnswer {
  std::map<PointKey, int64_t> points;  // all existing ones
  std::optional<int> series = {};      // none: of all series
  Moment begun = 0;
  Moment ended = 0;
  std::string by = {};
};

// Thread-safe.
class History {
 public:
  Moment Now() { return ++now_; }
  void Add(HistoryWrite write);
  void Add(HistoryAnswer answer);
  // Records a disturbance of the cluster.
  void AddEvent(const std::string& what);

  // The impossible answers, a line each; empty: all is well.
  std::vector<std::string> Faults() const;
  // The whole history, by time of beginning.
  std::string Text() const;

  size_t answers() const;
  // Writes whose end is known.
  size_t acknowledged() const;

 private:
  using Writes = std::map<PointKey, std::vector<const HistoryWrite*>>;
  static void CheckAnswer(const HistoryAnswer& answer,
                          const Writes& writes,
                          std::vector<std::string>* faults);

  std::atomic<Moment> now_{0};
  mutable Mutex mutex_;
  std::vector<HistoryWrite> writes_ ABSL_GUARDED_BY(mutex_);
  std::vector<HistoryAnswer> answers_ ABSL_GUARDED_BY(mutex_);
  std::map<Moment, std::string> events_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
