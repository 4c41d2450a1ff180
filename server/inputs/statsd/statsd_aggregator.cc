#include "server/inputs/statsd/statsd_aggregator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <absl/hash/hash.h>

#include "codec/text/number.h"

namespace hourcell {
namespace {

// Of doubles up to here each integer is one.
constexpr double kIntegerMax = 9'007'199'254'740'992;

Value NumberValue(double number) {
  if (std::abs(number) <= kIntegerMax && number == std::trunc(number)) {
    return Value::Integer(static_cast<int64_t>(number));
  }
  return Value::Float(number);
}

// The smallest value that so many percent of the values do not exceed. REQUIRES: sorted, not empty.
double PercentileOf(const std::vector<double>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  const auto index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

void AppendName(const NameRule& names, std::string_view text, std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + text.size());
  const char* const end = names.Write(text, out->data() + begin);
  out->resize(static_cast<size_t>(end - out->data()));
}

}  // namespace

bool StatsdAggregator::MakeKey(const StatsdLine& line,
                               std::string_view default_tag,
                               size_t* metric_bytes) {
  key_.assign(1, static_cast<char>('0' + static_cast<int>(line.type)));
  key_ += settings_->prefix;
  AppendName(*names_, line.name, &key_);
  *metric_bytes = key_.size() - 1;
  tags_.assign(line.tags.begin(), line.tags.end());
  std::ranges::sort(tags_, {}, &TagView::key);
  for (const TagView& tag : tags_) {
    key_ += ' ';
    AppendName(*names_, tag.key, &key_);
    key_ += '=';
    AppendName(*names_, tag.value, &key_);
  }
  if (tags_.empty()) {
    key_ += ' ';
    key_ += default_tag;
  }
  return key_.size() <= kStatsdSeriesBytesMax;
}

StatsdAggregator::Added StatsdAggregator::Add(const StatsdLine& line,
                                              std::string_view default_tag,
                                              int64_t now_ms) {
  size_t metric_bytes = 0;
  if (!MakeKey(line, default_tag, &metric_bytes)) return Added::kBadSeries;
  auto found = series_.find(std::string_view(key_));
  if (found == series_.end()) {
    if (series_.size() >= settings_->series_max) return Added::kNoSeries;
    found = series_.try_emplace(key_).first;
    found->second.type = line.type;
    found->second.metric_bytes = metric_bytes;
  }
  Added added = Added::kAll;
  for (const std::string_view value : line.values) {
    const Added one = AddValue(value, line.rate, &found->second);
    if (one == Added::kBadValue) return one;
    if (one != Added::kAll) added = one;
    found->second.has_samples = true;
    found->second.sampled_ms = now_ms;
  }
  return added;
}

StatsdAggregator::Added StatsdAggregator::AddValue(std::string_view text,
                                                   double rate,
                                                   Series* series) {
  if (series->type == StatsdType::kSet) return AddWord(text, series);
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const Parsed<double> number = ParseDouble(text);
  if (!number.ok() || !std::isfinite(*number)) return Added::kBadValue;
  switch (series->type) {
    case StatsdType::kCounter:
      series->sum += *number / rate;
      return Added::kAll;
    case StatsdType::kGauge:
      series->sum = has_sign ? series->sum + *number : *number;
      return Added::kAll;
    default:
      return AddTime(*number, rate, series);
  }
}

StatsdAggregator::Added StatsdAggregator::AddWord(std::string_view word, Series* series) {
  const uint64_t hash = absl::Hash<std::string_view>{}(word);
  if (series->words.contains(hash)) return Added::kAll;
  if (values_ >= values_max_) return Added::kSomeValues;
  series->words.insert(hash);
  ++values_;
  return Added::kAll;
}

StatsdAggregator::Added StatsdAggregator::AddTime(double time, double rate, Series* series) {
  series->lower = series->count == 0 ? time : std::min(series->lower, time);
  series->upper = series->count == 0 ? time : std::max(series->upper, time);
  series->count += 1 / rate;
  series->sum += time / rate;
  if (values_ >= values_max_) return Added::kSomeValues;
  series->values.push_back(time);
  ++values_;
  return Added::kAll;
}

std::vector<StatsdPoint> StatsdAggregator::Flush(int64_t now_ms) {
  std::vector<StatsdPoint> points;
  for (auto& [key, series] : series_) {
    if (series.has_samples) AddPoints(key, &series, &points);
    series.has_samples = false;
  }
  absl::erase_if(series_, [now_ms](const auto& entry) {
    const Series& series = entry.second;
    return series.type != StatsdType::kGauge || now_ms - series.sampled_ms >= kStatsdGaugeMs;
  });
  values_ = 0;
  return points;
}

void StatsdAggregator::AddPoints(std::string_view key,
                                 Series* series,
                                 std::vector<StatsdPoint>* points) const {
  const std::string_view metric = key.substr(1, series->metric_bytes);
  const std::string_view tags = key.substr(metric.size() + 2);
  const auto add = [&](std::string_view suffix, double number) {
    if (!std::isfinite(number)) return;  // a sum that has grown out of bounds
    std::string name(metric);
    name += suffix;
    points->push_back(
        {.metric = std::move(name), .tags = std::string(tags), .value = NumberValue(number)});
  };
  if (series->type == StatsdType::kSet) return add("", static_cast<double>(series->words.size()));
  if (series->type != StatsdType::kTimer) return add("", series->sum);
  add(".count", series->count);
  add(".sum", series->sum);
  add(".mean", series->sum / series->count);
  add(".lower", series->lower);
  add(".upper", series->upper);
  if (series->values.empty()) return;
  std::ranges::sort(series->values);
  for (const StatsdPercentile& percentile : settings_->percentiles)
    add(percentile.suffix, PercentileOf(series->values, percentile.percent));
}

}  // namespace hourcell
