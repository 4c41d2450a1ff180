#include "server/inputs/statsd/statsd_aggregator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <absl/hash/hash.h>

#include "codec/base/check.h"
#include "codec/text/number.h"

namespace hourcell {
namespace {

// Hash tables above this capacity shrink when few series are left.
constexpr size_t kTableKept = 4096;

// Doubles represent all integers up to this one.
constexpr double kIntegerMax = 9'007'199'254'740'992;

Value NumberValue(double number) {
  if (std::abs(number) <= kIntegerMax && number == std::trunc(number)) {
    return Value::Integer(static_cast<int64_t>(number));
  }
  return Value::Float(number);
}

// The smallest value that is at or above `percent` percent of the values. REQUIRES: sorted, not
// empty.
double PercentileOf(const std::vector<double>& sorted, double percent) {
  HOURCELL_DCHECK(!sorted.empty() && sorted.front() <= sorted.back());
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  const auto index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

void AppendName(const NameRule& names, std::string_view text, std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + text.size() + kNameSuffixBytes);
  const char* const end = names.Write(text, out->data() + begin);
  out->resize(static_cast<size_t>(end - out->data()));
}

// Suffixes of a timer's metrics, in addition to those of its percentiles.
constexpr std::array<std::string_view, 5> kTimerSuffixes = {".count", ".sum", ".mean", ".lower",
                                                            ".upper"};

std::string_view NameOf(StatsdType type) {
  switch (type) {
    case StatsdType::kCounter:
      return "a counter";
    case StatsdType::kGauge:
      return "a gauge";
    case StatsdType::kTimer:
      return "a timer";
    case StatsdType::kSet:
      return "a set";
  }
  HOURCELL_CHECK(false);
}

char FirstByte(bool is_timer) {
  return is_timer ? 't' : 'v';
}

size_t CostOf(const StatsdSeries& series) {
  return kStatsdSeriesCost + series.key.size();
}

}  // namespace

// All samples of a line share one name; some may be timers and others not.
bool StatsdAggregator::MakeKey(const StatsdLine& line, std::string_view default_tag) {
  key_.assign(1, FirstByte(false));
  key_ += settings_->prefix;
  AppendName(*names_, line.name, &key_);
  AppendName(*names_, line.name_end, &key_);
  metric_bytes_ = key_.size() - 1;
  tags_.assign(line.tags.begin(), line.tags.end());
  std::ranges::sort(tags_, {}, &TagView::key);
  for (const TagView& tag : tags_) {
    key_ += kTagSeparator;
    AppendName(*names_, tag.key, &key_);
    key_ += kTagSeparator;
    AppendName(*names_, tag.value, &key_);
  }
  if (tags_.empty()) key_ += default_tag;
  return key_.size() <= kStatsdSeriesBytesMax;
}

StatsdAggregator::Added StatsdAggregator::Add(const StatsdLine& line,
                                              std::string_view default_tag,
                                              int64_t now_ms) {
  if (!MakeKey(line, default_tag)) return Added::kBadSeries;
  Added added = Added::kAll;
  StatsdSeries* series = nullptr;
  for (const StatsdSample& sample : line.samples) {
    // A bad value does not create a series.
    const bool is_word = sample.type == StatsdType::kSet;
    const Parsed<double> number = is_word ? Parsed<double>(0.0) : ParseDouble(sample.value);
    if (!number.ok() || !std::isfinite(*number)) return Added::kBadValue;
    if (series == nullptr || series->type != sample.type) {
      series = SeriesFor(sample.type, &added);
      if (series == nullptr) return added;
    }
    const Added one = is_word ? AddWord(sample.value, series) : AddNumber(*number, sample, series);
    if (one != Added::kAll) added = one;
    series->has_samples = true;
    series->sampled_ms = now_ms;
  }
  return added;
}

StatsdSeries* StatsdAggregator::SeriesFor(StatsdType type, Added* fault) {
  key_.front() = FirstByte(type == StatsdType::kTimer);
  const auto found = series_.find(std::string_view(key_));
  if (found != series_.end()) {
    if (found->second->type == type) return found->second.get();
    other_type_ = NameOf(found->second->type);
    *fault = Added::kOtherType;
    return nullptr;
  }
  if (series_.size() >= settings_->series_max) {
    *fault = Added::kNoSeries;
    return nullptr;
  }
  const size_t cost = kStatsdSeriesCost + key_.size();
  if (bytes_->load(std::memory_order_relaxed) + cost > settings_->memory_bytes) {
    *fault = Added::kNoMemory;
    return nullptr;
  }
  if (const StatsdSeries* const rival = Rival(type)) {
    other_type_ = NameOf(rival->type);
    *fault = Added::kOtherType;
    return nullptr;
  }
  bytes_->fetch_add(cost, std::memory_order_relaxed);
  auto series = std::make_shared<StatsdSeries>();
  series->type = type;
  series->metric_bytes = metric_bytes_;
  series->key = key_;
  const std::string_view key = series->key;
  return series_.try_emplace(key, std::move(series)).first->second.get();
}

const StatsdSeries* StatsdAggregator::Find(std::string_view metric,
                                           std::string_view tags,
                                           bool is_timer) {
  other_key_.assign(1, FirstByte(is_timer));
  other_key_ += metric;
  other_key_ += tags;
  const auto found = series_.find(std::string_view(other_key_));
  return found == series_.end() ? nullptr : found->second.get();
}

// A timer conflicts with a series at one of its suffixed names; another series conflicts with a
// timer that has its name as a suffixed one.
const StatsdSeries* StatsdAggregator::Rival(StatsdType type) {
  const std::string_view metric = std::string_view(key_).substr(1, metric_bytes_);
  const std::string_view tags = std::string_view(key_).substr(metric_bytes_ + 1);
  const auto at = [&](std::string_view suffix) -> const StatsdSeries* {
    if (type == StatsdType::kTimer) return Find(std::string(metric).append(suffix), tags, false);
    if (!metric.ends_with(suffix)) return nullptr;
    return Find(metric.substr(0, metric.size() - suffix.size()), tags, true);
  };
  for (const std::string_view suffix : kTimerSuffixes)
    if (const StatsdSeries* const rival = at(suffix)) return rival;
  for (const StatsdPercentile& percentile : settings_->percentiles)
    if (const StatsdSeries* const rival = at(percentile.suffix)) return rival;
  return nullptr;
}

StatsdAggregator::Added StatsdAggregator::AddNumber(double number,
                                                    const StatsdSample& sample,
                                                    StatsdSeries* series) {
  const bool has_sign = sample.value.starts_with('+') || sample.value.starts_with('-');
  switch (series->type) {
    case StatsdType::kCounter:
      series->sum += number / sample.rate;
      return Added::kAll;
    case StatsdType::kGauge:
      series->sum = has_sign ? series->sum + number : number;
      return Added::kAll;
    default:
      return AddTime(number, sample.rate, series);
  }
}

StatsdAggregator::Added StatsdAggregator::AddWord(std::string_view word, StatsdSeries* series) {
  const uint64_t hash = absl::Hash<std::string_view>{}(word);
  if (series->words.contains(hash)) return Added::kAll;
  const Added counted = CountValue();
  if (counted == Added::kAll) series->words.insert(hash);
  return counted;
}

StatsdAggregator::Added StatsdAggregator::AddTime(double time, double rate, StatsdSeries* series) {
  series->lower = series->count == 0 ? time : std::min(series->lower, time);
  series->upper = series->count == 0 ? time : std::max(series->upper, time);
  series->count += 1 / rate;
  series->sum += time / rate;
  const Added counted = CountValue();
  if (counted == Added::kAll) series->values.push_back(time);
  return counted;
}

StatsdAggregator::Added StatsdAggregator::CountValue() {
  if (values_ >= values_max_) return Added::kSomeValues;
  if (bytes_->load(std::memory_order_relaxed) + kStatsdValueCost > settings_->memory_bytes) {
    return Added::kNoMemory;
  }
  bytes_->fetch_add(kStatsdValueCost, std::memory_order_relaxed);
  ++values_;
  return Added::kAll;
}

std::vector<StatsdEnded> StatsdAggregator::End(int64_t now_ms) {
  std::vector<StatsdEnded> ended;
  ended.reserve(series_.size());
  absl::erase_if(series_, [&](auto& entry) {
    std::shared_ptr<StatsdSeries>& series = entry.second;
    const bool is_gauge = series->type == StatsdType::kGauge;
    const bool is_forgotten = !is_gauge || now_ms - series->sampled_ms >= kStatsdGaugeMs;
    if (std::exchange(series->has_samples, false)) {
      ended.push_back({.series = series, .gauge = series->sum, .is_held = !is_forgotten});
    } else if (is_forgotten) {
      HOURCELL_DCHECK(bytes_->load(std::memory_order_relaxed) >= CostOf(*series));
      bytes_->fetch_sub(CostOf(*series), std::memory_order_relaxed);
    }
    return is_forgotten;
  });
  if (series_.capacity() > kTableKept && series_.size() < series_.capacity() / 8) series_.rehash(0);
  values_ = 0;
  return ended;
}

void ReleaseStatsd(StatsdEnded* ended, StatsdBytes* bytes) {
  HOURCELL_DCHECK(ended->series != nullptr);  // released once
  const StatsdSeries& series = *ended->series;
  if (!ended->is_held) {
    const size_t values = series.values.size() + series.words.size();
    bytes->fetch_sub(CostOf(series) + values * kStatsdValueCost, std::memory_order_relaxed);
  }
  ended->series.reset();
}

void VisitStatsdPoints(const StatsdEnded& ended,
                       std::span<const StatsdPercentile> percentiles,
                       const TakeStatsdPoint& take) {
  StatsdSeries& series = *ended.series;
  const auto add = [&take](std::string_view suffix, double number) {
    if (std::isfinite(number)) take(suffix, NumberValue(number));  // otherwise a sum has overflowed
  };
  switch (series.type) {
    case StatsdType::kGauge:
      return add("", ended.gauge);
    case StatsdType::kCounter:
      return add("", series.sum);
    case StatsdType::kSet:
      return add("", static_cast<double>(series.words.size()));
    case StatsdType::kTimer:
      break;
  }
  const double numbers[] = {series.count, series.sum, series.sum / series.count, series.lower,
                            series.upper};
  for (size_t i = 0; i < kTimerSuffixes.size(); ++i)
    add(kTimerSuffixes[i], numbers[i]);
  if (series.values.empty()) return;
  std::ranges::sort(series.values);
  for (const StatsdPercentile& percentile : percentiles)
    add(percentile.suffix, PercentileOf(series.values, percentile.percent));
}

}  // namespace hourcell
