#include <string>

#include "codec/base/check.h"
#include "server/histograms/histogram_line.h"
#include "tests/fuzz/fuzz_input.h"

// Any line and any setting of codecs is refused, or gives a histogram that can be stored.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string text(InputText(data, size));
  // A path would make it read files.
  if (!text.ends_with(".json")) static_cast<void>(ParseHistogramCodecs(text));
  const HistogramCodecs codecs{.simple = 42};
  const Parsed<SentHistogram> sent = ParseHistogramLine(codecs, text, PointLimits{});
  if (!sent.ok()) {
    HOURCELL_CHECK(!sent.error().text.empty());
    return 0;
  }
  HOURCELL_CHECK(!sent->metric.empty() && !sent->tags.empty());
  std::string bytes;
  AppendSimpleHistogram(sent->histogram, &bytes);
  const auto again = ParseSimpleHistogram(bytes);
  HOURCELL_CHECK(again.ok() && *again == sent->histogram);
  return 0;
}
