#include <string>
#include <variant>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/histograms/exponential_histogram.h"
#include "codec/histograms/histogram_value.h"
#include "codec/histograms/simple_histogram.h"
#include "server/histograms/histogram_json.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

// True if the stored bytes of the histogram give it again.
bool IsStorable(const HistogramValue& histogram) {
  std::string bytes;
  if (const auto* simple = std::get_if<SimpleHistogram>(&histogram)) {
    AppendSimpleHistogram(*simple, &bytes);
    const auto again = ParseSimpleHistogram(bytes);
    return again.ok() && *again == *simple;
  }
  AppendExponentialHistogram(std::get<ExponentialHistogram>(histogram), &bytes);
  const auto again = ParseExponentialHistogram(bytes);
  return again.ok() && *again == std::get<ExponentialHistogram>(histogram);
}

}  // namespace
}  // namespace hourcell

// Any body is refused as a whole, or each of its objects is a histogram that can be stored, or has
// a fault.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const HistogramCodecs codecs{.simple = 42};
  const auto body = ParseHistogramBody(codecs, std::string(InputText(data, size)));
  if (!body.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(body.status()));
    return 0;
  }
  HOURCELL_CHECK(body->good.size() == body->index_of.size());
  HOURCELL_CHECK(body->size == body->good.size() + body->faults.size());
  for (const SentHistogram& sent : body->good) {
    HOURCELL_CHECK(IsStorable(sent.histogram));
    HOURCELL_CHECK(!sent.metric.empty() && !sent.tags.empty());
  }
  for (const HistogramFault& fault : body->faults)
    HOURCELL_CHECK(fault.index < body->size && !fault.error.text.empty());
  return 0;
}
