// HistogramValue: a histogram of either kind. Pure; thread-safe.

#pragma once

#include <variant>

#include "codec/histograms/exponential_histogram.h"
#include "codec/histograms/simple_histogram.h"

namespace hourcell {

using HistogramValue = std::variant<SimpleHistogram, ExponentialHistogram>;

}  // namespace hourcell
