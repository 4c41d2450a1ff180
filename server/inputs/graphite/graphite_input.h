// GraphiteInput: stores lines of Graphite's plaintext protocol. docs/inputs.md describes the
// mapping of paths, values and times. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/clock.h"
#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/inputs/graphite/graphite_line.h"
#include "server/inputs/input_counters.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/refusal_log.h"
#include "server/put/put_writer.h"

namespace hourcell {

class GraphiteInput {
 public:
  struct Parts {
    Tsdb* tsdb = nullptr;                        // borrowed, outlives the object
    const NameRule* names = nullptr;             // borrowed, outlives the object
    Clock* clock = nullptr;                      // borrowed; for lines with the time -1
    AppendInPlace append = {};                   // for tests
    const NewSeriesQuota* new_series = nullptr;  // limits new series; borrowed, null = no limit
  };

  // The result for a batch of lines.
  enum class Outcome : uint8_t {
    kDone,      // each line is acknowledged, or refused for its own fault
    kMustWait,  // nothing is stored: write again on a thread that may wait
    kLater,     // the store is full: write again; points that are stored already do not change
    kLost,      // the store is broken
  };

  // Counts rpc.put.*, and rpc.inputs.* of type=graphite.
  GraphiteInput(Parts parts, InputSettings settings);

  // Writes whole lines with their line ends. Counts and logs faults (refusal_log.h): the protocol
  // has no responses.
  Outcome Write(std::string_view lines, bool may_wait) const;

  // Counts and logs a fault that concerns lines not read.
  void Refuse(std::string_view why) const;

 private:
  void AddLine(std::string_view text, size_t number, GraphiteLine* line, InputWriter* out) const;
  void AddPoint(const GraphiteLine& line,
                Timestamp timestamp,
                Value value,
                size_t number,
                InputWriter* out) const;
  void Log(std::string_view text, size_t refused) const;

  const Parts parts_;
  const InputSettings settings_;
  const PutWriter writer_;
  const InputCounters counters_;
  Counter* const not_finite_;
  mutable RefusalLog log_;
};

}  // namespace hourcell
