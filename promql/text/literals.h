// Numbers and durations of queries, from their text and back to it.
//
// Pure functions; thread-safe. parser.h has ParseDuration, which literals.cc implements.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell::promql {

// 12, 0x1f, 017 (octal), 1.5, .5, 2e3, Inf and NaN in any case, without a sign.
// kInvalidArgument: `error parsing number: strconv.ParseFloat: parsing "0x": invalid syntax`, and
// "value out of range" for a number that is too large.
absl::StatusOr<double> ParseNumberLiteral(std::string_view text);

// The shortest text that reads back as `value`: 1e+06, 0.001, +Inf, -Inf, NaN.
void AppendNumberLiteral(double value, std::string* out);

// The time of @ in Unix seconds with three decimals. Reads back as `ms`, also beyond 2^53 if `ms`
// comes from a text.
void AppendAtTime(int64_t ms, std::string* out);
// The inverse: `seconds` in milliseconds, as Prometheus rounds it. A number that does not fit is
// INT64_MIN.
int64_t AtTimeMs(double seconds);

// 90000 -> 1m30s. REQUIRES: ms >= 0.
void AppendDuration(int64_t ms, std::string* out);

}  // namespace hourcell::promql
