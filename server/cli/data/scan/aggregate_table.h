// The answer of an aggregate of rows (server/text/row_aggregate_json.h) as tables for people:
//
//   metric  tag:host  rows  points   avg
//   cpu     web01        2     720  1.25
//   mem     -            1       1     7
//   total                3     721  1.26
//
//   start  end  region  rows  points     ms
//   -      -         1     3     721  0.104
//
// Fields are aligned and separated by two blanks; null and empty keys are "-". Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

struct AggregateTables {
  std::string totals;  // lines, each with its end
  std::string regions;
};

// kDataLoss: `json` is not such an answer.
absl::StatusOr<AggregateTables> TablesOfAggregates(std::string_view json);

}  // namespace hourcell
