// A request of OpenTelemetry's protocol for metrics as protobuf:
// opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest. Pure.

#pragma once

#include <string_view>

#include <absl/status/status.h>

#include "server/inputs/otlp/otlp_metrics.h"

namespace hourcell {

// Hands the data points of a message to the sink, until it wants no more. It may be broken in its
// last byte, after what was handed on.
// Error: kInvalidArgument: the message is none: got, want.
absl::Status ReadOtlpProtobuf(std::string_view message, OtlpSink* sink);

}  // namespace hourcell
