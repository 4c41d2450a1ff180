// Converts exponential histograms of OpenTelemetry to the store's. No I/O.

#pragma once

#include <string>

#include "codec/histograms/exponential_histogram.h"
#include "server/inputs/otlp/otlp_metrics.h"

namespace hourcell {

// Takes the data point whole; buckets without values are left out. A scale above
// kExponentialScaleMax becomes that scale. Returns the fault, "expected ..., got ...", or "".
std::string ExponentialOf(const OtlpMetric& metric,
                          const OtlpPoint& point,
                          ExponentialHistogram* histogram);

}  // namespace hourcell
