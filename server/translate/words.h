// The words that both languages have for the aggregation of points and of series.
//
// Pure functions; thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include "engine/query/aggregator.h"

namespace hourcell {

// A function of the points of a bucket: 1m-avg is avg_over_time.
struct BucketWord {
  Aggregator aggregator = Aggregator::kAvg;
  std::string_view function;
  std::string_view parameter = {};  // before the range: "0.5, "
};

// Null if no function of PromQL gives the same number.
const BucketWord* BucketWordOf(Aggregator aggregator);
// The word of a function of PromQL; null for others.
const BucketWord* BucketWordOf(std::string_view function);

// An aggregation of series: zimsum is sum.
struct AggregateWord {
  Aggregator aggregator = Aggregator::kSum;
  std::string_view op;
  std::string_view parameter = {};  // before the series: "0.5, "
  int power = 1;                    // of each value
  // A series that lacks a bucket changes nothing, as in PromQL.
  bool leaves_out_gaps = false;
  // The aggregate of stored integers is cut to one.
  bool truncates_integers = false;
};

const AggregateWord* AggregateWordOf(Aggregator aggregator);
// The word of an operator, with the aggregator that leaves out gaps, if there is one.
const AggregateWord* AggregateWordOf(std::string_view op);

// True if PromQL has the name of a metric without quotes.
bool IsMetricWord(std::string_view name);

}  // namespace hourcell
