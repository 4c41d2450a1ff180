// Kinds of values: seeded series of numbers as people store them, for tests of sizes. A seed gives
// the same bits on every machine: the generators use integers, and operations on doubles that IEEE
// 754 rounds exactly.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "codec/base/random.h"
#include "codec/point.h"

namespace hourcell {

struct ValueKind {
  std::string_view name;
  std::vector<Value> (*make)(size_t count, Random* random);
};

// Nineteen kinds: walks of integers and decimals, gauges that rest, counters, sizes of memory,
// latencies, and numbers that come from arithmetic.
std::span<const ValueKind> ValueKinds();

// Two kinds for tests of intervals: a walk from 0 to 100 with steps of a normal
// distribution of deviation 1, cut to integers or to two decimals.
std::vector<Value> IntegerWalk(size_t count, Random* random);
std::vector<Value> TwoDecimalWalk(size_t count, Random* random);

}  // namespace hourcell
