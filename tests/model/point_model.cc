#include "tests/model/point_model.h"

#include <algorithm>

#include <fmt/format.h>

namespace hourcell {
namespace {

std::string Text(Value value) {
  return value.is_integer() ? fmt::format("{}", value.integer())
                            : fmt::format("{:.17g} (float)", value.floating());
}

// True if a store that shows `shown` may have been given `put`. A query shows an integer before a
// float as one; the number is the same.
bool Fits(const ShownPoint& shown, const ModelValue& put) {
  if (!shown.is_ms.has_value()) return shown.value.ToDouble() == put.value.ToDouble();
  return put == ModelValue{.value = shown.value, .is_ms = *shown.is_ms};
}

}  // namespace

void PointModel::Put(const Series& series, Timestamp time, Value value) {
  if (time.ms < ExpiresBeforeMs(series.first)) {
    ++expired_when_put_;
    return;
  }
  Instant& instant = points_[series][time.ms];
  instant.put.push_back({.value = value, .is_ms = time.is_ms});
  instant.has_expired = false;
}

void PointModel::SetNow(int64_t now_ms) {
  now_ms_ = now_ms;
  NoteExpired();
}

void PointModel::SetStoreTtl(int64_t ttl_s) {
  store_ttl_s_ = ttl_s;
  NoteExpired();
}

void PointModel::SetMetricTtl(const std::string& metric, std::optional<int64_t> ttl_s) {
  if (ttl_s.has_value()) {
    metric_ttls_[metric] = *ttl_s;
  } else {
    metric_ttls_.erase(metric);
  }
  NoteExpired();
}

int64_t PointModel::ExpiresBeforeMs(const std::string& metric) const {
  const auto own = metric_ttls_.find(metric);
  const int64_t ttl_s = own == metric_ttls_.end() ? store_ttl_s_ : own->second;
  return ttl_s == 0 ? 0 : std::max<int64_t>(0, now_ms_ - ttl_s * 1000);
}

void PointModel::NoteExpired() {
  for (auto& [series, instants] : points_) {
    const int64_t before_ms = ExpiresBeforeMs(series.first);
    for (auto& [ms, instant] : instants) {
      if (ms >= before_ms) {
        back_in_sight_ += instant.has_expired ? 1 : 0;
      } else if (!instant.has_expired) {
        instant.has_expired = true;
        ++expired_later_;
      }
    }
  }
}

std::string PointModel::Fault(const std::string& metric,
                              int64_t start_ms,
                              int64_t end_ms,
                              const Shown& shown) const {
  for (const auto& [series, points] : shown) {
    if (!Knows(series) || (!metric.empty() && metric != series.first)) {
      return fmt::format("{} host={}: shown; expected no such series", series.first, series.second);
    }
  }
  for (const auto& [series, instants] : points_) {
    if (!metric.empty() && metric != series.first) continue;
    const auto found = shown.find(series);
    static const std::vector<ShownPoint> kNone;
    const std::string fault =
        SeriesFault(series, start_ms, end_ms, found == shown.end() ? kNone : found->second);
    if (!fault.empty()) {
      return fmt::format("{} host={} from {} to {} at {}: {}", series.first, series.second,
                         start_ms, end_ms, now_ms_, fault);
    }
  }
  return "";
}

std::string PointModel::SeriesFault(const Series& series,
                                    int64_t start_ms,
                                    int64_t end_ms,
                                    const std::vector<ShownPoint>& shown) const {
  const Instants& instants = points_.at(series);
  const int64_t before_ms = ExpiresBeforeMs(series.first);
  auto at = instants.lower_bound(std::max(start_ms, before_ms));
  const auto end = before_ms > end_ms ? at : instants.upper_bound(end_ms);
  for (const ShownPoint& point : shown) {
    if (point.ms < before_ms) return fmt::format("{}: shown; expected it expired", point.ms);
    // The store may omit only points that it may have dropped.
    for (; at != end && at->first < point.ms; ++at) {
      if (!at->second.has_expired) return fmt::format("{}: not shown; expected it", at->first);
    }
    if (at == end || at->first != point.ms) {
      return fmt::format("{}: shown; expected no point, or not a second time", point.ms);
    }
    if (const std::string fault = PointFault(at->second, point); !fault.empty()) return fault;
    ++at;
  }
  for (; at != end; ++at) {
    if (!at->second.has_expired) return fmt::format("{}: not shown; expected it", at->first);
  }
  return "";
}

std::string PointModel::PointFault(const Instant& instant, const ShownPoint& shown) {
  const ModelValue& last = instant.put.back();
  const bool fits = instant.has_expired
                        ? std::ranges::any_of(
                              instant.put, [&](const ModelValue& put) { return Fits(shown, put); })
                        : Fits(shown, last);
  if (fits) return "";
  return fmt::format("{}: expected {} in {}{}, got {}", shown.ms, Text(last.value),
                     last.is_ms ? "milliseconds" : "seconds",
                     instant.has_expired ? ", or what was there before" : "", Text(shown.value));
}

std::pair<size_t, size_t> PointModel::CountBounds(const Series& series,
                                                  int64_t start_ms,
                                                  int64_t end_ms) const {
  const auto found = points_.find(series);
  if (found == points_.end()) return {0, 0};
  const int64_t before_ms = ExpiresBeforeMs(series.first);
  size_t certain = 0;
  size_t possible = 0;
  for (const auto& [ms, instant] : found->second) {
    if (ms < std::max(start_ms, before_ms) || ms > end_ms) continue;
    ++possible;
    certain += instant.has_expired ? 0 : 1;
  }
  return {certain, possible};
}

}  // namespace hourcell
