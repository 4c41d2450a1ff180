// A request of OpenTelemetry's protocol for metrics as JSON: what ExportMetricsServiceRequest is by
// protobuf's rules for JSON, which are stricter here: names of members in camelCase, enumerations
// as numbers. Integers of 64 bits may be strings or numbers. Unknown members are ignored. Pure.

#pragma once

#include <string_view>

#include <absl/status/status.h>

#include "server/inputs/otlp/otlp_metrics.h"

namespace hourcell {

// Hands the data points of a body to the sink, until it wants no more. It may be none in
// its last data point, after what was handed on.
// Error: kInvalidArgument: the body is no such request: got, want.
absl::Status ReadOtlpJson(std::string_view body, OtlpSink* sink);

}  // namespace hourcell
