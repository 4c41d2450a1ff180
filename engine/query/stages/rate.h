// Rate: change per second between neighbouring points of one span, at the later one's time, always
// floating point. The first point does not have a rate. Counters: a fall is a roll-over
// (counter_max - v0 + v1), zero if the rate then exceeds reset_value > 0, or skipped with
// drop_resets. Pure.

#pragma once

#include "engine/query/columns.h"
#include "engine/query/query_spec.h"

namespace hourcell {

Span Rate(const Span& span, const RateSpec& spec);

}  // namespace hourcell
