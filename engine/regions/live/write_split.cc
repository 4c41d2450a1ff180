#include "engine/regions/live/write_split.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/check.h"
#include "codec/rows/row_key.h"
#include "engine/regions/split/split_point.h"

// Why a day and not an hour: a sample spans several minutes and late points, so its rows may be of
// several hours. A day later all of them are above every row that the region has now.

namespace hourcell {
namespace {

constexpr uint32_t kAheadS = 24 * 3600;

// The shortest prefix of `upper` that is above `lower` and ends with a field of the key.
std::string_view FieldPrefixAbove(const RowKeyCodec& row_keys,
                                  std::string_view lower,
                                  std::string_view upper) {
  const Layout& layout = row_keys.layout();
  const auto [in_lower, in_upper] = std::ranges::mismatch(lower, upper);
  const auto common = static_cast<size_t>(in_upper - upper.begin());
  size_t end = 0;
  for (const RowField field : layout.fields) {
    if (end > common || field == RowField::kTags) break;
    end += field == RowField::kSalt     ? layout.salt_width
           : field == RowField::kMetric ? layout.metric_width
                                        : sizeof(uint32_t);
  }
  while (end <= common)
    end += layout.pair_width();
  return upper.substr(0, end);
}

// How evenly the key divides the writes: the share of the smaller side.
double SmallerShare(const RegionRange& range,
                    std::string_view key,
                    std::span<const SampledWrite> writes) {
  const double above = ShareIn({.start = std::string(key), .end = range.end}, writes);
  return std::min(above, 1 - above);
}

// The largest share of one series.
double LargestSeriesShare(const RowKeyCodec& row_keys, std::span<const SampledWrite> writes) {
  std::map<std::string, double> by_series;
  double all = 0;
  for (const SampledWrite& write : writes) {
    const absl::StatusOr<RowKeyView> row = row_keys.Parse(write.key);
    if (!row.ok()) continue;
    std::string tsuid;
    RowKeyCodec::AppendTsuid(*row, &tsuid);
    by_series[tsuid] += write.weight;
    all += write.weight;
  }
  double most = 0;
  for (const auto& [tsuid, weight] : by_series)
    most = std::max(most, weight / all);
  return most;
}

std::string WhyUndivided(const RowKeyCodec& row_keys, std::span<const SampledWrite> later) {
  if (LargestSeriesShare(row_keys, later) > 1 - kDividedShareMin) {
    return "one series has almost all writes; neither a key nor a salt divides it";
  }
  if (row_keys.layout().salt_width > 0) {
    return "the rows of each new hour follow those of the last one in the same salt bucket; more "
           "buckets would divide them";
  }
  return "the rows of each new hour follow those of the last one; a salt would divide them";
}

}  // namespace

std::vector<SampledWrite> ADayLater(const RowKeyCodec& row_keys,
                                    const RegionRange& range,
                                    std::span<const SampledWrite> writes) {
  std::vector<SampledWrite> later;
  for (const SampledWrite& write : writes) {
    const absl::StatusOr<RowKeyView> row = row_keys.Parse(write.key);
    if (!row.ok() || row->base_time_s > UINT32_MAX - kAheadS) continue;
    std::string tsuid;
    RowKeyCodec::AppendTsuid(*row, &tsuid);
    std::string key;
    row_keys.Append(tsuid, row->base_time_s + kAheadS, &key);
    if (range.Contains(key)) later.push_back({.key = std::move(key), .weight = write.weight});
  }
  std::ranges::sort(later, {}, &SampledWrite::key);
  return later;
}

double ShareIn(const RegionRange& range, std::span<const SampledWrite> writes) {
  double all = 0;
  double in = 0;
  for (const SampledWrite& write : writes) {
    all += write.weight;
    if (range.Contains(write.key)) in += write.weight;
  }
  return all > 0 ? in / all : 0;
}

WriteSplit FindWriteSplit(const RegionRange& range,
                          const SplitRestriction& restriction,
                          const RowKeyCodec& row_keys,
                          std::span<const SampledWrite> writes,
                          std::span<const SampledWrite> later) {
  HOURCELL_DCHECK(std::ranges::is_sorted(writes, {}, &SampledWrite::key));
  if (writes.empty()) {
    return {.reason = "no writes to the region were sampled in the last minutes"};
  }
  if (later.empty()) {
    return {.reason = "later points of the sampled series go to other regions"};
  }
  WriteSplit best;
  double best_share = 0;
  bool is_restricted = false;
  for (size_t i = 1; i < writes.size(); ++i) {
    const std::string_view key = FieldPrefixAbove(row_keys, writes[i - 1].key, writes[i].key);
    if (SmallerShare(range, key, later) < kDividedShareMin) continue;
    absl::StatusOr<std::string> allowed = CheckUserPoint(range, restriction, key);
    const double share = allowed.ok() ? SmallerShare(range, *allowed, later) : 0;
    if (share < kDividedShareMin) is_restricted = true;
    if (share < kDividedShareMin || share <= best_share) continue;
    best.key = *std::move(allowed);
    best_share = share;
  }
  if (best.key.empty()) {
    best.reason = is_restricted ? "tsd.region.split.restriction allows no key that divides them"
                                : WhyUndivided(row_keys, later);
  }
  return best;
}

}  // namespace hourcell
