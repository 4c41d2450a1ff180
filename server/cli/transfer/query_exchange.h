// Queries and their results between a tool and /api/query: the JSON that is asked, and the JSON
// that is answered. Pure.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query.h"

namespace hourcell {

// The body of a POST to /api/query that asks `spec`, with times in milliseconds; `explain`: and how
// it is read.
std::string QueryBody(const QuerySpec& spec, bool explain = false);

// Series of an answer with `arrays` and milliseconds, and how they were read if the answer says it.
struct QueryReply {
  std::vector<ResultSeries> series;
  std::vector<PlanReport> plans;
};

// Numbers keep their type; "NaN" and null are NaN. Aggregate tags and tsuids are left out.
// kDataLoss: the text is not such an answer.
absl::StatusOr<QueryReply> ParseQueryReply(std::string_view body);

}  // namespace hourcell
