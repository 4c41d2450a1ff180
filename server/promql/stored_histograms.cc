#include "server/promql/stored_histograms.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "engine/query/query_watch.h"
#include "engine/tsdb.h"
#include "server/promql/store_source.h"

namespace hourcell {
namespace {

// A place in a map.
constexpr size_t kNodeBytes = 96;

std::vector<promql::NativeBucket> NativeBucketsOf(const std::vector<ExponentialBucket>& stored) {
  std::vector<promql::NativeBucket> buckets;
  buckets.reserve(stored.size());
  for (const ExponentialBucket& bucket : stored)
    buckets.push_back({.index = bucket.index, .count = static_cast<double>(bucket.count)});
  return buckets;
}

}  // namespace

promql::NativeHistogram NativeHistogramOf(const ExponentialHistogram& stored) {
  return {.schema = stored.scale,
          .zero_threshold = stored.zero_threshold,
          .zero_count = static_cast<double>(stored.zero_count),
          .count = static_cast<double>(stored.count),
          .sum = stored.sum.value_or(std::numeric_limits<double>::quiet_NaN()),
          .positive = NativeBucketsOf(stored.positive),
          .negative = NativeBucketsOf(stored.negative)};
}

absl::Status StoredHistograms::Read(const PromSelection& selection,
                                    const PromReadPlan& plan,
                                    const PromReadRange& range) {
  ScanSpec spec{.metric = {},
                .filters = {},
                .start_ms = std::max<int64_t>(range.start_ms, 0),
                .end_ms = std::min(range.end_ms, kTimestampMsMax)};
  if (spec.end_ms < spec.start_ms) return absl::OkStatus();
  const QueryWatch watch(reader_.service().clock, work_.control, work_.deadline_ms,
                         /*timeout_ms=*/0);
  const auto add = [&](std::span<const HistogramPoint> points) -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(watch.Check());
    for (const HistogramPoint& point : points)
      HOURCELL_RETURN_IF_ERROR(Add(selection, point));
    return absl::OkStatus();
  };
  for (const std::string& metric : plan.metrics) {
    spec.metric = metric;
    for (const PromSelection::Filters& filters : plan.filters) {
      spec.filters = filters;
      const absl::Status status = reader_.service().tsdb->queries().VisitHistograms(spec, add);
      // An unknown name selects nothing.
      if (!status.ok() && !absl::IsNotFound(status)) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status StoredHistograms::Add(const PromSelection& selection, const HistogramPoint& point) {
  if (point.exponential == nullptr) return absl::OkStatus();
  StoredName name{std::string(point.point.metric), {}};
  for (const TagView& tag : point.point.tags)
    name.second.emplace_back(tag.key, tag.value);
  if (name != last_name_ || last_ == nullptr) {
    HOURCELL_ASSIGN_OR_RETURN(last_, SeriesOf(selection, name));
    last_name_ = std::move(name);
  }
  if (last_ == nullptr) return absl::OkStatus();
  promql::NativeHistogram native = NativeHistogramOf(*point.exponential);
  HOURCELL_RETURN_IF_ERROR(hold_.Take(kNodeBytes + native.MemoryBytes()));
  // The same one may come again, for another list of filters.
  last_->try_emplace(point.point.timestamp.ms,
                     std::make_shared<const promql::NativeHistogram>(std::move(native)));
  return absl::OkStatus();
}

absl::StatusOr<StoredHistograms::ByTime*> StoredHistograms::SeriesOf(const PromSelection& selection,
                                                                     StoredName name) {
  const std::vector<std::pair<std::string_view, std::string_view>> tags(name.second.begin(),
                                                                        name.second.end());
  std::vector<PromLabel> labels = reader_.labels().Of(tags);
  if (!selection.TakesTags(tags, labels)) return nullptr;
  promql::Labels key = PromqlLabels(reader_.labels().Metric(name.first), std::move(labels));
  // The name is as large as the labels.
  HOURCELL_RETURN_IF_ERROR(hold_.Take(2 * kNodeBytes + 2 * key.MemoryBytes()));
  return &series_[std::move(key)][std::move(name)];
}

promql::PointsView StoredHistograms::TakeWith(const promql::Labels& labels,
                                              promql::PointsView numbers) {
  const auto found = series_.find(labels);
  if (found == series_.end()) return numbers;
  ByTime all;
  for (auto& [name, of_name] : found->second)
    all.merge(of_name);
  series_.erase(found);
  last_ = nullptr;
  merged_ = {};
  size_t next = 0;
  const auto add = [this](int64_t ms, double value, promql::HistogramPointer histogram) {
    merged_.times.push_back(ms);
    merged_.values.push_back(value);
    merged_.histograms.push_back(std::move(histogram));
  };
  const auto add_numbers_to = [&](int64_t end_ms) {
    for (; next < numbers.size() && numbers.times[next] <= end_ms; ++next)
      add(numbers.times[next], numbers.values[next], nullptr);
  };
  for (auto& [ms, histogram] : all) {
    add_numbers_to(ms);
    if (merged_.times.empty() || merged_.times.back() != ms) {
      add(ms, promql::kHistogram, std::move(histogram));
    }
  }
  add_numbers_to(std::numeric_limits<int64_t>::max());
  return merged_.view();
}

absl::Status StoredHistograms::VisitRest(
    absl::FunctionRef<absl::Status(const promql::Labels&, promql::PointsView)> visit) {
  while (!series_.empty()) {
    const promql::Labels labels = series_.begin()->first;
    HOURCELL_RETURN_IF_ERROR(visit(labels, TakeWith(labels, {})));
  }
  return absl::OkStatus();
}

}  // namespace hourcell
