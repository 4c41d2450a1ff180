// The puts of a design, for sources without a file: `hourcell simulate` and the server run designs
// on the same streams. Pure; thread-safe.

#pragma once

#include <absl/status/statusor.h>

#include "bench/lab/simulate/input/fleet.h"
#include "bench/lab/simulate/input/id_source.h"
#include "bench/lab/simulate/input/key_words.h"
#include "bench/lab/simulate/input/put_source.h"
#include "bench/lab/simulate/simulation.h"

namespace hourcell {

// A fleet as written by the design's engine: Hourcell writes a row at a time, unless the load of
// each second counts, and HBase point by point.
PutSourceFactory FleetSource(FleetSpec spec, const SimulationDesign& design);

PutSourceFactory IdsSource(const IdSpec& spec);

// The known names in a fleet's keys.
KeyNames KeyNamesOf(const FleetSpec& spec);

}  // namespace hourcell
