// LevelWriter: puts the points of levels, many series at once, so that their points are not more
// durable than the points that they summarize. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"
#include "codec/rows/uid.h"
#include "engine/stats.h"
#include "engine/write/group_commit.h"
#include "engine/write/point_writer.h"

namespace hourcell {

class LevelWriter {
 public:
  // Borrowed.
  struct Parts {
    GroupCommit* commit = nullptr;
    PointWriter* writer = nullptr;
    Counter* points = nullptr;  // counts points put
  };
  using Tags = std::vector<std::pair<std::string, std::string>>;

  // The points of an aggregate of a level, of a series.
  struct Levels {
    Uid metric = 0;    // of the points that they summarize
    std::string name;  // of the level
    std::shared_ptr<const Tags> tags;
    std::vector<std::pair<int64_t, Value>> points = {};  // seconds
  };

  explicit LevelWriter(const Parts& parts) : parts_(parts) {}

  // Forgets the points that were not put, and the metrics that failed.
  void BeginRound();

  void Add(Levels levels);
  // True if it is time for Flush.
  bool is_full() const { return points_ >= kPointsAtOnce; }

  // Commits and syncs all points that were read, then puts the added ones; they are synced when it
  // returns. Errors are those of CommitTicket::Wait; the metrics of the added points have failed.
  absl::Status Flush();

  // The metric lacks a point in its levels, which the store refused in this round.
  bool HasFailed(Uid metric) const { return failed_.contains(metric); }

 private:
  static constexpr size_t kPointsAtOnce = 100'000;

  absl::Status Put(const std::vector<Levels>& levels);

  const Parts parts_;
  std::vector<Levels> levels_;
  size_t points_ = 0;  // of levels_
  std::set<Uid> failed_;
};

}  // namespace hourcell
