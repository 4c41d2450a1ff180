#include "engine/histograms/histogram_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/histograms/histogram_text.h"
#include "engine/annotations/annotation_scan.h"

namespace hourcell {
namespace {

// Limit of the buckets of time of a query, the same as for numbers.
constexpr size_t kHistogramTimesMax = size_t{1} << 19;

// Memory of a histogram without its buckets: its place in a map.
constexpr size_t kSumBytes = sizeof(HistogramValue) + 64;

// Histograms that are counted at once against the limits.
constexpr uint64_t kHistogramsCountedAtOnce = 256;

size_t BytesOfHistogram(const SimpleHistogram& histogram) {
  return kSumBytes + histogram.buckets.size() * sizeof(HistogramBucket);
}

size_t BytesOfHistogram(const ExponentialHistogram& histogram) {
  return kSumBytes +
         (histogram.positive.size() + histogram.negative.size()) * sizeof(ExponentialBucket);
}

size_t BytesOfValue(const HistogramValue& value) {
  return std::visit([](const auto& histogram) { return BytesOfHistogram(histogram); }, value);
}

double PercentileOfValue(const HistogramValue& value, double percentile) {
  if (const auto* const simple = std::get_if<SimpleHistogram>(&value)) {
    return PercentileOf(*simple, percentile);
  }
  return ExponentialPercentile(std::get<ExponentialHistogram>(value), percentile);
}

// Adds `from`. REQUIRES: both have one kind.
void AddValue(const HistogramValue& from, HistogramValue* sum) {
  HOURCELL_DCHECK(from.index() == sum->index());
  if (const auto* const simple = std::get_if<SimpleHistogram>(&from)) {
    return AddHistogram(*simple, &std::get<SimpleHistogram>(*sum));
  }
  AddExponentialHistogram(std::get<ExponentialHistogram>(from),
                          &std::get<ExponentialHistogram>(*sum));
}

Value ValueOfCount(const ExponentialHistogram& histogram, ExponentialCount count) {
  const bool is_integer =
      !histogram.has_float_counts &&
      count <= static_cast<ExponentialCount>(std::numeric_limits<int64_t>::max());
  return is_integer ? Value::Integer(static_cast<int64_t>(count))
                    : Value::Float(static_cast<double>(count));
}

// Adds the series of all buckets: those in `all` with a point for each time, 0 where a histogram
// lacks the bucket.
void AppendExponentialSeries(std::string_view metric,
                             int scale,
                             bool is_negative,
                             std::span<const ExponentialBucket> all,
                             std::span<const std::pair<int64_t, ExponentialHistogram>> by_time,
                             std::vector<HistogramSeries>* series) {
  const size_t first = series->size();
  for (const ExponentialBucket& bucket : all) {
    series->push_back(
        {.metric = ExponentialSeriesName(metric, scale, bucket.index, is_negative), .points = {}});
  }
  for (const auto& [ms, histogram] : by_time) {
    const std::vector<ExponentialBucket>& buckets =
        is_negative ? histogram.negative : histogram.positive;
    auto own = buckets.begin();
    for (size_t i = 0; i < all.size(); ++i) {
      const bool is_own = own != buckets.end() && own->index == all[i].index;
      (*series)[first + i].points.push_back(ms, ValueOfCount(histogram, is_own ? own++->count : 0));
    }
  }
  if (is_negative) std::reverse(series->begin() + static_cast<ptrdiff_t>(first), series->end());
}

}  // namespace

absl::Status CheckHistogramQuery(const SubQuery& query) {
  if (!query.is_of_histograms()) return absl::OkStatus();
  if (query.aggregator != Aggregator::kSum && query.aggregator != Aggregator::kNone) {
    return absl::InvalidArgumentError(
        "percentiles: histograms can only be summed; expected the aggregator sum or none");
  }
  if (query.downsample.has_value() && query.downsample->function != Aggregator::kSum) {
    return absl::InvalidArgumentError(
        "percentiles: histograms can only be summed; expected the downsampling function sum");
  }
  for (const double percentile : query.percentiles) {
    if (percentile >= 0 && percentile <= 100) continue;
    return absl::InvalidArgumentError(
        fmt::format("percentiles: expected 0 to 100, got {}", percentile));
  }
  return absl::OkStatus();
}

// The sums of a group, while its rows are read.
class HistogramReader::Sum {
 public:
  Sum(const HistogramReader& reader, MemoryHold* hold) : reader_(reader), hold_(*hold) {}

  absl::Status Add(const AnnotationRow& row) {
    ++read_;
    bytes_ += row.key.size() + row.value.size();
    if (read_ == kHistogramsCountedAtOnce) HOURCELL_RETURN_IF_ERROR(Count());
    if (row.start_ms < reader_.visible_from_ms_) return absl::OkStatus();
    const int64_t ms = reader_.TimeOf(row.start_ms);
    const bool is_in_range = ms >= reader_.range_.start_ms && ms <= reader_.range_.end_ms;
    absl::StatusOr<HistogramValue> histogram = ParseHistogramCell(row.value);
    if (!histogram.ok()) {
      return absl::DataLossError(
          fmt::format("row {}: {}", ToHex(row.key), MessageOf(histogram.status())));
    }
    if (last_tsuid_ != row.tsuid) {
      last_tsuid_ = row.tsuid;
      present_.insert(last_tsuid_);
    }
    HOURCELL_ASSIGN_OR_RETURN(const bool has_increase, MakeIncrease(row.tsuid, &*histogram));
    if (!has_increase || !is_in_range) return absl::OkStatus();
    return AddAt(ms, *std::move(histogram));
  }

  // Counts the histograms that were read since the last call.
  absl::Status Count() {
    return reader_.parts_.count(std::exchange(read_, 0), std::exchange(bytes_, 0));
  }

  bool HasSome(std::string_view tsuid) const { return present_.contains(std::string(tsuid)); }
  std::map<int64_t, HistogramValue> TakeSums() { return std::move(sums_); }

 private:
  // Makes a cumulative histogram the increase since the one before it, if the query wants a rate.
  // False: it is the first of its series.
  absl::StatusOr<bool> MakeIncrease(std::string_view tsuid, HistogramValue* value) {
    auto* const histogram = std::get_if<ExponentialHistogram>(value);
    if (!reader_.query_.rate.has_value() || histogram == nullptr || !histogram->is_cumulative) {
      return true;
    }
    const auto [before, is_first] = before_.try_emplace(std::string(tsuid));
    const size_t held = is_first ? 0 : BytesOfHistogram(before->second);
    ExponentialHistogram now = *histogram;
    if (!is_first) SubtractExponentialHistogram(before->second, histogram);
    before->second = std::move(now);
    hold_.GiveBack(held);
    HOURCELL_RETURN_IF_ERROR(hold_.Take(BytesOfHistogram(before->second)));
    return !is_first;
  }

  absl::Status AddAt(int64_t ms, HistogramValue value) {
    const auto [sum, is_first] = sums_.try_emplace(ms);
    const size_t held = is_first ? 0 : BytesOfValue(sum->second);
    if (is_first) {
      sum->second = std::move(value);
    } else if (sum->second.index() == value.index()) {
      AddValue(value, &sum->second);
    } else {
      return absl::InvalidArgumentError(fmt::format(
          "percentiles: expected histograms of one kind at {} ms, got OpenTSDB's and exponential "
          "ones, which cannot be summed; query them apart, by tags or times",
          ms));
    }
    hold_.GiveBack(held);
    return hold_.Take(BytesOfValue(sum->second));
  }

  const HistogramReader& reader_;
  MemoryHold& hold_;
  uint64_t read_ = 0;   // histograms that are not counted yet
  uint64_t bytes_ = 0;  // their bytes
  std::string last_tsuid_;
  absl::flat_hash_set<std::string> present_;  // tsuids with a histogram
  std::map<int64_t, HistogramValue> sums_;
  // The last cumulative histogram of each tsuid, for a rate.
  absl::flat_hash_map<std::string, ExponentialHistogram> before_;
};

HistogramReader::HistogramReader(const Parts& parts,
                                 const SubQuery& query,
                                 const QueryRange& range,
                                 int64_t visible_from_ms)
    : parts_(parts),
      query_(query),
      range_(range),
      visible_from_ms_(visible_from_ms),
      percentiles_(query.percentiles) {
  std::ranges::sort(percentiles_);
}

absl::Status HistogramReader::Begin() {
  if (!query_.downsample.has_value()) return absl::OkStatus();
  std::optional<std::vector<int64_t>> times =
      BucketTimes(*query_.downsample, range_, kHistogramTimesMax);
  if (!times.has_value()) {
    return absl::ResourceExhaustedError(fmt::format(
        "downsample: more than {} buckets of time; use a longer interval", kHistogramTimesMax));
  }
  bucket_times_ = *std::move(times);
  return absl::OkStatus();
}

int64_t HistogramReader::TimeOf(int64_t ms) const {
  if (!query_.downsample.has_value()) return ms;
  constexpr int64_t kNone = -1;
  if (query_.downsample->all) return ms < range_.end_ms ? range_.start_ms : kNone;
  const auto after = std::ranges::upper_bound(bucket_times_, ms);
  return after == bucket_times_.begin() ? kNone : *std::prev(after);
}

absl::StatusOr<HistogramGroup> HistogramReader::Read(
    std::span<const uint32_t> members,
    const std::function<std::string_view(uint32_t)>& tsuid_of,
    MemoryHold* hold) const {
  HOURCELL_DCHECK(!query_.downsample.has_value() || !bucket_times_.empty());
  HOURCELL_RETURN_IF_ERROR(hold->Take(members.size() * (sizeof(std::string_view) + 64)));
  std::vector<std::string_view> tsuids;
  tsuids.reserve(members.size());
  for (const uint32_t member : members)
    tsuids.push_back(tsuid_of(member));
  std::ranges::sort(tsuids);
  // A bucket of time needs the histograms around the range.
  const bool is_exact = !query_.downsample.has_value() || query_.downsample->all;
  const int64_t from_ms = is_exact ? range_.start_ms : int64_t{range_.scan.begin_s} * 1000;
  const int64_t to_ms =
      is_exact ? range_.end_ms : static_cast<int64_t>(range_.scan.end_s) * 1000 - 1;
  Sum sum(*this, hold);
  HOURCELL_RETURN_IF_ERROR(
      ScanSeriesHistograms(*parts_.row_keys, parts_.view, tsuids, from_ms, to_ms,
                           [&sum](const AnnotationRow& row) { return sum.Add(row); }));
  HOURCELL_RETURN_IF_ERROR(sum.Count());
  HistogramGroup group;
  for (const uint32_t member : members)
    if (sum.HasSome(tsuid_of(member))) group.present.push_back(member);
  group.sums = sum.TakeSums();
  return group;
}

absl::StatusOr<std::vector<HistogramSeries>> HistogramReader::SeriesOf(std::string_view metric,
                                                                       const HistogramGroup& group,
                                                                       MemoryHold* hold) const {
  HOURCELL_RETURN_IF_ERROR(hold->Take(percentiles_.size() * group.sums.size() * kSpanPointBytes));
  std::vector<HistogramSeries> series;
  for (const double percentile : percentiles_) {
    HistogramSeries& one = series.emplace_back();
    one.metric = PercentileSeriesName(metric, percentile);
    for (const auto& [ms, histogram] : group.sums)
      one.points.push_back(ms, Value::Float(PercentileOfValue(histogram, percentile)));
  }
  if (!query_.show_histogram_buckets) return series;
  HOURCELL_RETURN_IF_ERROR(AppendBuckets(metric, group, &series, hold));
  HOURCELL_RETURN_IF_ERROR(AppendExponentialBuckets(metric, group, &series, hold));
  return series;
}

// The underflow, the buckets, and the overflow of OpenTSDB's histograms.
absl::Status HistogramReader::AppendBuckets(std::string_view metric,
                                            const HistogramGroup& group,
                                            std::vector<HistogramSeries>* series,
                                            MemoryHold* hold) {
  SimpleHistogram all;  // with the bounds of all
  std::vector<std::pair<int64_t, const SimpleHistogram*>> by_time;
  for (const auto& [ms, value] : group.sums) {
    const auto* const histogram = std::get_if<SimpleHistogram>(&value);
    if (histogram == nullptr) continue;
    AddHistogram(*histogram, &all);
    by_time.emplace_back(ms, histogram);
  }
  if (by_time.empty() && !group.sums.empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(hold->Take((all.buckets.size() + 2) * by_time.size() * kSpanPointBytes));
  const size_t first = series->size();
  series->push_back({.metric = UnderflowSeriesName(metric), .points = {}});
  for (const HistogramBucket& bucket : all.buckets)
    series->push_back({.metric = BucketSeriesName(metric, bucket), .points = {}});
  series->push_back({.metric = OverflowSeriesName(metric), .points = {}});
  for (const auto& [ms, histogram] : by_time) {
    (*series)[first].points.push_back(ms, Value::Integer(histogram->underflow));
    auto own = histogram->buckets.begin();
    for (size_t i = 0; i < all.buckets.size(); ++i) {
      const bool is_own = own != histogram->buckets.end() && own->has_bounds_of(all.buckets[i]);
      (*series)[first + 1 + i].points.push_back(ms, Value::Integer(is_own ? own++->count : 0));
    }
    series->back().points.push_back(ms, Value::Integer(histogram->overflow));
  }
  return absl::OkStatus();
}

// The buckets in ascending order, then the count and the sum of exponential histograms.
absl::Status HistogramReader::AppendExponentialBuckets(std::string_view metric,
                                                       const HistogramGroup& group,
                                                       std::vector<HistogramSeries>* series,
                                                       MemoryHold* hold) {
  std::optional<ExponentialHistogram> all;  // with the buckets of all
  std::vector<std::pair<int64_t, ExponentialHistogram>> by_time;
  for (const auto& [ms, value] : group.sums) {
    const auto* const histogram = std::get_if<ExponentialHistogram>(&value);
    if (histogram == nullptr) continue;
    HOURCELL_RETURN_IF_ERROR(hold->Take(BytesOfHistogram(*histogram)));
    by_time.emplace_back(ms, *histogram);
    if (all.has_value()) {
      AddExponentialHistogram(*histogram, &*all);
    } else {
      all = *histogram;
    }
  }
  if (!all.has_value()) return absl::OkStatus();
  CoarsenExponentialHistogram(all->scale, all->zero_threshold, &*all);
  const size_t buckets = all->positive.size() + all->negative.size();
  HOURCELL_RETURN_IF_ERROR(hold->Take((buckets + 3) * by_time.size() * kSpanPointBytes));
  for (auto& [ms, histogram] : by_time)
    CoarsenExponentialHistogram(all->scale, all->zero_threshold, &histogram);
  AppendExponentialSeries(metric, all->scale, /*is_negative=*/true, all->negative, by_time, series);
  HistogramSeries zero{.metric = ZeroSeriesName(metric), .points = {}};
  HistogramSeries count{.metric = CountSeriesName(metric), .points = {}};
  HistogramSeries sum{.metric = SumSeriesName(metric), .points = {}};
  for (const auto& [ms, histogram] : by_time) {
    zero.points.push_back(ms, ValueOfCount(histogram, histogram.zero_count));
    count.points.push_back(ms, ValueOfCount(histogram, histogram.count));
    if (std::isfinite(histogram.sum.value_or(NAN))) {
      sum.points.push_back(ms, Value::Float(*histogram.sum));
    }
  }
  series->push_back(std::move(zero));
  AppendExponentialSeries(metric, all->scale, /*is_negative=*/false, all->positive, by_time,
                          series);
  series->push_back(std::move(count));
  series->push_back(std::move(sum));
  return absl::OkStatus();
}

}  // namespace hourcell
