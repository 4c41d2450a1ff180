// StatsdInput: collects StatsD datagrams and writes the points to the store at the end of each
// interval. docs/inputs.md describes the mapping of names, types and tags. Thread-safe.

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
    const NameRule* names = nullptr;             // borrowed, outlives the object
    Clock* clock = nullptr;                      // borrowed; gives the time of the points
    AppendInPlace append = {};                   // for tests
    const NewSeriesQuota* new_series = nullptr;  // limits new series; borrowed, null = no limit
  };

  // Counts rpc.put.*, and rpc.inputs.* of type=statsd.
  StatsdInput(Parts parts, InputSettings settings, StatsdSettings statsd);

  // Reads the lines of a datagram. Counts and logs faults (refusal_log.h).
  void Take(std::string_view datagram);

  // Counts and logs a datagram that is refused unread.
  void Refuse(std::string_view why);

  // Ends the interval, writes its points and waits for the acknowledgement. Points that the store
  // does not accept are lost, counted and logged. Points of two flushes have different seconds: if
  // a second was already used, the next free one is used, unless the clock was set back by an hour
  // or more. Returns the milliseconds by which that second is ahead of the clock.
  int64_t Flush();

  const StatsdSettings& settings() const { return statsd_; }

 private:
  void TakeLine(std::string_view text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RefuseLine(std::string_view text, std::string_view want);
  int64_t NextSecond() ABSL_EXCLUSIVE_LOCKS_REQUIRED(flush_mutex_);
  // Writes the points of the series, waits, and frees the series.
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
  StatsdBytes bytes_{0};  // total, including intervals being written

  Mutex flush_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);                    // held during a flush
  int64_t flushed_second_ ABSL_GUARDED_BY(flush_mutex_) = INT64_MIN;  // of the last flush

  Mutex mutex_;  // held briefly
  StatsdLine line_ ABSL_GUARDED_BY(mutex_);
  StatsdAggregator aggregator_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
