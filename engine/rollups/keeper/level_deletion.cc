#include "engine/rollups/keeper/level_deletion.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "codec/rollups/metric_rules.h"
#include "codec/rollups/rollup_config.h"

namespace hourcell {
namespace {

constexpr uint64_t kDeletedHourS = 3600;

uint64_t SecondOfDelete(int64_t ms) {
  return static_cast<uint64_t>(std::clamp<int64_t>(ms, 0, kTimestampMsMax)) / 1000;
}

}  // namespace

absl::Status LevelDeletion::Delete(
    const QuerySpec& batch,
    bool of_all_metrics,
    const std::function<absl::Status(const QuerySpec&)>& delete_points) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Affected> affected, Find(batch, of_all_metrics));
  for (const Affected& one : affected)
    HOURCELL_RETURN_IF_ERROR(parts_.marks->MarkRange(one.metric, one.range));
  for (const Affected& one : affected)
    HOURCELL_RETURN_IF_ERROR(DeleteLevels(one, batch, delete_points));
  HOURCELL_KILL_POINT("rollups:levels_deleted");
  HOURCELL_RETURN_IF_ERROR(delete_points(batch));
  HOURCELL_KILL_POINT("rollups:points_deleted");
  for (const Affected& one : affected)
    HOURCELL_RETURN_IF_ERROR(KeepEdges(one));
  return absl::OkStatus();
}

absl::StatusOr<std::string> LevelDeletion::MetricOf(const SubQuery& query) const {
  if (query.tsuids.empty()) return query.metric;
  HOURCELL_ASSIGN_OR_RETURN(const std::string bytes,
                            FromHex(query.tsuids[0].substr(0, 2 * layout_.metric_width)));
  if (bytes.size() != layout_.metric_width) return std::string();
  return parts_.uids->NameOf(UidKind::kMetric, LoadBigEndian(bytes.data(), bytes.size()));
}

absl::StatusOr<std::vector<LevelDeletion::Affected>> LevelDeletion::Find(
    const QuerySpec& batch, bool of_all_metrics) const {
  std::vector<Affected> affected;
  std::vector<std::pair<const SubQuery*, std::string>> of_levels;  // with the metric of the points
  std::set<std::string> points;
  for (const SubQuery& query : batch.queries) {
    const absl::StatusOr<std::string> metric = MetricOf(query);
    // A name that is wrong is an error of the delete.
    if (!metric.ok() || query.rollup_usage == RollupUsage::kRaw) continue;
    if (const std::string_view summarized = SummarizedMetric(*metric); !summarized.empty()) {
      of_levels.emplace_back(&query, summarized);
      continue;
    }
    points.insert(*metric);
    HOURCELL_ASSIGN_OR_RETURN(std::optional<Affected> one, FindOne(batch, query, *metric));
    if (one.has_value()) affected.push_back(*std::move(one));
  }
  if (of_all_metrics) return affected;
  for (const auto& [query, metric] : of_levels) {
    if (points.contains(metric)) continue;
    HOURCELL_ASSIGN_OR_RETURN(std::optional<Affected> one, FindOne(batch, *query, metric));
    if (!one.has_value()) continue;
    one->levels.clear();
    affected.push_back(*std::move(one));
  }
  return affected;
}

// Nothing: the metric lacks a watermark.
absl::StatusOr<std::optional<LevelDeletion::Affected>> LevelDeletion::FindOne(
    const QuerySpec& batch, const SubQuery& query, const std::string& metric) const {
  const absl::StatusOr<Uid> uid = parts_.uids->Get(UidKind::kMetric, metric);
  if (!uid.ok()) return std::optional<Affected>();
  const std::optional<RollupUntil> until = parts_.marks->UntilOf(*uid);
  if (!until.has_value()) return std::optional<Affected>();
  // Of the rule that computed the levels, which may not be in force now.
  const absl::StatusOr<MetricRule> rule = MetricRule::OfFingerprint(until->fingerprint);
  if (!rule.ok()) {
    HOURCELL_RETURN_IF_ERROR(parts_.marks->Forget(*uid));
    return std::optional<Affected>();
  }
  Affected one{.metric = *uid, .query = query, .levels = rule->LevelMetrics(metric)};
  one.step_s = std::max(kDeletedHourS, static_cast<uint64_t>(rule->LongestS()));
  HOURCELL_DCHECK(one.step_s > 0);
  const uint64_t begin_s = SecondOfDelete(batch.start_ms);
  const uint64_t end_s = SecondOfDelete(batch.end_ms) + 1;
  one.range = {.begin_s = begin_s - begin_s % one.step_s,
               .end_s = (end_s + one.step_s - 1) / one.step_s * one.step_s,
               .series = 0};
  one.levels_from_ms = batch.start_ms;
  // Points that have begun to expire cannot give the first interval again.
  const auto first_ms = static_cast<int64_t>(one.range.begin_s) * 1000;
  if (first_ms >= parts_.expiry->ExpiresBeforeMs(*uid)) {
    one.levels_from_ms = std::min(first_ms, batch.start_ms);
  }
  return std::optional<Affected>(std::move(one));
}

absl::Status LevelDeletion::DeleteLevels(
    const Affected& one,
    const QuerySpec& batch,
    const std::function<absl::Status(const QuerySpec&)>& delete_points) const {
  QuerySpec levels = batch;
  levels.start_ms = one.levels_from_ms;
  levels.queries.clear();
  for (const std::string& name : one.levels) {
    const absl::StatusOr<Uid> uid = parts_.uids->Get(UidKind::kMetric, name);
    if (absl::IsNotFound(uid.status())) continue;
    HOURCELL_RETURN_IF_ERROR(uid.status());
    std::string bytes;
    AppendBigEndian(*uid, layout_.metric_width, &bytes);
    SubQuery query = one.query;
    query.metric = name;
    for (std::string& tsuid : query.tsuids)
      tsuid.replace(0, 2 * layout_.metric_width, ToUpperHex(bytes));
    levels.queries.push_back(std::move(query));
  }
  return levels.queries.empty() ? absl::OkStatus() : delete_points(levels);
}

// Between the edges, all levels of deleted points are gone; those of other series are as before.
absl::Status LevelDeletion::KeepEdges(const Affected& one) const {
  const RollupMark& range = one.range;
  if (one.levels.empty() || range.end_s - range.begin_s <= 2 * one.step_s) return absl::OkStatus();
  const RollupMark first{
      .begin_s = range.begin_s, .end_s = range.begin_s + one.step_s, .series = 0};
  const RollupMark last{.begin_s = range.end_s - one.step_s, .end_s = range.end_s, .series = 0};
  HOURCELL_RETURN_IF_ERROR(parts_.marks->MarkRange(one.metric, first));
  HOURCELL_RETURN_IF_ERROR(parts_.marks->MarkRange(one.metric, last));
  for (const NotedMark& noted : parts_.marks->RangesOf(one.metric)) {
    if (noted.mark != range) continue;
    HOURCELL_RETURN_IF_ERROR(parts_.marks->Remove(one.metric, {&noted, 1}));
  }
  return absl::OkStatus();
}

}  // namespace hourcell
