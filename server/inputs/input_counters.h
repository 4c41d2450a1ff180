// Counters of an input type. Immutable; the counters are thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "engine/stats.h"
#include "server/inputs/input_writer.h"

namespace hourcell {

class InputCounters {
 public:
  // `stats` is borrowed.
  InputCounters(Stats* stats, std::string_view type);

  // Counts the points and histograms of a writer. REQUIRES: it has finished, and must not wait.
  void Count(const InputWriter& out) const;

  // rpc.inputs.dropped: data left out by design, without an error.
  Counter* Dropped(std::string_view reason) const;

  // rpc.inputs.refused: faulty lines, series or data points, and refused points.
  Counter* refused() const { return refused_; }

 private:
  Stats* const stats_;
  const std::string type_;
  Counter* const points_;  // rpc.inputs.points: acknowledged
  Counter* const refused_;
};

}  // namespace hourcell
