// StatsdInput: datagrams of StatsD, gathered, and written to the store at the end of each interval.
// docs/inputs.md says what becomes of names, types and tags. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/inputs/input_counters.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/refusal_log.h"
#include "server/inputs/statsd/statsd_aggregator.h"
#include "server/inputs/statsd/statsd_line.h"
#include "server/inputs/statsd/statsd_settings.h"
#include "server/put/put_writer.h"

namespace hourcell {

class StatsdInput {
 public:
  struct Parts {
    Tsdb* tsdb = nullptr;                        // borrowed, outlives the object
    const NameRule* names = nullptr;             // the same
    Clock* clock = nullptr;                      // the same; its time is that of the points
    AppendInPlace append = {};                   // for tests
    const NewSeriesQuota* new_series = nullptr;  // of new series; borrowed, null = no limit
  };

  // Counts rpc.put.*, and rpc.inputs.* of type=statsd.
  StatsdInput(Parts parts, InputSettings settings, StatsdSettings statsd);

  // The lines of a datagram. What is wrong is counted and logged (refusal_log.h).
  void Take(std::string_view datagram);

  // Counts a datagram that is refused before it is read, and logs why.
  void Refuse(std::string_view why);

  // Writes what was gathered, as of now, and waits until it is acknowledged. What the store does
  // not take is lost, counted and logged: its samples are gone. Points of two flushes never have
  // the same second: after a flush of this second, or of a later one before the clock was set back,
  // they get the next. Returns how many milliseconds that is ahead of the clock.
  int64_t Flush();

  const StatsdSettings& settings() const { return statsd_; }

 private:
  void TakeLine(std::string_view text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RefuseLine(std::string_view text, std::string_view want);
  int64_t NextSecond() ABSL_EXCLUSIVE_LOCKS_REQUIRED(flush_mutex_);
  // Hands the points of the series on, waits for them, and frees the series.
  void Write(std::span<StatsdEnded> ended, int64_t second);
  void Log(std::string_view text, size_t refused);

  const Parts parts_;
  const InputSettings settings_;
  const StatsdSettings statsd_;
  const PutWriter writer_;
  const InputCounters counters_;
  Counter* const no_series_;
  Counter* const no_values_;
  Counter* const no_memory_;
  Counter* const skipped_;
  RefusalLog log_;
  StatsdBytes bytes_{0};  // held

  Mutex flush_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);                    // held by a flush
  int64_t flushed_second_ ABSL_GUARDED_BY(flush_mutex_) = INT64_MIN;  // of the last one's points

  Mutex mutex_;  // held briefly
  StatsdLine line_ ABSL_GUARDED_BY(mutex_);
  StatsdAggregator aggregator_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
