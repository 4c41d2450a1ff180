// The answer of /api/query/exp:
//
//   {"outputs":[{"id":"e","alias":"busy","dps":[[1431561600000,1.0,4.0],...],
//     "dpsMeta":{"firstTimestamp":...,"lastTimestamp":...,"setCount":rows,"series":2},
//     "meta":[{"index":0,"metrics":["timestamp"]},
//             {"index":1,"metrics":["cpu"],"commonTags":{...},"aggregatedTags":[...]},...]},...],
//    "query":{the request}}
//
// Each element of dps is a row: a time in milliseconds, and the value of each series as a double.
// NaN is "NaN", or null after the fill policy null. An output without series has no meta. Pure.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "engine/expressions/joined_expression.h"
#include "server/http/body/body_writer.h"

namespace hourcell {

struct PrintedOutput {
  std::string_view id;
  std::string_view alias;  // empty: none
  bool nan_as_null = false;
  const ExpressionSet* set = nullptr;  // borrowed; all series have the same times
};

// Appends an output. Errors: those of the body.
absl::Status AppendOutput(const PrintedOutput& output, BodyWriter* body);

}  // namespace hourcell
