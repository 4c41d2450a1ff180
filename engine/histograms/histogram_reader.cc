#include "engine/histograms/histogram_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/histograms/histogram_text.h"
#include "engine/annotations/annotation_scan.h"
#include "engine/rows/histogram_cell.h"

namespace hourcell {
namespace {

// Limit of the buckets of time of a query, the same as for numbers.
constexpr size_t kHistogramTimesMax = size_t{1} << 19;

// Memory of a sum without its buckets: its place in the map.
constexpr size_t kSumBytes = sizeof(SimpleHistogram) + 64;

// Histograms that are counted at once against the limits.
constexpr uint64_t kHistogramsCountedAtOnce = 256;

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
    absl::StatusOr<SimpleHistogram> histogram = ParseHistogramCell(row.value);
    if (!histogram.ok()) {
      return absl::DataLossError(
          fmt::format("row {}: {}", ToHex(row.key), MessageOf(histogram.status())));
    }
    if (last_tsuid_ != row.tsuid) {
      last_tsuid_ = row.tsuid;
      present_.insert(last_tsuid_);
    }
    if (!is_in_range) return absl::OkStatus();
    const auto [sum, is_first] = sums_.try_emplace(ms);
    const size_t before = sum->second.buckets.size();
    if (is_first) {
      sum->second = *std::move(histogram);
    } else {
      AddHistogram(*histogram, &sum->second);
    }
    return hold_.Take((is_first ? kSumBytes : 0) +
                      (sum->second.buckets.size() - before) * sizeof(HistogramBucket));
  }

  // Counts the histograms that were read since the last call.
  absl::Status Count() {
    return reader_.parts_.count(std::exchange(read_, 0), std::exchange(bytes_, 0));
  }

  bool HasSome(std::string_view tsuid) const { return present_.contains(std::string(tsuid)); }
  std::map<int64_t, SimpleHistogram> TakeSums() { return std::move(sums_); }

 private:
  const HistogramReader& reader_;
  MemoryHold& hold_;
  uint64_t read_ = 0;   // histograms that are not counted yet
  uint64_t bytes_ = 0;  // their bytes
  std::string last_tsuid_;
  absl::flat_hash_set<std::string> present_;  // tsuids with a histogram
  std::map<int64_t, SimpleHistogram> sums_;
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
      one.points.push_back(ms, Value::Float(PercentileOf(histogram, percentile)));
  }
  if (!query_.show_histogram_buckets) return series;
  SimpleHistogram all;  // with the bounds of all
  for (const auto& [ms, histogram] : group.sums)
    AddHistogram(histogram, &all);
  HOURCELL_RETURN_IF_ERROR(
      hold->Take((all.buckets.size() + 2) * group.sums.size() * kSpanPointBytes));
  AppendBuckets(metric, group, all.buckets, &series);
  return series;
}

// The underflow, the buckets with these bounds, and the overflow.
void HistogramReader::AppendBuckets(std::string_view metric,
                                    const HistogramGroup& group,
                                    std::span<const HistogramBucket> bounds,
                                    std::vector<HistogramSeries>* series) {
  const size_t first = series->size();
  series->push_back({.metric = UnderflowSeriesName(metric), .points = {}});
  for (const HistogramBucket& bucket : bounds)
    series->push_back({.metric = BucketSeriesName(metric, bucket), .points = {}});
  series->push_back({.metric = OverflowSeriesName(metric), .points = {}});
  for (const auto& [ms, histogram] : group.sums) {
    (*series)[first].points.push_back(ms, Value::Integer(histogram.underflow));
    auto own = histogram.buckets.begin();
    for (size_t i = 0; i < bounds.size(); ++i) {
      const bool is_own = own != histogram.buckets.end() && own->has_bounds_of(bounds[i]);
      (*series)[first + 1 + i].points.push_back(ms, Value::Integer(is_own ? own++->count : 0));
    }
    series->back().points.push_back(ms, Value::Integer(histogram.overflow));
  }
}

}  // namespace hourcell
