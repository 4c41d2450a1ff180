// PromParams: the parameters of a request to Prometheus' API, from its URL and from a form, and the
// forms of times and durations there.
//
//   time      Unix seconds, "1435781430.781", or RFC 3339, "2015-07-01T20:10:30.781Z"
//   duration  seconds, "15" or "0.5", or PromQL's, "1m30s"
//
// No I/O; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/http/http_message.h"

namespace hourcell {

// The largest distance of a time from 1970, in milliseconds; later ones are cut to it.
inline constexpr int64_t kPromTimeMsMax = int64_t{9'000'000} * 1'000'000'000;

class PromParams {
 public:
  // kInvalidArgument: the form has a bad escape.
  static absl::StatusOr<PromParams> Of(const HttpRequest& request);

  // The first value, those of the form before those of the URL; empty if absent.
  std::string_view Get(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> params_;
};

// True if a request of /api/query is PromQL: its URL or its form has the parameter `query`, and it
// lacks the parameters of OpenTSDB.
bool IsPromQuery(const HttpRequest& request);

// Unix milliseconds. kInvalidArgument: "cannot parse "x" to a valid timestamp".
absl::StatusOr<int64_t> ParsePromTime(std::string_view text);
// The time of a parameter, or `absent_ms`. kInvalidArgument: "Invalid time value for 'name': ...".
absl::StatusOr<int64_t> PromTimeOf(const PromParams& params,
                                   std::string_view name,
                                   int64_t absent_ms);
// Milliseconds; fractions of one are cut. kInvalidArgument: "cannot parse "x" to a valid duration".
absl::StatusOr<int64_t> ParsePromDuration(std::string_view text);

}  // namespace hourcell
