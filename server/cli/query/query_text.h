// Queries and their results between the tool and /api/query: the JSON that is asked, the JSON that
// is answered, and the lines the tool prints. Pure.

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

// Appends a line a point: `metric timestamp_ms value {tagk=tagv, ...}`.
void AppendSeriesLines(const ResultSeries& series, std::string* out);

}  // namespace hourcell
