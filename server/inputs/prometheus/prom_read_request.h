// Parses a remote read request of Prometheus: inflated protobuf (prometheus.ReadRequest).
//
// No I/O; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

// Limits of a request.
inline constexpr size_t kPromQueriesMax = 64;
inline constexpr size_t kPromMatchersMax = 64;  // per query
inline constexpr size_t kPromRegexpsMax = 64;   // per request

inline constexpr size_t kPromListedBytesMax = 256;  // of a value, in the list of queries

struct PromMatcher {
  enum class Type : uint8_t { kEqual = 0, kNotEqual = 1, kRegexp = 2, kNotRegexp = 3 };
  Type type = Type::kEqual;
  std::string name;
  std::string value;  // regular expressions match the whole text
};

struct PromReadQuery {
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
  std::vector<PromMatcher> matchers = {};
};

// The queries of a message. kInvalidArgument, "expected ..., got ...": the message is malformed,
// does not accept the response type SAMPLES, has a matcher of unknown type, or exceeds the limits.
absl::StatusOr<std::vector<PromReadQuery>> ParsePromRead(std::string_view message);

// The queries as JSON for the list of queries: times in milliseconds, matchers as in PromQL, each
// value cut to kPromListedBytesMax:
//
//   {"type":"REMOTE_READ","queries":[{"start":1,"end":2,"matchers":"{__name__=\"up\"}"}],
//    "queriesNotListed":0}
std::string PromReadText(std::span<const PromReadQuery> queries);

}  // namespace hourcell
