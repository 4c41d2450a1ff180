#include "engine/store/ttl_admin.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/rows/row_span.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/series/series_table.h"
#include "engine/table/retention.h"
#include "engine/undo/ttl_log.h"
#include "engine/write/sealer.h"
#include "uid/uid_directory.h"

// Why the sealer's lock guards every change: deletes write their records under it, and take ids
// from the same counter.

namespace hourcell {

absl::Status TtlAdmin::Alone(const std::function<absl::Status()>& change) const {
  return parts_.sealer == nullptr ? change() : parts_.sealer->WithSealingPaused(change);
}

absl::Status TtlAdmin::Set(std::string_view metric, std::optional<int64_t> ttl_s) {
  if (ttl_s.has_value() && (*ttl_s < 0 || *ttl_s > kTtlMaxS)) {
    return absl::InvalidArgumentError(
        fmt::format("ttl of {}: expected 0 to {} seconds, got {}", metric, kTtlMaxS, *ttl_s));
  }
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, parts_.uids->Get(UidKind::kMetric, metric));
  HOURCELL_ASSIGN_OR_RETURN(const bool has_points, parts_.series->HasSeries(uid));
  const TtlSetting setting{.metric = uid, .ttl_s = ttl_s, .has_points = has_points};
  return Alone([&] { return parts_.log->Set({&setting, 1}); });
}

// Levels that were just created are without series, so their TTLs do not need records.
absl::Status TtlAdmin::SetAll(std::span<const std::pair<Uid, int64_t>> ttls) {
  std::vector<TtlSetting> settings;
  for (const auto& [metric, ttl_s] : ttls) {
    HOURCELL_DCHECK(ttl_s >= 0 && ttl_s <= kTtlMaxS);
    HOURCELL_ASSIGN_OR_RETURN(const bool has_points, parts_.series->HasSeries(metric));
    settings.push_back({.metric = metric, .ttl_s = ttl_s, .has_points = has_points});
  }
  return Alone([&] { return parts_.log->Set(settings); });
}

std::string TtlAdmin::NameOf(Uid metric) const {
  absl::StatusOr<std::string> name = parts_.uids->NameOf(UidKind::kMetric, metric);
  if (name.ok()) return *std::move(name);
  std::string bytes;
  AppendBigEndian(metric, layout_.metric_width, &bytes);
  return ToUpperHex(bytes);
}

std::vector<MetricTtl> TtlAdmin::List() const {
  const std::shared_ptr<const RetentionRules> rules = parts_.retention->rules();
  std::vector<MetricTtl> ttls;
  for (const auto& [uid, ttl_s] : rules->metric_ttl_s)
    ttls.push_back({.metric = NameOf(uid), .ttl_s = ttl_s});
  std::ranges::sort(ttls, {}, &MetricTtl::metric);
  return ttls;
}

absl::StatusOr<std::vector<ShortenedTtl>> TtlAdmin::Shortened() const {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<TtlRow> rows, parts_.log->List());
  std::vector<ShortenedTtl> list;
  for (const TtlRow& row : rows) {
    list.push_back({.id = row.id,
                    .changed_ms = row.changed_ms,
                    .undo_until_ms = row.until_ms,
                    .metric = row.metric == kNoUid ? "" : NameOf(row.metric),
                    .before_s = row.before_s,
                    .shortened_s = row.shortened_s});
  }
  return list;
}

absl::Status TtlAdmin::Undo(uint64_t id) {
  return Alone([&]() -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(const TtlRow row, parts_.log->Find(id));
    const std::shared_ptr<const RetentionRules> rules = parts_.retention->rules();
    std::optional<int64_t> in_force = rules->store_ttl_s;
    if (row.metric != kNoUid) {
      const auto own = rules->metric_ttl_s.find(row.metric);
      in_force = own == rules->metric_ttl_s.end() ? std::nullopt : std::optional(own->second);
    }
    if (in_force != row.shortened_s) {
      const std::string of = row.metric == kNoUid ? "the store" : NameOf(row.metric);
      return absl::FailedPreconditionError(
          fmt::format("change {}: the TTL of {} was changed since; set it as you want it", id, of));
    }
    const int64_t before_ms = parts_.expiry->ExpiresBeforeMs(row.metric);
    HOURCELL_RETURN_IF_ERROR(MarkRollups(row.metric, before_ms));
    return parts_.log->Undo(row);
  });
}

// Hours before `before_ms` were not computed while their points were hidden.
absl::Status TtlAdmin::MarkRollups(Uid metric, int64_t before_ms) const {
  if (parts_.rollup_marks == nullptr) return absl::OkStatus();
  // Rollups regard points as expired some minutes early.
  constexpr int64_t kEarlyMs = 2 * int64_t{kHourSpan.seconds} * 1000;
  const RollupMark hours{
      .begin_s = 0, .end_s = kHourSpan.EndS(kHourSpan.BaseS(before_ms + kEarlyMs)), .series = 0};
  for (const Uid one : parts_.rollup_marks->Metrics()) {
    const bool is_of_change =
        metric == kNoUid ? !parts_.retention->rules()->metric_ttl_s.contains(one) : one == metric;
    if (is_of_change) HOURCELL_RETURN_IF_ERROR(parts_.rollup_marks->MarkRange(one, hours));
  }
  return absl::OkStatus();
}

absl::Status TtlAdmin::Forget(uint64_t id) {
  return Alone([&] { return parts_.log->Forget(id); });
}

}  // namespace hourcell
