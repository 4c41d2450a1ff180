// Parses an OTLP metrics request as JSON: ExportMetricsServiceRequest by protobuf's JSON rules,
// with members in camelCase only. Enumerations may be numbers or names, 64-bit integers strings or
// numbers. Unknown members are ignored. No I/O.

#pragma once

#include <string_view>

#include <absl/status/status.h>

#include "server/inputs/otlp/otlp_metrics.h"

namespace hourcell {

// Passes the data points of a body to the sink until it wants no more. The body may turn out
// malformed only at its end, after data points were passed on. kInvalidArgument: the body is
// malformed: got, want.
absl::Status ReadOtlpJson(std::string_view body, OtlpSink* sink);

}  // namespace hourcell
