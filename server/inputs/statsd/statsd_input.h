// StatsdInput: datagrams of StatsD, gathered, and written to the store at the end of each interval.
// docs/inputs.md says what becomes of names, types and tags. Thread-safe.

#pragma once

#include <cstddef>
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
    Tsdb* tsdb = nullptr;             // borrowed, outlives the object
    const NameRule* names = nullptr;  // the same
    Clock* clock = nullptr;           // the same; its time is that of the points
    AppendInPlace append = {};        // for tests
  };

  // Counts rpc.put.*, and rpc.inputs.* of type=statsd.
  StatsdInput(Parts parts, InputSettings settings, StatsdSettings statsd);

  // The lines of a datagram. What is wrong is counted and logged (refusal_log.h).
  void Take(std::string_view datagram);

  // Counts a datagram that is refused before it is read, and logs why.
  void Refuse(std::string_view why);

  // Writes what was gathered, as of now, and waits until it is acknowledged. What the store does
  // not take is lost, counted and logged: its samples are gone.
  void Flush();

  const StatsdSettings& settings() const { return statsd_; }

 private:
  void TakeLine(std::string_view text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RefuseLine(std::string_view text, std::string_view want);
  void Log(std::string_view text, size_t refused);

  const Parts parts_;
  const InputSettings settings_;
  const StatsdSettings statsd_;
  const PutWriter writer_;
  const InputCounters counters_;
  Counter* const no_series_;
  Counter* const no_values_;
  Counter* const skipped_;
  RefusalLog log_;

  Mutex mutex_;
  StatsdLine line_ ABSL_GUARDED_BY(mutex_);
  StatsdAggregator aggregator_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
