// Random stores and random queries to them, for tests that hold a store against a naive one.

#pragma once

#include "codec/base/random.h"
#include "engine/query.h"
#include "tests/model/queries/query_case.h"

namespace hourcell {

// The sealing between the puts.
enum class Sealing : uint8_t { kNothing, kAll, kHalf };

// Steps and names; the other fields are the caller's. One to three metrics with 1 to 40 series;
// regular and irregular times in seconds and milliseconds around the edges of hours, late points
// and points that are put again; integers, decimals, whole doubles and counters with resets.
QueryCase RandomCase(Sealing sealing, Random* random);

// One or two sub queries, mostly about stored data.
QuerySpec RandomQuery(const QueryCase& stored, Random* random);

}  // namespace hourcell
