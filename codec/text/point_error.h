// Reasons for rejecting a point, in the classes that OpenTSDB distinguishes in its protocols.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

enum class PointErrorKind : uint8_t {
  kInvalidValue,     // a number does not parse
  kIllegalArgument,  // any other fault in the text of the point
  kUnknownName,      // a name has no UID and may not get one
  kNoSuchRollup,     // its level is not configured
  kThrottled,        // a limit is reached; a later attempt may succeed
  kStorage,          // the store could not take it
};

// The counter tag of a kind: invalid_value, illegal_argument, unknown_name, no_such_rollup,
// throttled, storage.
std::string_view PointErrorKindName(PointErrorKind kind);

// The words between "put: " and the text on a telnet line: "invalid value", "illegal argument",
// "unknown metric", "No such rollup", "Please throttle writes", "HBase error" (OpenTSDB's word for
// a failing store).
std::string_view PointErrorTelnetClass(PointErrorKind kind);

struct PointError {
  PointErrorKind kind = PointErrorKind::kIllegalArgument;
  std::string text;  // OpenTSDB's wording where it has one
  friend bool operator==(const PointError&, const PointError&) = default;
};

}  // namespace hourcell
