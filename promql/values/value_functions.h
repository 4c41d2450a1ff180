// Functions that calculate each value by itself: abs(v), clamp(v, min, max), hour(v), ...

#pragma once

#include <span>

#include "promql/text/function.h"

namespace hourcell::promql {

// True for the functions that ApplyValueFunction knows: mathematics, clamps, round and calendar.
bool IsValueFunction(Function function);

// Replaces each value of the column; kNoValue stays. `parameters` has a column for each scalar
// argument (clamp 2, clamp_min 1, round 1; a left-out argument of round is 1).
void ApplyValueFunction(Function function,
                        std::span<const std::span<const double>> parameters,
                        std::span<double> values);

}  // namespace hourcell::promql
