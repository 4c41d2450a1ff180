#include "server/inputs/otlp/otlp_series.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/limits.h"
#include "server/inputs/otlp/otlp_exponential.h"

namespace hourcell {
namespace {

constexpr uint64_t kDelta = 1;
constexpr uint64_t kTemporalities[] = {kDelta, 2};  // delta and cumulative

// Integers beyond the store's range lose their last digits.
Value CountValue(uint64_t count) {
  if (count <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Value::Integer(static_cast<int64_t>(count));
  }
  return Value::Float(static_cast<double>(count));
}

bool HasTemporality(OtlpMetric::Kind kind) {
  return kind != OtlpMetric::Kind::kGauge && kind != OtlpMetric::Kind::kSummary;
}

// The additional series of a kind.
struct KindSeries {
  std::string_view longest_suffix;
  std::string_view tag;
};

KindSeries SeriesOf(OtlpMetric::Kind kind) {
  switch (kind) {
    case OtlpMetric::Kind::kGauge:
    case OtlpMetric::Kind::kSum:
      break;
    case OtlpMetric::Kind::kHistogram:
    case OtlpMetric::Kind::kExponentialHistogram:
      return {.longest_suffix = "_bucket", .tag = "le"};
    case OtlpMetric::Kind::kSummary:
      return {.longest_suffix = "_count", .tag = "quantile"};
  }
  return {};
}

// True if "a=b c=d" has a tag with that key.
bool HasTag(std::string_view tags, std::string_view key) {
  bool is_key = true;
  while (!tags.empty()) {
    tags.remove_prefix(1);  // the separator
    const std::string_view name = tags.substr(0, tags.find(kTagSeparator));
    if (is_key && name == key) return true;
    tags.remove_prefix(name.size());
    is_key = !is_key;
  }
  return false;
}

// The fault of an attribute.
std::string TagFault(const TagView& tag) {
  if (tag.key.empty()) return "expected a key, got an attribute without a key";
  return fmt::format("attribute {}: expected at most {} of a key or a value, got {} bytes",
                     QuoteForMessage(tag.key), kNameBytesMax,
                     std::max(tag.key.size(), tag.value.size()));
}

// Null if no tag is faulty.
const TagView* FindWrongTag(std::span<const TagView> tags) {
  const auto found = std::ranges::find_if(tags, [](const TagView& tag) {
    return tag.key.empty() || tag.key.size() > kNameBytesMax || tag.value.size() > kNameBytesMax;
  });
  return found == tags.end() ? nullptr : &*found;
}

bool HasWrongTemporality(const OtlpMetric& metric) {
  return HasTemporality(metric.kind) &&
         std::ranges::find(kTemporalities, metric.temporality) == std::end(kTemporalities);
}

// A sum of increases is not a counter: its rate would be wrong.
MetadataType TypeOfSum(const OtlpMetric& metric) {
  if (metric.temporality == kDelta) return MetadataType::kUnknown;
  return metric.is_monotonic ? MetadataType::kCounter : MetadataType::kGauge;
}

MetadataType TypeOf(const OtlpMetric& metric) {
  switch (metric.kind) {
    case OtlpMetric::Kind::kGauge:
      return MetadataType::kGauge;
    case OtlpMetric::Kind::kSum:
      return TypeOfSum(metric);
    case OtlpMetric::Kind::kHistogram:
    case OtlpMetric::Kind::kExponentialHistogram:
      return MetadataType::kHistogram;
    case OtlpMetric::Kind::kSummary:
      return MetadataType::kSummary;
  }
  return MetadataType::kUnknown;
}

bool IsTimeOfStore(uint64_t time_ns) {
  return time_ns >= 1'000'000 && time_ns / 1'000'000 <= kTimestampMsMax;
}

}  // namespace

// Copies the attributes: the reader's texts do not outlive the call.
void OtlpSeries::TakeResource(const OtlpAttributes& attributes) {
  dropped_.attributes += attributes.dropped();
  resource_is_too_large_ = attributes.too_many();
  resource_texts_.clear();
  resource_tags_.clear();
  const std::vector<std::string>& wanted = settings_->otlp_resource_attributes;
  for (const TagView& tag : attributes.tags()) {
    if (std::ranges::find(wanted, tag.key) == wanted.end()) continue;
    resource_texts_.emplace_back(tag.key);
    resource_texts_.emplace_back(tag.value);
  }
  for (size_t i = 0; i < resource_texts_.size(); i += 2)
    resource_tags_.push_back({.key = resource_texts_[i], .value = resource_texts_[i + 1]});
}

bool OtlpSeries::TakePoint(const OtlpMetric& metric, const OtlpPoint& point) {
  if (!out_->HasRoom()) return false;
  ++number_;
  dropped_.attributes += point.attributes.dropped();
  dropped_.exemplars += point.exemplars;
  if (IsWrong(metric, point)) {
    Refuse([&] { return FaultOf(metric, point); });
  } else if (point.has_no_value) {
    ++dropped_.no_value;
  } else {
    AddPoints(metric, point);
  }
  return true;
}

void OtlpSeries::TakeMetric(const OtlpMetric& metric) {
  const MetricMetadata metadata{.metric = metric.name,
                                .type = TypeOf(metric),
                                .unit = metric.unit,
                                .help = metric.description};
  if (!metadata.says_nothing()) metadata_->Add(metadata);
}

template <typename Make>
void OtlpSeries::Refuse(const Make& text) {
  out_->Refuse(number_, out_->wants_faults() ? text() : std::string());
}

bool OtlpSeries::IsWrong(const OtlpMetric& metric, const OtlpPoint& point) const {
  return metric.name.empty() || metric.name.size() > kNameBytesMax || HasWrongTemporality(metric) ||
         resource_is_too_large_ || point.attributes.too_many() ||
         FindWrongTag(resource_tags_) != nullptr ||
         FindWrongTag(point.attributes.tags()) != nullptr || !IsTimeOfStore(point.time_ns) ||
         point.too_many_buckets;
}

std::string OtlpSeries::FaultOf(const OtlpMetric& metric, const OtlpPoint& point) const {
  if (metric.name.empty()) return "expected a name, got a metric without a name";
  if (metric.name.size() > kNameBytesMax) {
    return fmt::format("expected at most {} bytes of a name, got {}", kNameBytesMax,
                       metric.name.size());
  }
  if (HasWrongTemporality(metric)) {
    return fmt::format(
        "metric {}: expected AGGREGATION_TEMPORALITY_DELTA (1) or "
        "AGGREGATION_TEMPORALITY_CUMULATIVE (2), got aggregationTemporality {}",
        QuoteForMessage(metric.name), metric.temporality);
  }
  if (resource_is_too_large_ || point.attributes.too_many()) {
    return fmt::format("expected at most {} attributes, got more", kOtlpAttributesMax);
  }
  if (const TagView* const tag = FindWrongTag(resource_tags_)) return TagFault(*tag);
  if (const TagView* const tag = FindWrongTag(point.attributes.tags())) return TagFault(*tag);
  if (!IsTimeOfStore(point.time_ns)) {
    return fmt::format("metric {}: expected 1 ms to {} ms after 1970, got the time {} ns",
                       QuoteForMessage(metric.name), kTimestampMsMax, point.time_ns);
  }
  return fmt::format("metric {}: expected at most {} buckets, got more",
                     QuoteForMessage(metric.name), kOtlpBucketsMax);
}

std::string OtlpSeries::FaultOfSome(const OtlpMetric& metric, const OtlpPoint& point) const {
  const auto text = [this](const auto& make) {
    return out_->wants_faults() ? make() : std::string("?");
  };
  const KindSeries series = SeriesOf(metric.kind);
  const size_t bytes = metric.name.size() + series.longest_suffix.size();
  if (bytes > kNameBytesMax) {
    return text([&] {
      return fmt::format("metric {}: expected at most {} bytes of a name, got {} with {}",
                         QuoteForMessage(metric.name), kNameBytesMax, bytes, series.longest_suffix);
    });
  }
  const size_t copies = point.counts.size() + point.positive.counts.size() +
                        point.negative.counts.size() + point.quantiles.size();
  if (copies * tags_.size() > kOtlpTagsOfPointMax) {
    return text([&] {
      return fmt::format(
          "metric {}: expected at most {} in all, got {} buckets with tags of {} bytes",
          QuoteForMessage(metric.name), kOtlpTagsOfPointMax, copies, tags_.size());
    });
  }
  const bool is_summary = metric.kind == OtlpMetric::Kind::kSummary;
  if (series.tag.empty() || (is_summary && point.quantiles.empty())) return "";
  if (HasTag(tags_, series.tag)) {
    return text([&] {
      return fmt::format(
          "metric {}: expected none, as its series have that tag, got an attribute {}",
          QuoteForMessage(metric.name), series.tag);
    });
  }
  const auto tags = 1 + static_cast<size_t>(std::ranges::count(tags_, kTagSeparator)) / 2;
  if (tags <= settings_->tags_max) return "";
  return text([&] {
    return fmt::format("metric {}: expected at most {}, got {} tags with {} (tsd.storage.max_tags)",
                       QuoteForMessage(metric.name), settings_->tags_max, tags, series.tag);
  });
}

void OtlpSeries::AddPoints(const OtlpMetric& metric, const OtlpPoint& point) {
  timestamp_ = TimestampOfMs(static_cast<int64_t>(point.time_ns / 1'000'000));
  tags_ = WriteTags(point);
  if (metric.kind == OtlpMetric::Kind::kExponentialHistogram && settings_->has_whole_histograms) {
    return AddWhole(metric, point);
  }
  if (std::string fault = FaultOfSome(metric, point); !fault.empty()) {
    return Refuse([&] { return fault; });
  }
  switch (metric.kind) {
    case OtlpMetric::Kind::kGauge:
    case OtlpMetric::Kind::kSum:
      return AddNumber(metric, point);
    case OtlpMetric::Kind::kHistogram:
      if (std::string fault = BucketsOfBounds(point, &buckets_, out_->wants_faults());
          !fault.empty()) {
        return Refuse([&] { return fault; });
      }
      return AddBuckets(metric, point);
    case OtlpMetric::Kind::kExponentialHistogram:
      BucketsOfPowers(point, &buckets_);
      return AddBuckets(metric, point);
    case OtlpMetric::Kind::kSummary:
      return AddQuantiles(metric, point);
  }
}

void OtlpSeries::AddNumber(const OtlpMetric& metric, const OtlpPoint& point) {
  if (!point.value)
    return Refuse([] { return std::string("expected one, got a data point without a value"); });
  Add(WriteMetric(metric.name, ""), tags_, *point.value);
}

void OtlpSeries::AddBuckets(const OtlpMetric& metric, const OtlpPoint& point) {
  const std::string_view name = WriteMetric(metric.name, "_bucket");
  for (const OtlpBucket& bucket : buckets_)
    Add(name, WithTag("le", bucket.le), CountValue(bucket.count));
  Add(name, WithTag("le", std::numeric_limits<double>::infinity()), CountValue(point.count));
  AddSumAndCount(metric, point);
}

void OtlpSeries::AddWhole(const OtlpMetric& metric, const OtlpPoint& point) {
  ExponentialHistogram histogram;
  if (std::string fault = ExponentialOf(metric, point, &histogram); !fault.empty()) {
    return Refuse([&] { return fault; });
  }
  out_->AddHistogram(
      {.metric = WriteMetric(metric.name, ""), .tags = tags_, .timestamp = timestamp_, .value = {}},
      std::move(histogram), number_);
}

void OtlpSeries::AddQuantiles(const OtlpMetric& metric, const OtlpPoint& point) {
  const std::string_view name = WriteMetric(metric.name, "");
  for (const OtlpQuantile& quantile : point.quantiles)
    Add(name, WithTag("quantile", quantile.quantile), Value::Float(quantile.value));
  AddSumAndCount(metric, point);
}

void OtlpSeries::AddSumAndCount(const OtlpMetric& metric, const OtlpPoint& point) {
  if (point.sum) Add(WriteMetric(metric.name, "_sum"), tags_, Value::Float(*point.sum));
  Add(WriteMetric(metric.name, "_count"), tags_, CountValue(point.count));
}

void OtlpSeries::Add(std::string_view metric, std::string_view tags, Value value) {
  if (!value.is_integer() && !std::isfinite(value.floating())) {
    ++dropped_.not_finite;
    return;
  }
  out_->batch()->Add({.metric = metric, .tags = tags, .timestamp = timestamp_, .value = value},
                     number_);
}

// A data point's attribute overrides its resource's.
std::string_view OtlpSeries::WriteTags(const OtlpPoint& point) {
  const std::span<const TagView> own = point.attributes.tags();
  all_tags_.clear();
  for (const TagView& tag : resource_tags_) {
    if (std::ranges::find(own, tag.key, &TagView::key) == own.end()) all_tags_.push_back(tag);
  }
  all_tags_.insert(all_tags_.end(), own.begin(), own.end());
  if (all_tags_.empty()) return settings_->default_tag;
  return KeepTags(*names_, all_tags_, out_->batch());
}

// The data point's tags with one added.
std::string_view OtlpSeries::WithTag(std::string_view key, double number) {
  const std::string text = OtlpNumberText(number);
  char* const begin =
      out_->batch()->Reserve(tags_.size() + key.size() + text.size() + 2 + kNameSuffixBytes);
  char* out = std::ranges::copy(tags_, begin).out;
  *out++ = kTagSeparator;
  out = std::ranges::copy(key, out).out;
  *out++ = kTagSeparator;
  return out_->batch()->Keep(begin, names_->Write(text, out));
}

std::string_view OtlpSeries::WriteMetric(std::string_view name, std::string_view suffix) {
  char* const begin = out_->batch()->Reserve(name.size() + suffix.size() + kNameSuffixBytes);
  char* const end = std::ranges::copy(suffix, names_->Write(name, begin)).out;
  return out_->batch()->Keep(begin, end);
}

}  // namespace hourcell
