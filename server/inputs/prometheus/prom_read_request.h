// A request of Prometheus' remote read: protobuf, inflated (prometheus.ReadRequest).
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

// Bounds of a request.
inline constexpr size_t kPromQueriesMax = 64;
inline constexpr size_t kPromMatchersMax = 64;  // of a query
inline constexpr size_t kPromRegexpsMax = 64;   // of all queries together

inline constexpr size_t kPromListedBytesMax = 256;  // of a value, in the list of queries

struct PromMatcher {
  enum class Type : uint8_t { kEqual = 0, kNotEqual = 1, kRegexp = 2, kNotRegexp = 3 };
  Type type = Type::kEqual;
  std::string name;
  std::string value;  // of a regular expression, which matches from end to end
};

struct PromReadQuery {
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
  std::vector<PromMatcher> matchers = {};
};

// The queries of a message. kInvalidArgument, "got ...; want ...": it is no such message, asks for
// none of the response types that there are (SAMPLES), has a matcher of an unknown type, or is over
// the bounds.
absl::StatusOr<std::vector<PromReadQuery>> ParsePromRead(std::string_view message);

// What a message asks, as JSON for the list of queries: times in milliseconds, and matchers as
// PromQL writes them, each value cut to kPromListedBytesMax:
//
//   {"type":"REMOTE_READ","queries":[{"start":1,"end":2,"matchers":"{__name__=\"up\"}"}],
//    "queriesNotListed":0}
std::string PromReadText(std::span<const PromReadQuery> queries);

}  // namespace hourcell
