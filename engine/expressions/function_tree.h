// The functions of /api/query/gexp: a parsed call (function_call.h) as a tree of a query. Names are
// case-sensitive; those in brackets are the same function:
//
//   scale(q,factor)             absolute(q)              firstDiff(q)
//   movingAverage(q,N)          movingAverage(q,'5min')  timeShift(q,'1day') [shift]
//   highestMax(q,N)             highestCurrent(q,N)      alias(q,text...)
//   sumSeries(q,q...) [sum]     diffSeries(q,q...) [difference]
//   multiplySeries(q,q...) [multiply]                    divideSeries(q,q...) [divide]
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/expressions/function_call.h"
#include "engine/query/query_node.h"

namespace hourcell {

// Parses a sub query and adds it to the query; returns its index.
using AddSubQuery = std::function<absl::StatusOr<size_t>(std::string_view text)>;

// The tree of a call; its sub queries are added from left to right. kInvalidArgument with the
// position: an unknown function, a wrong number of inputs or parameters, a wrong parameter, or an
// error of `add`.
absl::StatusOr<QueryNode> MakeFunctionTree(const FunctionCall& call, const AddSubQuery& add);

// The milliseconds of a window, "'5min'": a positive number and one of s sec m min h hr hour d day,
// in single quotes. kInvalidArgument: another form.
absl::StatusOr<int64_t> ParseWindowSpan(std::string_view text);

// The milliseconds of a shift, "'1week'" or "+1hr": an optional +, a positive number and one of sec
// min hr day days week weeks, with or without quotes. kInvalidArgument: another form.
absl::StatusOr<int64_t> ParseTimeShift(std::string_view text);

}  // namespace hourcell
