// Why a point was refused, in the classes OpenTSDB tells apart on the wire.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

enum class PointErrorKind : uint8_t {
  kInvalidValue,     // a number does not parse
  kIllegalArgument,  // anything else wrong with the text of the point
  kUnknownName,      // a name has no UID and may not get one
  kThrottled,        // a limit is reached; the same point may be taken later
  kStorage,          // the store could not take it
};

// The counter tag of a kind: invalid_value, illegal_argument, unknown_name, throttled, storage.
std::string_view PointErrorKindName(PointErrorKind kind);

// The words between "put: " and the text on a telnet line: "invalid value", "illegal argument",
// "unknown metric", "Please throttle writes", "HBase error" (OpenTSDB's word for a failing store).
std::string_view PointErrorTelnetClass(PointErrorKind kind);

struct PointError {
  PointErrorKind kind = PointErrorKind::kIllegalArgument;
  std::string text;  // OpenTSDB's wording where it has one
  friend bool operator==(const PointError&, const PointError&) = default;
};

}  // namespace hourcell
