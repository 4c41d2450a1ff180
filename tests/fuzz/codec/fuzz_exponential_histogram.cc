#include <cmath>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/histograms/exponential_histogram.h"
#include "tests/fuzz/fuzz_input.h"

// Any bytes are a histogram that encodes again, and can be summed and asked, or are refused.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto histogram = ParseExponentialHistogram(InputText(data, size));
  if (!histogram.ok()) return 0;
  std::string bytes;
  AppendExponentialHistogram(*histogram, &bytes);
  const auto again = ParseExponentialHistogram(bytes);
  HOURCELL_CHECK(again.ok());
  std::string same;
  AppendExponentialHistogram(*again, &same);
  HOURCELL_CHECK(same == bytes);
  ExponentialHistogram sum = *histogram;
  AddExponentialHistogram(*histogram, &sum);
  HOURCELL_CHECK(sum.positive.size() <= histogram->positive.size());
  CoarsenExponentialHistogram(kExponentialScaleMin, 0, &sum);
  HOURCELL_CHECK(sum.scale == kExponentialScaleMin);
  ExponentialHistogram increase = *histogram;
  SubtractExponentialHistogram(*histogram, &increase);
  if (!histogram->begins_anew) HOURCELL_CHECK(increase.positive.empty());
  const double percentile = ExponentialPercentile(*histogram, 50);
  HOURCELL_CHECK(!std::isnan(percentile) || histogram->min || histogram->max);
  return 0;
}
