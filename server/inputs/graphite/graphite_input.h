// GraphiteInput: lines of Graphite's plaintext protocol into the store. docs/inputs.md says what
// becomes of paths, values and times. Thread-safe.

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
    const NameRule* names = nullptr;             // the same
    Clock* clock = nullptr;                      // the same; of lines whose time is -1
    AppendInPlace append = {};                   // for tests
    const NewSeriesQuota* new_series = nullptr;  // of new series; borrowed, null = no limit
  };

  // What became of lines.
  enum class Outcome : uint8_t {
    kDone,      // each is acknowledged, or refused for its own fault
    kMustWait,  // nothing is stored: to be written again where it may wait
    kLater,     // the store is full: to be written again; what is stored already does not change
    kLost,      // the store is broken
  };

  // Counts rpc.put.*, and rpc.inputs.* of type=graphite.
  GraphiteInput(Parts parts, InputSettings settings);

  // Whole lines with their ends. What is wrong is counted and logged (refusal_log.h): the protocol
  // has no answers.
  Outcome Write(std::string_view lines, bool may_wait) const;

  // Counts lines that are refused before they are here, and logs why.
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
