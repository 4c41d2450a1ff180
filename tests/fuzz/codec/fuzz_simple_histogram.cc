#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/histograms/histogram_text.h"
#include "codec/histograms/simple_histogram.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

// A histogram that was parsed has bytes that give it back, and a sum with itself.
void CheckHistogram(const SimpleHistogram& histogram) {
  std::string bytes;
  AppendSimpleHistogram(histogram, &bytes);
  const absl::StatusOr<SimpleHistogram> again = ParseSimpleHistogram(bytes);
  HOURCELL_CHECK(again.ok() && *again == histogram);
  SimpleHistogram sum = histogram;
  AddHistogram(histogram, &sum);
  HOURCELL_CHECK(sum.buckets.size() == histogram.buckets.size());
  for (const HistogramBucket& bucket : sum.buckets)
    HOURCELL_CHECK(bucket.count >= 0);
  HOURCELL_CHECK(PercentileOf(histogram, 0.5) == -1);
}

}  // namespace
}  // namespace hourcell

// Any bytes, and any text, are a histogram that encodes again, or are refused.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view input = InputText(data, size);
  const absl::StatusOr<SimpleHistogram> of_bytes = ParseSimpleHistogram(input);
  if (of_bytes.ok()) CheckHistogram(*of_bytes);
  const Parsed<SimpleHistogram> of_text = ParseHistogramText(input);
  if (of_text.ok()) CheckHistogram(*of_text);
  return 0;
}
