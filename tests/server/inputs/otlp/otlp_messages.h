// Requests of OpenTelemetry's protocol, as an exporter makes them, and a reader's view of them as
// text.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "server/inputs/otlp/otlp_metrics.h"

namespace hourcell {

// A request with a metric of each kind, at 1356998400.5 s, in either form.
std::string OtlpSampleProtobuf();
std::string_view OtlpSampleJson();

// One of a single gauge: {"resourceMetrics":[{... "gauge":{"dataPoints":[<points>]}}]}.
std::string OtlpGaugeJson(std::string_view name, std::string_view points);

// Each resource and data point that a reader hands on, as a line of text; "! <error>" at the end of
// what is no request.
//
//   resource service.name=shop
//   requests sum 2 @1356998400500000000 method=GET value=42
//   requests unit=1 description=Served monotonic        of a metric that has one of these
std::vector<std::string> OtlpLines(absl::Status (*read)(std::string_view, OtlpSink*),
                                   std::string_view body);

// The lines of the samples.
std::vector<std::string> OtlpSampleLines();

}  // namespace hourcell
