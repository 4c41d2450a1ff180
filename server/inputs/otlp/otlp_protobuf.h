// Parses an OTLP metrics request as protobuf:
// opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest. No I/O.

#pragma once

#include <string_view>

#include <absl/status/status.h>

#include "server/inputs/otlp/otlp_metrics.h"

namespace hourcell {

// Passes the data points of a message to the sink until it wants no more. The message may turn out
// malformed only at its end, after data points were passed on. kInvalidArgument: the message is
// malformed: got, want.
absl::Status ReadOtlpProtobuf(std::string_view message, OtlpSink* sink);

}  // namespace hourcell
