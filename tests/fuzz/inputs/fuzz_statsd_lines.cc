#include <algorithm>
#include <cmath>
#include <string_view>

#include "codec/base/check.h"
#include "codec/limits.h"
#include "codec/rows/layout.h"
#include "codec/text/name.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/statsd/statsd_aggregator.h"
#include "server/inputs/statsd/statsd_line.h"
#include "server/inputs/statsd/statsd_settings.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

void CheckLine(const StatsdLine& line) {
  HOURCELL_CHECK(!line.name.empty() && !line.values.empty());
  HOURCELL_CHECK(line.values.size() <= kStatsdLineValuesMax && line.tags.size() <= kTagsMax);
  HOURCELL_CHECK(line.rate > 0 && line.rate <= 1);
  for (const TagView& tag : line.tags)
    HOURCELL_CHECK(!tag.key.empty() && !tag.value.empty());
}

void CheckPoint(const StatsdPoint& point) {
  HOURCELL_CHECK(NameFault(point.metric, NameEncoding::kLatin1, "").empty());
  HOURCELL_CHECK(point.tags.find('=') != point.tags.npos);
  HOURCELL_CHECK(std::isfinite(point.value.ToDouble()));
}

}  // namespace
}  // namespace hourcell

// Each line has a fault or samples within their bounds, and what they add up to has legal names and
// finite values.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  static const NameRule names(NameEncoding::kLatin1, "");
  const StatsdSettings settings{
      .prefix = "", .percentiles = {{.percent = 90, .suffix = ".p90"}}, .series_max = 4};
  StatsdAggregator aggregator(&names, &settings, /*values_max=*/8);
  std::string_view text = InputText(data, size);
  StatsdLine line;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (!ReadStatsdLine(one, &line).empty() || line.is_skipped) continue;
    CheckLine(line);
    aggregator.Add(line, "host=unknown", 1);
    HOURCELL_CHECK(aggregator.series() <= settings.series_max);
  }
  for (const StatsdPoint& point : aggregator.Flush(2))
    CheckPoint(point);
  return 0;
}
