#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  HOURCELL_CHECK(!line.name.empty() && !line.samples.empty());
  HOURCELL_CHECK(line.samples.size() <= kStatsdLineValuesMax && line.tags.size() <= kTagsMax);
  for (const StatsdSample& sample : line.samples)
    HOURCELL_CHECK(!sample.value.empty() && sample.rate > 0 && sample.rate <= 1);
  for (const TagView& tag : line.tags)
    HOURCELL_CHECK(!tag.key.empty() && !tag.value.empty());
}

// Checks the points of the series, whose names are distinct, and frees them.
void CheckPoints(std::span<StatsdEnded> ended,
                 std::span<const StatsdPercentile> percentiles,
                 StatsdBytes* bytes) {
  std::set<std::string> names;
  for (StatsdEnded& one : ended) {
    VisitStatsdPoints(one, percentiles, [&](std::string_view suffix, Value value) {
      const std::string metric = std::string(one.series->metric()).append(suffix);
      HOURCELL_CHECK(NameFault(metric, NameEncoding::kLatin1, "").empty());
      HOURCELL_CHECK(one.series->tags().starts_with(kTagSeparator));
      HOURCELL_CHECK(std::ranges::count(one.series->tags(), kTagSeparator) % 2 == 0);
      HOURCELL_CHECK(std::isfinite(value.ToDouble()));
      HOURCELL_CHECK(names.insert(metric + ' ' + std::string(one.series->tags())).second);
    });
    ReleaseStatsd(&one, bytes);
  }
}

}  // namespace
}  // namespace hourcell

// Each line has a fault or samples within their bounds, and their sums have legal names,
// each once, and finite values. Bytes that are held are within their bound, and given back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  static const NameRule names(NameEncoding::kLatin1, "");
  const StatsdSettings settings{.prefix = "",
                                .percentiles = {{.percent = 90, .suffix = ".p90"}},
                                .series_max = 4,
                                .memory_bytes = 4096};
  StatsdBytes bytes = 0;
  StatsdAggregator aggregator(&names, &settings, &bytes, /*values_max=*/8);
  std::string_view text = InputText(data, size);
  StatsdLine line;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (!ReadStatsdLine(one, &line).empty() || line.is_skipped) continue;
    CheckLine(line);
    aggregator.Add(line, "\1host\1unknown", 1);
    HOURCELL_CHECK(aggregator.series() <= settings.series_max);
    HOURCELL_CHECK(bytes <= settings.memory_bytes);
  }
  std::vector<StatsdEnded> ended = aggregator.End(2);
  CheckPoints(ended, settings.percentiles, &bytes);
  aggregator.End(2 + kStatsdGaugeMs);
  HOURCELL_CHECK(bytes == 0);
  return 0;
}
