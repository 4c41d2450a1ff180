#include "engine/histograms/histogram_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include <absl/container/flat_hash_map.h>
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

// One scan, and the sums of its groups.
class HistogramReader::Scan {
 public:
  // All are borrowed.
  Scan(HistogramReader* reader, const SeriesGroups& groups, size_t first, MemoryHold* hold)
      : reader_(*reader), groups_(groups), first_(first), hold_(*hold) {}

  // Takes the groups of the scan.
  absl::Status Begin(const std::function<std::string_view(uint32_t)>& tsuid_of) {
    size_t members = 0;
    while (first_ + sums_.size() < groups_.size() && sums_.size() < reader_.groups_at_once_ &&
           (sums_.empty() || members + GroupAt(sums_.size()).size() <= kScanMembersMax)) {
      members += GroupAt(sums_.size()).size();
      sums_.emplace_back();
    }
    left_ = sums_.size();
    HOURCELL_RETURN_IF_ERROR(hold_.Take(members * kMemberBytes));
    places_.reserve(members);
    is_present_.resize(members);
    for (size_t group = 0; group < sums_.size(); ++group) {
      for (const uint32_t member : GroupAt(group))
        places_.try_emplace(tsuid_of(member), Place{.group = group, .position = places_.size()});
    }
    return absl::OkStatus();
  }

  std::vector<std::string_view> Tsuids() const {
    std::vector<std::string_view> tsuids;
    tsuids.reserve(places_.size());
    for (const auto& [tsuid, place] : places_)
      tsuids.push_back(tsuid);
    std::ranges::sort(tsuids);
    return tsuids;
  }

  absl::Status Add(const AnnotationRow& row) {
    const auto found = places_.find(row.tsuid);
    HOURCELL_DCHECK(found != places_.end());
    const Place place = found->second;
    if (!IsDropped(place.group)) {
      const ReadCount one{.histograms = 1, .bytes = row.key.size() + row.value.size()};
      sums_[place.group].read += one;
      pending_ += one;
    }
    if (++rows_ % kHistogramsCountedAtOnce == 0) HOURCELL_RETURN_IF_ERROR(Count());
    if (IsDropped(place.group) || row.start_ms < reader_.visible_from_ms_) return absl::OkStatus();
    const int64_t ms = reader_.TimeOf(row.start_ms);
    const bool is_in_range = ms >= reader_.range_.start_ms && ms <= reader_.range_.end_ms;
    absl::StatusOr<HistogramValue> histogram = ParseHistogramCell(row.value);
    if (!histogram.ok()) {
      return absl::DataLossError(
          fmt::format("row {}: {}", ToHex(row.key), MessageOf(histogram.status())));
    }
    is_present_[place.position] = true;
    HOURCELL_ASSIGN_OR_RETURN(const bool has_increase, MakeIncrease(place, &*histogram));
    if (!has_increase || !is_in_range || IsDropped(place.group)) return absl::OkStatus();
    return AddAt(place.group, ms, *std::move(histogram));
  }

  // Counts the histograms that were read since the last call, less those that were counted before.
  absl::Status Count() {
    ReadCount* const ahead = &reader_.counted_ahead_;
    const ReadCount known{.histograms = std::min(pending_.histograms, ahead->histograms),
                          .bytes = std::min(pending_.bytes, ahead->bytes)};
    ahead->histograms -= known.histograms;
    ahead->bytes -= known.bytes;
    const ReadCount read = std::exchange(pending_, ReadCount());
    return reader_.parts_.count(read.histograms - known.histograms, read.bytes - known.bytes);
  }

  // The groups that were not dropped. The next scan has as many, or more if there was much room.
  std::vector<HistogramGroup> Take() {
    if (left_ < sums_.size()) {
      reader_.groups_at_once_ = left_;
    } else if (hold_.bytes() < reader_.parts_.scan_bytes / 4) {
      reader_.groups_at_once_ = std::max(reader_.groups_at_once_, 2 * left_);
    }
    std::vector<HistogramGroup> taken(left_);
    size_t position = 0;
    for (size_t group = 0; group < left_; ++group) {
      for (const uint32_t member : GroupAt(group))
        if (is_present_[position++]) taken[group].present.push_back(member);
      taken[group].sums = std::move(sums_[group].by_time);
    }
    return taken;
  }

 private:
  // Members of a scan that has several groups, at most.
  static constexpr size_t kScanMembersMax = size_t{1} << 16;
  // A member's place, its tsuid in order, and whether it is present.
  static constexpr size_t kMemberBytes = 96;

  // A member: its group in the scan, and its position among all members.
  struct Place {
    size_t group = 0;
    size_t position = 0;
  };

  // The sums of a group.
  struct Sum {
    std::map<int64_t, HistogramValue> by_time;
    // The last cumulative histogram of a member by its position, for a rate.
    absl::flat_hash_map<size_t, ExponentialHistogram> before;
    size_t held = 0;  // memory of both
    ReadCount read;
  };

  std::span<const uint32_t> GroupAt(size_t group) const { return groups_[first_ + group]; }
  bool IsDropped(size_t group) const { return group >= left_; }

  // Makes a cumulative histogram the increase since the one before it, if the query wants a rate.
  // False: it is the first of its series.
  absl::StatusOr<bool> MakeIncrease(const Place& place, HistogramValue* value) {
    auto* const histogram = std::get_if<ExponentialHistogram>(value);
    if (!reader_.query_.rate.has_value() || histogram == nullptr || !histogram->is_cumulative) {
      return true;
    }
    const auto [before, is_first] = sums_[place.group].before.try_emplace(place.position);
    const size_t held = is_first ? 0 : BytesOfHistogram(before->second);
    ExponentialHistogram now = *histogram;
    const size_t bytes = BytesOfHistogram(now);
    if (!is_first) SubtractExponentialHistogram(before->second, histogram);
    before->second = std::move(now);
    HOURCELL_RETURN_IF_ERROR(Hold(place.group, held, bytes));
    return !is_first;
  }

  absl::Status AddAt(size_t group, int64_t ms, HistogramValue value) {
    const auto [sum, is_first] = sums_[group].by_time.try_emplace(ms);
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
    return Hold(group, held, BytesOfValue(sum->second));
  }

  // Holds `bytes` in place of the `held` ones of a group. If there is too little room, drops
  // groups, perhaps this one.
  absl::Status Hold(size_t group, size_t held, size_t bytes) {
    sums_[group].held -= held;
    hold_.GiveBack(held);
    while (!IsDropped(group)) {
      const bool is_alone = left_ == 1;
      if (is_alone || hold_.bytes() + bytes <= reader_.parts_.scan_bytes) {
        absl::Status taken = hold_.Take(bytes);
        if (taken.ok()) sums_[group].held += bytes;
        if (taken.ok() || is_alone || !absl::IsResourceExhausted(taken)) return taken;
      }
      DropHalf();
    }
    return absl::OkStatus();
  }

  // REQUIRES: there are two groups.
  void DropHalf() {
    HOURCELL_DCHECK(left_ >= 2);
    const size_t kept = left_ / 2;
    for (size_t group = kept; group < left_; ++group) {
      hold_.GiveBack(sums_[group].held);
      reader_.counted_ahead_ += sums_[group].read;
      sums_[group] = Sum();
    }
    left_ = kept;
  }

  HistogramReader& reader_;
  const SeriesGroups& groups_;
  const size_t first_;
  MemoryHold& hold_;
  absl::flat_hash_map<std::string_view, Place> places_;  // by tsuid
  std::vector<bool> is_present_;                         // by position: has a histogram
  std::vector<Sum> sums_;                                // of the groups from first_ on
  size_t left_ = 0;                                      // groups that are not dropped
  uint64_t rows_ = 0;
  ReadCount pending_;  // that are not counted yet
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

absl::StatusOr<std::vector<HistogramGroup>> HistogramReader::Read(
    const SeriesGroups& groups,
    size_t first,
    const std::function<std::string_view(uint32_t)>& tsuid_of,
    MemoryHold* hold) {
  HOURCELL_DCHECK(first < groups.size());
  HOURCELL_DCHECK(!query_.downsample.has_value() || !bucket_times_.empty());
  Scan scan(this, groups, first, hold);
  HOURCELL_RETURN_IF_ERROR(scan.Begin(tsuid_of));
  // A bucket of time needs the histograms around the range.
  const bool is_exact = !query_.downsample.has_value() || query_.downsample->all;
  const int64_t from_ms = is_exact ? range_.start_ms : int64_t{range_.scan.begin_s} * 1000;
  const int64_t to_ms =
      is_exact ? range_.end_ms : static_cast<int64_t>(range_.scan.end_s) * 1000 - 1;
  HOURCELL_RETURN_IF_ERROR(
      ScanSeriesHistograms(*parts_.row_keys, parts_.view, scan.Tsuids(), from_ms, to_ms,
                           [&scan](const AnnotationRow& row) { return scan.Add(row); }));
  HOURCELL_RETURN_IF_ERROR(scan.Count());
  return scan.Take();
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
