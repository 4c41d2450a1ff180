#include "tests/model/steps/step_model.h"

#include <algorithm>

#include "codec/base/bytes.h"

namespace hourcell {

bool StepModel::AddName(UidKind kind, const std::string& name, const std::string& uid_bytes) {
  points_.AddName(kind, name, uid_bytes);
  return used_uids_.emplace(kind, uid_bytes).second;
}

void StepModel::Rename(UidKind kind, const std::string& name, const std::string& new_name) {
  points_.Rename(kind, name, new_name);
  if (kind != UidKind::kMetric) return;
  if (auto ttl = ttls_.extract(name)) {
    ttl.key() = new_name;
    ttls_.insert(std::move(ttl));
  }
}

bool StepModel::IsUsed(UidKind kind, const std::string& name) const {
  if (kind == UidKind::kMetric && ttls_.contains(name)) return true;
  return std::ranges::any_of(points_.series(), [&](const auto& entry) {
    const NaiveSeries& series = entry.second;
    switch (kind) {
      case UidKind::kMetric:
        return series.metric == name;
      case UidKind::kTagk:
        return series.tags.contains(name);
      case UidKind::kTagv:
        break;
    }
    return std::ranges::any_of(series.tags, [&](const auto& tag) { return tag.second == name; });
  });
}

std::vector<std::pair<std::string, std::string>> StepModel::NamesOf(UidKind kind) const {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [name, uid] : points_.uids()) {
    if (name.first == kind) names.emplace_back(name.second, uid);
  }
  return names;
}

int64_t StepModel::TtlOf(const std::string& metric) const {
  const auto own = ttls_.find(metric);
  return own == ttls_.end() ? store_ttl_s_ : own->second;
}

int64_t StepModel::ExpiresBeforeMs(const std::string& metric, int64_t now_ms) const {
  const int64_t ttl_s = TtlOf(metric);
  return ttl_s == 0 ? 0 : std::max<int64_t>(0, now_ms - ttl_s * 1000);
}

int64_t StepModel::AnnotationsExpireBeforeMs(const std::string& tsuid, int64_t now_ms) const {
  std::string metric;
  for (const auto& [name, uid] : points_.uids()) {
    const bool is_its = name.first == UidKind::kMetric && tsuid.starts_with(ToUpperHex(uid));
    if (!tsuid.empty() && is_its) metric = name.second;
  }
  return ExpiresBeforeMs(metric, now_ms);
}

void StepModel::Expire(int64_t now_ms) {
  points_.Expire([&](const std::string& metric) { return ExpiresBeforeMs(metric, now_ms); });
  std::erase_if(annotations_, [&](const auto& entry) {
    const auto& [tsuid, ms] = entry.first;
    return ms < AnnotationsExpireBeforeMs(tsuid, now_ms);
  });
}

std::optional<std::string> StepModel::TsuidOf(const WorldSeries& series) const {
  bool has_names = HasName(UidKind::kMetric, series.metric);
  for (const auto& [key, value] : series.tags) {
    has_names = has_names && HasName(UidKind::kTagk, key) && HasName(UidKind::kTagv, value);
  }
  if (!has_names) return std::nullopt;
  return points_.TsuidOf(series.metric, series.tags);
}

}  // namespace hourcell
