#include <string_view>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "server/inputs/prometheus/prom_write_request.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/inputs/metadata_fuzz.h"

namespace hourcell {
namespace {

void CheckSeries(const PromSeries& series) {
  HOURCELL_CHECK(!series.name.empty() && series.name.size() <= kNameBytesMax);
  HOURCELL_CHECK(series.labels.size() <= kTagsMax);
  HOURCELL_CHECK(series.samples.size() <= kPromSamplesMax);
  HOURCELL_CHECK(series.histograms.size() <= kPromHistogramsMax);
  for (const PromHistogram& native : series.histograms) {
    HOURCELL_CHECK(native.buckets() <= kPromBucketsMax);
    HOURCELL_CHECK(IsUtf8(native.fault));
    if (!native.is_stale && native.fault.empty()) {
      HOURCELL_CHECK(CheckExponentialHistogram(native.histogram).ok());
    }
  }
  if (series.metadata.has_value()) {
    HOURCELL_CHECK(series.name.starts_with(series.metadata->metric));
    HOURCELL_CHECK(!series.metadata->says_nothing());
    CheckMetadataText(*series.metadata);
  }
  for (const TagView& label : series.labels) {
    HOURCELL_CHECK(!label.key.empty() && label.key.size() <= kNameBytesMax);
    HOURCELL_CHECK(!label.value.empty() && label.value.size() <= kNameBytesMax);
  }
}

// How many series a message has before its end or its error.
size_t CheckMessage(std::string_view message, PromWriteVersion version) {
  PromWriteRequest request(message, version);
  size_t series = 0;
  while (request.Next()) {
    HOURCELL_CHECK(request.number() == ++series);
    HOURCELL_CHECK(IsUtf8(request.fault()));
    if (request.fault().empty()) CheckSeries(request.series());
  }
  HOURCELL_CHECK(IsUtf8(request.error()));
  HOURCELL_CHECK(request.metadata().size() <= kMetadataAtOnce);
  HOURCELL_CHECK(version == PromWriteVersion::k1 || request.metadata().empty());
  for (const MetricMetadata& metadata : request.metadata())
    CheckMetadataText(metadata);
  return series;
}

}  // namespace
}  // namespace hourcell

// Any message is read to its end or to an error, the same twice, within the bounds of a series.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view message = InputText(data, size);
  for (const PromWriteVersion version : {PromWriteVersion::k1, PromWriteVersion::k2})
    HOURCELL_CHECK(CheckMessage(message, version) == CheckMessage(message, version));
  return 0;
}
