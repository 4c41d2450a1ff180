// ChangeRequest: a parsed request to /api/query/changes.
//
//   start end timezone tz   the range, as in /api/query; it ends at the present at the latest
//   tag                     "host=web07", "host=web07|web08"; repeated: the series has all tags
//   metric                  the names of the metrics begin with it
//   limit                   metrics in the answer, 1 to 100; 20
//   series                  series that are compared, 1 to 50,000; 5,000
//   seconds                 after them it answers with the series it compared, 1 to 60; 10
//
// These are parameters of a GET, or the fields of a JSON object in the body of a POST; `tag` is a
// text or a list of texts there.
//
// ChurnRequest: a parsed request to /api/query/churn, a GET.
//
//   start end timezone tz   as above
//   metric                  the metric; required
//   limit                   series in the answer, 1 to 1,000; 60
//
// Pure functions; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query.h"
#include "server/changes/change_score.h"
#include "server/http/http_message.h"

namespace hourcell {

// Steps of each of the two ranges at most: a line of both is small enough to be sent for each of
// the metrics.
inline constexpr int64_t kChangeStepsMax = 30;

struct ChangeRequest {
  ChangeTimes times;
  std::vector<TagMatch> tags;
  std::string metric;
  uint64_t limit = 0;
  uint64_t series = 0;
  uint64_t seconds = 0;
};

struct ChurnRequest {
  ChangeTimes times;
  std::string metric;
  uint64_t limit = 0;
};

// The range in whole steps, at most kChangeStepsMax: rounded to an earlier start and a later end.
// Long steps are whole hours, which a summary of a row answers. REQUIRES: start_ms < end_ms.
ChangeTimes ChangeTimesOf(int64_t start_ms, int64_t end_ms);

// kInvalidArgument: a parameter is missing or wrong; the range is empty, or begins later than
// `now_ms`; the body of a POST is not a JSON object, or a field has another type. Fields of other
// names are ignored.
absl::StatusOr<ChangeRequest> ParseChangeRequest(const HttpRequest& request,
                                                 int64_t now_ms,
                                                 std::string_view default_timezone);
absl::StatusOr<ChurnRequest> ParseChurnRequest(const HttpRequest& request,
                                               int64_t now_ms,
                                               std::string_view default_timezone);

}  // namespace hourcell
