#include "engine/undo/ttl_log.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/rows/deletion_row.h"
#include "engine/rows/system_table.h"

namespace hourcell {
namespace {

Mutation RemovalOf(uint64_t id) {
  return {TableId::kSystem, Mutation::Kind::kDelete, TtlRowKey(id), {}};
}

std::optional<int64_t> SettingOf(const RetentionRules& rules, Uid metric) {
  if (metric == kNoUid) return rules.store_ttl_s;
  const auto own = rules.metric_ttl_s.find(metric);
  if (own == rules.metric_ttl_s.end()) return std::nullopt;
  return own->second;
}

void Take(const TtlSetting& setting, RetentionRules* rules) {
  if (setting.metric == kNoUid) {
    rules->store_ttl_s = setting.ttl_s.value_or(0);
  } else if (setting.ttl_s.has_value()) {
    rules->metric_ttl_s[setting.metric] = *setting.ttl_s;
  } else {
    rules->metric_ttl_s.erase(setting.metric);
  }
}

}  // namespace

// The rows of one change, and the rules after it.
struct TtlLog::Planned {
  std::vector<Mutation> group = {};
  RetentionRules rules = {};
  bool has_records = false;
};

absl::Status TtlLog::Load() {
  RetentionRules rules;
  HOURCELL_ASSIGN_OR_RETURN(rules.store_ttl_s, ReadStoreTtl(parts_.tables));
  HOURCELL_ASSIGN_OR_RETURN(rules.metric_ttl_s, ReadMetricTtls(parts_.tables));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<TtlRow> rows, List());
  rules.file_ttl_s = FileTtlsOf(rows);
  parts_.retention->Set(std::move(rules));
  return absl::OkStatus();
}

absl::Status TtlLog::Set(std::span<const TtlSetting> settings) {
  Planned planned{.rules = *parts_.retention->rules()};
  HOURCELL_RETURN_IF_ERROR(Plan(settings, &planned));
  return Apply(planned);
}

// A change gets a record if queries show less, or files would keep less: a TTL of files of the
// store does not count for a metric that gets its own TTL.
absl::Status TtlLog::Plan(std::span<const TtlSetting> settings, Planned* planned) const {
  RetentionRules& rules = planned->rules;
  std::optional<uint64_t> next_id;
  const int64_t now_ms = std::max<int64_t>(parts_.clock->NowMs(), 0);
  for (const TtlSetting& setting : settings) {
    const Uid metric = setting.metric;
    HOURCELL_DCHECK(metric != kNoUid || setting.ttl_s.has_value());
    TtlRow row{.changed_ms = now_ms,
               .until_ms = now_ms + parts_.undo_ms,
               .metric = metric,
               .before_s = SettingOf(rules, metric),
               .shortened_s = setting.ttl_s,
               .file_ttl_s = rules.FileTtlS(metric)};
    const int64_t before_s = rules.TtlS(metric);
    Take(setting, &rules);
    HOURCELL_ASSIGN_OR_RETURN(Mutation ttl, TtlSettingRow(layout_, metric, setting.ttl_s));
    planned->group.push_back(std::move(ttl));
    const bool is_shorter = IsShorterTtl(rules.TtlS(metric), before_s) ||
                            IsShorterTtl(rules.FileTtlS(metric), row.file_ttl_s);
    if (!is_shorter || !setting.has_points || parts_.undo_ms == 0) continue;
    if (!next_id.has_value()) {
      HOURCELL_ASSIGN_OR_RETURN(next_id, ReadNextDeletionId(parts_.tables->Snapshot().get()));
    }
    row.id = (*next_id)++;
    planned->group.push_back(
        {TableId::kSystem, Mutation::Kind::kSet, TtlRowKey(row.id), TtlRowValue(row)});
    const auto [kept, is_new] = rules.file_ttl_s.try_emplace(metric, row.file_ttl_s);
    if (!is_new) kept->second = LongerTtl(kept->second, row.file_ttl_s);
  }
  if (!next_id.has_value()) return absl::OkStatus();
  planned->has_records = true;
  planned->group.push_back({TableId::kSystem, Mutation::Kind::kSet, DeletionCounterKey(),
                            DeletionCounterValue(*next_id)});
  return absl::OkStatus();
}

absl::Status TtlLog::Apply(const Planned& planned) {
  // An older program would drop the rows by the shorter TTL.
  if (planned.has_records) HOURCELL_RETURN_IF_ERROR(RaiseFormatForDeletions(parts_.tables));
  HOURCELL_KILL_POINT("ttl:before");
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(planned.group, /*sync=*/true));
  HOURCELL_KILL_POINT("ttl:written");
  parts_.retention->Set(planned.rules);
  return absl::OkStatus();
}

// None in a store that cannot have any.
absl::StatusOr<std::vector<TtlRow>> TtlLog::List() const {
  if (!parts_.has_records) return std::vector<TtlRow>();
  return ReadTtlRows(parts_.tables->Snapshot().get());
}

absl::StatusOr<TtlRow> TtlLog::Find(uint64_t id) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<TtlRow> rows, List());
  const auto found = std::ranges::find(rows, id, &TtlRow::id);
  if (found == rows.end()) {
    return absl::NotFoundError(fmt::format("change {}: not found; its time may be over", id));
  }
  return *found;
}

absl::Status TtlLog::Undo(const TtlRow& row) {
  HOURCELL_DCHECK(SettingOf(*parts_.retention->rules(), row.metric) == row.shortened_s);
  Planned planned{.rules = *parts_.retention->rules()};
  const TtlSetting before{.metric = row.metric, .ttl_s = row.before_s};
  HOURCELL_RETURN_IF_ERROR(Plan({&before, 1}, &planned));
  planned.group.push_back(RemovalOf(row.id));
  HOURCELL_RETURN_IF_ERROR(Apply(planned));
  return Load();  // without the TTL of files of the record
}

absl::Status TtlLog::Forget(uint64_t id) {
  HOURCELL_RETURN_IF_ERROR(Find(id).status());
  const Mutation removal = RemovalOf(id);
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply({&removal, 1}, /*sync=*/true));
  return Load();
}

absl::Status TtlLog::RemoveDue() {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<TtlRow> rows, List());
  std::vector<Mutation> group;
  for (const TtlRow& row : rows)
    if (parts_.clock->NowMs() >= row.until_ms) group.push_back(RemovalOf(row.id));
  if (group.empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(group, /*sync=*/true));
  return Load();
}

}  // namespace hourcell
