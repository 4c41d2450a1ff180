#include "engine/store/ttl_admin.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/rows/system_table.h"
#include "engine/table/retention.h"
#include "uid/uid_directory.h"

namespace hourcell {

absl::Status TtlAdmin::Set(std::string_view metric, std::optional<int64_t> ttl_s) {
  if (ttl_s.has_value() && (*ttl_s < 0 || *ttl_s > kTtlMaxS)) {
    return absl::InvalidArgumentError(
        fmt::format("ttl of {}: expected 0 to {} seconds, got {}", metric, kTtlMaxS, *ttl_s));
  }
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, parts_.uids->Get(UidKind::kMetric, metric));
  MutexLock lock(&change_);
  HOURCELL_RETURN_IF_ERROR(WriteMetricTtl(layout_, uid, ttl_s, /*sync=*/true, parts_.tables));
  HOURCELL_KILL_POINT("ttl:written");
  RetentionRules rules = *parts_.retention->rules();
  if (ttl_s.has_value()) {
    rules.metric_ttl_s[uid] = *ttl_s;
  } else {
    rules.metric_ttl_s.erase(uid);
  }
  parts_.retention->Set(std::move(rules));
  return absl::OkStatus();
}

absl::Status TtlAdmin::SetAll(std::span<const std::pair<Uid, int64_t>> ttls) {
  MutexLock lock(&change_);
  RetentionRules rules = *parts_.retention->rules();
  for (const auto& [metric, ttl_s] : ttls) {
    HOURCELL_DCHECK(ttl_s >= 0 && ttl_s <= kTtlMaxS);
    // The last write syncs those before it.
    const bool is_last = metric == ttls.back().first;
    HOURCELL_RETURN_IF_ERROR(
        WriteMetricTtl(layout_, metric, ttl_s, /*sync=*/is_last, parts_.tables));
    rules.metric_ttl_s[metric] = ttl_s;
  }
  parts_.retention->Set(std::move(rules));
  return absl::OkStatus();
}

std::vector<MetricTtl> TtlAdmin::List() const {
  const std::shared_ptr<const RetentionRules> rules = parts_.retention->rules();
  std::vector<MetricTtl> ttls;
  for (const auto& [uid, ttl_s] : rules->metric_ttl_s) {
    absl::StatusOr<std::string> name = parts_.uids->NameOf(UidKind::kMetric, uid);
    std::string bytes;
    AppendBigEndian(uid, layout_.metric_width, &bytes);
    ttls.push_back({.metric = name.ok() ? *std::move(name) : ToUpperHex(bytes), .ttl_s = ttl_s});
  }
  std::ranges::sort(ttls, {}, &MetricTtl::metric);
  return ttls;
}

}  // namespace hourcell
