#include "engine/query/functions/series_join.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "codec/base/check.h"

// Why keys are texts: a map of texts joins any number of inputs, and its order, which clients see
// as the order of the results, depends on names alone and not on the UIDs of this store.

namespace hourcell {

std::string JoinKey(std::span<const std::pair<std::string, std::string>> tags,
                    std::span<const std::string> aggregate_tags) {
  std::string key;
  if (tags.empty()) return key;
  std::vector<std::pair<std::string, std::string>> sorted(tags.begin(), tags.end());
  std::ranges::sort(sorted);
  // Names have no control characters, so these end them.
  for (const auto& [tagk, tagv] : sorted)
    key.append(tagk).append(1, '\1').append(tagv).append(1, '\1');
  std::vector<std::string> aggregated(aggregate_tags.begin(), aggregate_tags.end());
  std::ranges::sort(aggregated);
  for (const std::string& tagk : aggregated)
    key.append(1, '\2').append(tagk);
  return key;
}

absl::StatusOr<std::vector<JoinedSeries>> JoinByKey(
    const std::vector<std::vector<std::string>>& keys, JoinSet set) {
  std::map<std::string_view, JoinedSeries> joined;
  for (size_t input = 0; input < keys.size(); ++input) {
    for (size_t i = 0; i < keys[input].size(); ++i) {
      JoinedSeries& of_key = joined[keys[input][i]];
      of_key.resize(keys.size(), kNoSeries);
      if (of_key[input] != kNoSeries) {
        return absl::InvalidArgumentError(fmt::format(
            "join: input {} has two series with the same tags; expected one", input + 1));
      }
      of_key[input] = i;
    }
  }
  std::vector<JoinedSeries> results;
  for (auto& [key, series] : joined) {
    const bool is_whole = std::ranges::find(series, kNoSeries) == series.end();
    if (is_whole || set == JoinSet::kUnion) results.push_back(std::move(series));
  }
  return results;
}

std::vector<int64_t> UnionOfTimes(std::span<const Span* const> spans) {
  const auto longest =
      std::ranges::max_element(spans, {}, [](const Span* span) { return span->size(); });
  if (longest == spans.end()) return {};
  std::vector<int64_t> times = (*longest)->t;
  // Of downsampled series most have the same times.
  const bool are_equal =
      std::ranges::all_of(spans, [&](const Span* span) { return span->t == times; });
  if (are_equal) return times;
  times.clear();
  for (const Span* const span : spans)
    times.insert(times.end(), span->t.begin(), span->t.end());
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  return times;
}

std::vector<double> ValuesAt(std::span<const int64_t> times,
                             const Span& span,
                             const MissingValue& missing) {
  std::vector<double> values(times.size(), missing.value);
  size_t at = 0;
  for (size_t i = 0; i < span.size(); ++i) {
    while (at < times.size() && times[at] < span.t[i])
      ++at;
    HOURCELL_DCHECK(at < times.size() && times[at] == span.t[i]);
    const double value = span.ToDouble(i);
    if (!missing.replaces_nan || !std::isnan(value)) values[at] = value;
  }
  return values;
}

}  // namespace hourcell
