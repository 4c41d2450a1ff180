// RollupKeeper: computes the levels of metrics with a rule, and computes hours again whose points
// changed (docs/decisions/0039-rollups-by-rules.md).
//
//   promise: later points of the hours become marks -> hours that are open now become marks
//   -> read the points -> commit and sync these points -> put the levels, synced
//   -> the watermark rises; or the marks are removed
//
// A kill between two steps repeats the hours; the points of a level then replace the same ones.
// Nothing of a level is deleted here: points are only deleted with the levels of their hours
// (WhileAtRest). Thread-safe; one step at a time.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/rollups/metric_rules.h"
#include "codec/rows/layout.h"
#include "engine/hours/open_hours.h"
#include "engine/names/virtual_metrics.h"
#include "engine/options.h"
#include "engine/query.h"
#include "engine/read/query_executor.h"
#include "engine/retention.h"
#include "engine/rollups/keeper/level_buckets.h"
#include "engine/rollups/keeper/level_writer.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/series/active_sets.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/table/retention.h"
#include "engine/write/group_commit.h"
#include "engine/write/point_writer.h"
#include "engine/write/sealer.h"
#include "uid/uid_directory.h"

namespace hourcell {

// Forgets the watermarks of rules with tags: a change of tag names may change their series.
absl::Status ForgetRulesWithTags(RollupMarks* marks);

class RollupKeeper {
 public:
  // Borrowed; they outlive the keeper.
  struct Parts {
    RollupMarks* marks = nullptr;
    UidDirectory* uids = nullptr;
    const VirtualMetrics* virtual_metrics = nullptr;  // have no rules
    const SeriesTable* series = nullptr;
    ActiveSets* active = nullptr;
    OpenHours* open_hours = nullptr;
    Sealer* sealer = nullptr;
    GroupCommit* commit = nullptr;
    PointWriter* writer = nullptr;
    const QueryExecutor* executor = nullptr;
    const RowExpiry* expiry = nullptr;
    const Retention* retention = nullptr;
    // Sets the TTLs of metrics, in seconds; 0: their points do not expire.
    std::function<absl::Status(std::span<const std::pair<Uid, int64_t>>)> set_ttls = {};
    Clock* clock = nullptr;
    Stats* stats = nullptr;
    std::function<absl::Status()> before_write = {};  // the gate of writes
  };
  // REQUIRES: options.rollup_rules.
  RollupKeeper(const Options& options, const Layout& layout, const Parts& parts);

  // A piece of the work: some hours of some metrics, and some marks. True: it computed hours, and
  // more may wait. A metric that fails does not stop the others, and is tried again.
  // Errors are storage's, and those of the gate.
  absl::StatusOr<bool> Step();

  // Steps until nothing waits or Stop was called. Failures are counted.
  void Run();

  // Calls `change` between two steps; the keeper looks at all metrics and names again afterwards.
  // For changes of names, and deletes of points.
  absl::Status WhileAtRest(const std::function<absl::Status()>& change);

  // The same for a change of tag names: other series may have the tags of a rule, so metrics with
  // such rules are computed again.
  absl::Status WhileTagsChange(const std::function<absl::Status()>& change);

  // RetentionAdmin's Rollups and RebuildRollups.
  absl::StatusOr<std::vector<RollupProgress>> Progress();
  absl::Status Rebuild(std::string_view metric, int64_t start_s);

  // Ends a step under way, and all later ones, with kCancelled.
  void Stop();

 private:
  // A metric with a rule, perhaps without levels.
  struct Ruled {
    Uid metric = 0;
    std::string name = {};
    const MetricRule* rule = nullptr;
    uint64_t hours = 0;  // to compute at once
  };
  class Reader;

  absl::Status FindMetrics() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<bool> BeginMetrics() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status BeginMetric(const Ruled& ruled) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status KeepTtls() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<RollupMarks::Advance> DueHours() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<bool> Raise() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<bool> Repair() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  using OpenSet = absl::flat_hash_set<std::pair<SeriesNumber, uint64_t>>;  // hours, by their begin
  absl::StatusOr<bool> RepairMetric(Ruled* ruled, const OpenSet& open, std::vector<NotedMark> marks)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<bool> RepairRange(Ruled* ruled, const NotedMark& range, uint64_t until_s)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<OpenHourInfo> OpenBefore(uint64_t before_s) const;
  absl::Status MarkOpen() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t FirstWholeHourS(Uid metric) const;
  std::vector<LevelRange> RangesOf(const Ruled& ruled,
                                   const RollupMark& hours,
                                   uint64_t until_s) const;
  absl::StatusOr<std::vector<TagFilterSpec>> FiltersOf(const MetricRule& rule) const;
  absl::Status Compute(const Ruled& ruled, std::span<const LevelRange> ranges, Reader* reader)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status ComputeAll(Ruled* ruled, const RollupMark& hours, uint64_t until_s)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckStop() const;

  const MetricRules& rules_;
  const int64_t delay_s_;
  const Layout layout_;
  const Parts parts_;
  Counter* const errors_;
  std::atomic<bool> is_stopped_{false};

  Mutex mutex_;  // of a step
  std::map<Uid, Ruled> ruled_ ABSL_GUARDED_BY(mutex_);
  int64_t found_ms_ ABSL_GUARDED_BY(mutex_) = 0;   // when ruled_ was made; 0: it is outdated
  Uid next_ ABSL_GUARDED_BY(mutex_) = 0;           // of ruled_: the first of the next round
  int64_t repair_ms_ ABSL_GUARDED_BY(mutex_) = 0;  // when Repair looks again
  LevelWriter writer_ ABSL_GUARDED_BY(mutex_);

  Mutex running_mutex_;
  QueryControl* running_ ABSL_GUARDED_BY(running_mutex_) = nullptr;
};

}  // namespace hourcell
