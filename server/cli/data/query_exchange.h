// Converts queries and results between a tool and /api/query: the JSON of the request and of the
// answer. Pure.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query.h"

namespace hourcell {

// The body of a POST to /api/query for `spec`, with times in milliseconds. With `explain`, it also
// requests the plans.
std::string QueryBody(const QuerySpec& spec, bool explain = false);

// The series of an answer with `arrays` and milliseconds, and the plans if the answer has them.
struct QueryReply {
  std::vector<ResultSeries> series;
  std::vector<PlanReport> plans;
};

// Numbers keep their type; "NaN" and null are NaN. Ignores aggregate tags and tsuids. kDataLoss:
// the text is not such an answer.
absl::StatusOr<QueryReply> ParseQueryReply(std::string_view body);

}  // namespace hourcell
