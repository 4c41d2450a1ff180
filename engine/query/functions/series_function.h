// SeriesFunction: a function of sets of series, an inner node of a QueryPlan. It gets the series of
// its inputs one by one, and gives its results to a sink. It uses no storage, clock or thread.
//
// A function that works series by series gives a result in Add, so its node holds nothing. A
// function of whole sets copies series (KeptSeries) within the memory of the query, and gives its
// results in Finish.
//
// A function of several sets has one input for each: Add distinguishes them by `input`, and Finish
// joins the series by their tags.
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <memory>

#include <absl/status/status.h>

#include "engine/query/function_spec.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_result.h"

namespace hourcell {

class SeriesFunction {
 public:
  virtual ~SeriesFunction() = default;

  // The next series of the input with this index. Inputs are given one after another. Errors: those
  // of `out`; kResourceExhausted.
  virtual absl::Status Add(size_t input, const SeriesView& series, QuerySink* out) = 0;

  // Once, after the last series of the last input. Errors: as Add.
  virtual absl::Status Finish(QuerySink* out) = 0;
};

// The function of a node with `inputs` inputs. `memory` is borrowed.
std::unique_ptr<SeriesFunction> MakeSeriesFunction(const FunctionSpec& spec,
                                                   size_t inputs,
                                                   MemoryAccount* memory);

}  // namespace hourcell
