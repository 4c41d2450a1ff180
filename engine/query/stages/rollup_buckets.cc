#include "engine/query/stages/rollup_buckets.h"

#include <cmath>

namespace hourcell {

Span RollupAverages(const Span& sums,
                    const Span& counts,
                    DownsampleSpec spec,
                    const QueryRange& range) {
  Span paired_sums;
  Span paired_counts;
  size_t at = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    while (at < counts.size() && counts.t[at] < sums.t[i])
      ++at;
    if (at == counts.size()) break;
    if (counts.t[at] != sums.t[i]) continue;
    paired_sums.push_back(sums.t[i], sums.value(i));
    // OpenTSDB reads a count as an integer.
    paired_counts.push_back(counts.t[at], Value::Float(std::trunc(counts.ToDouble(at))));
  }
  spec.function = Aggregator::kSum;
  spec.fill = FillPolicy::kNone;
  const Span of_sums = Downsample(paired_sums, spec, range);
  const Span of_counts = Downsample(paired_counts, spec, range);
  Span averages;
  for (size_t i = 0; i < of_sums.size(); ++i) {
    const double count = of_counts.ToDouble(i);
    averages.push_back(of_sums.t[i], Value::Float(count == 0 ? 0 : of_sums.ToDouble(i) / count));
  }
  return averages;
}

}  // namespace hourcell
