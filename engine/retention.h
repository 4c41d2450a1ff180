// RetentionAdmin: how long a store keeps points. Of `Tsdb::retention`, and lives as long as its
// Tsdb.
//
// A TTL is in seconds, counted from the timestamp of a point; 0 = points never expire. Expired
// points are invisible at once, and deleted from disk later. Thread-safe. kFailedPrecondition: the
// store is closed, or a function that writes is called in a process that only reads the store.
// kUnavailable: another process writes the store now.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rollups/metric_rules.h"
#include "engine/query/query_control.h"

namespace hourcell {

class StoreGates;

// The TTL of a metric.
struct MetricTtl {
  std::string metric;  // UTF-8; or the UID in hex, without a name
  int64_t ttl_s = 0;   // 0 = points never expire
  friend bool operator==(const MetricTtl&, const MetricTtl&) = default;
};

// A change that shortened a TTL and can be undone (RetentionAdmin::ShortenedTtls).
struct ShortenedTtl {
  uint64_t id = 0;  // no delete has it (Points::Deletions)
  int64_t changed_ms = 0;
  int64_t undo_until_ms = 0;                // then points leave files by the shorter TTL
  std::string metric = {};                  // empty: of the store; the UID in hex, without a name
  std::optional<int64_t> before_s = {};     // 0 = points never expire; nullopt: the store's TTL
  std::optional<int64_t> shortened_s = {};  // the TTL since, in the same form
  friend bool operator==(const ShortenedTtl&, const ShortenedTtl&) = default;
};

// How far the levels of a metric are computed (Options::rollup_rules).
struct RollupProgress {
  std::string metric;
  std::string levels;    // intervals, aggregates and tags: "1m(sum,count)1h(sum){dc=lga}"
  int64_t until_s = 0;   // all hours before it, but for `changed` ones
  uint64_t changed = 0;  // hours, of a series or of all, that wait to be computed again
  friend bool operator==(const RollupProgress&, const RollupProgress&) = default;
};

// The space of a day of a metric, or of a level that a rule would compute.
struct RollupEstimate {
  std::string metric;
  uint64_t series = 0;
  uint64_t points = 0;  // of the day
  uint64_t bytes = 0;   // of their cells, without keys
  int64_t ttl_s = 0;    // by the rule; 0: without a limit
  friend bool operator==(const RollupEstimate&, const RollupEstimate&) = default;
};

class RetentionAdmin final {
 public:
  explicit RetentionAdmin(StoreGates* gates) : gates_(gates) {}  // for Tsdb; borrowed

  // Sets the TTL of a metric's points. It takes precedence over store_ttl_s(). nullopt:
  // store_ttl_s() again. Stored in the store. A later, longer TTL may not restore expired points;
  // but with Options::undo_s, points leave files by the longer TTL for that time, and UndoTtl shows
  // them again. The same is true of an open with a shorter options.ttl_s.
  // kNotFound: no such metric; kInvalidArgument: negative, or above the range of times.
  absl::Status SetMetricTtl(std::string_view metric, std::optional<int64_t> ttl_s);

  // options.ttl_s of this open, or of the last open that had one.
  int64_t store_ttl_s() const;

  // The TTLs of metrics, by name.
  absl::StatusOr<std::vector<MetricTtl>> MetricTtls();

  // The shortened TTLs that can be undone, by id.
  absl::StatusOr<std::vector<ShortenedTtl>> ShortenedTtls();

  // Sets the TTL that was in force before; the points are visible again. Levels of rollups by rules
  // of hours that were hidden are computed again. An open with the shorter options.ttl_s, or a
  // rule, shortens the TTL again. kNotFound: no such change, or its time is over.
  // kFailedPrecondition: the TTL was changed since.
  absl::Status UndoTtl(uint64_t id);

  // From now on points leave files by the shorter TTL; the change cannot be undone any more.
  // kNotFound: no such change.
  absl::Status ForgetTtl(uint64_t id);

  // The metrics of Options::rollup_rules whose levels are computed, by name. kFailedPrecondition:
  // also without rules, and in a process that only reads.
  absl::StatusOr<std::vector<RollupProgress>> Rollups();

  // Computes the levels of a metric again, from the interval with `start_s` on, in the background;
  // queries read the points meanwhile. Hours whose points expired keep their levels. kNotFound: the
  // metric lacks levels by a rule.
  absl::Status RebuildRollups(std::string_view metric, int64_t start_s);

  // For each metric with a rule and with points on the UTC day of `time_s`: its points, and then
  // its levels. Measured on some series. Changes nothing. Errors as Queries::Query's.
  absl::StatusOr<std::vector<RollupEstimate>> EstimateRollups(const MetricRules& rules,
                                                              int64_t time_s,
                                                              QueryControl* control = nullptr);

  // Frees disk space of expired points, a bounded piece of that work; returns the bytes freed. The
  // store also does it every minute.
  absl::StatusOr<uint64_t> DropExpired();

 private:
  StoreGates* const gates_;
};

}  // namespace hourcell
