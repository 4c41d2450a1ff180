#include "engine/names.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rollups/rollup_config.h"
#include "engine/names/level_metrics.h"
#include "engine/query/query_watch.h"
#include "engine/read/query_meter.h"
#include "engine/series/series_lookup.h"
#include "engine/store/gates.h"
#include "engine/store/tsdb_impl.h"
#include "engine/suggest/metric_ranking.h"
#include "engine/undo/rename_log.h"
#include "engine/virtuals/expression_formula.h"
#include "uid/uid_check.h"

namespace hourcell {
namespace {

UidRow MakeUidRow(const Layout& layout, UidKind kind, std::string name, Uid uid) {
  UidRow row{.kind = kind, .name = std::move(name), .uid_bytes = {}};
  AppendBigEndian(uid, layout.width(kind), &row.uid_bytes);
  return row;
}

// The name, last, and before it those of the levels of a metric's rollups.
absl::StatusOr<std::vector<std::string>> WithLevels(UidKind kind,
                                                    std::string_view name,
                                                    UidDirectory* uids) {
  std::vector<std::string> names;
  if (kind == UidKind::kMetric && !name.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(names, LevelMetricsOf(name, uids));
  }
  names.emplace_back(name);
  return names;
}

// Whether queries of the metric find rollups.
absl::StatusOr<bool> HasRollups(const StoreReader& store, std::string_view metric) {
  std::vector<std::string> levels;
  if (store->options.rollups.has_value()) levels = store->options.rollups->MetricsOf(metric);
  if (store->options.rollup_rules.has_value()) {
    const MetricRule* const rule = store->options.rollup_rules->RuleOf(metric);
    if (rule != nullptr) std::ranges::move(rule->LevelMetrics(metric), std::back_inserter(levels));
  }
  for (const std::string& level : levels) {
    const absl::StatusOr<Uid> uid = store->uids->Get(UidKind::kMetric, level);
    if (absl::IsNotFound(uid.status())) continue;
    HOURCELL_RETURN_IF_ERROR(uid.status());
    HOURCELL_ASSIGN_OR_RETURN(const bool has_series, store->series->HasListedSeries(*uid));
    if (has_series) return true;
  }
  return false;
}

// Whether a list of metrics in use has the metric. Levels are listed for a prefix that names
// levels.
absl::StatusOr<bool> IsListed(const StoreReader& store,
                              const UidMapping& metric,
                              std::string_view prefix) {
  const bool is_level = !SummarizedMetric(metric.name).empty();
  if (is_level && !prefix.starts_with(kRollupMetricPrefix)) return false;
  if (store->virtual_metrics->Has(metric.uid)) return true;
  HOURCELL_ASSIGN_OR_RETURN(const bool has_series, store->series->HasListedSeries(metric.uid));
  if (has_series || is_level) return has_series;
  return HasRollups(store, metric.name);
}

// False: all series of the metric lack points on the days of `times`.
absl::StatusOr<bool> HasPoints(const StoreReader& store,
                               Uid metric,
                               const PointTimes& times,
                               MemoryAccount* memory) {
  if (store->virtual_metrics->Has(metric)) return true;
  MemoryHold hold(memory);
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::vector<SeriesNumber>> series,
                            SeriesWithPoints(store.reads().active_sets, metric, times, &hold));
  if (!series.has_value()) return true;
  const SeriesSet::Pointer unlisted = store->series->unlisted()->Now();
  return std::ranges::any_of(*series, [&unlisted](SeriesNumber number) {
    return unlisted == nullptr || !unlisted->Contains(number);
  });
}

// kInvalidArgument: the metric is virtual, or an expression has the name. Without the
// name, the expression could not be used.
absl::Status CheckMayDelete(const StoreWriter& store, UidKind kind, std::string_view name) {
  const VirtualMetrics& metrics = *store->virtual_metrics;
  if (kind == UidKind::kTagv || metrics.is_empty()) return absl::OkStatus();
  const absl::StatusOr<Uid> uid = store->uids->Get(kind, name);
  if (!uid.ok()) return absl::OkStatus();
  if (kind == UidKind::kMetric && metrics.Has(*uid)) {
    return absl::InvalidArgumentError(
        fmt::format("metric {}: virtual; drop it first", QuoteForMessage(name)));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> user, metrics.UserOf(kind, *uid));
  if (!user.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{} {}: the virtual metric {} uses it; drop that first",
                  kind == UidKind::kMetric ? "metric" : "tag key", QuoteForMessage(name),
                  QuoteForMessage(*user)));
}

// kInvalidArgument: the metric has points, which an expression would hide.
absl::Status CheckMayHide(const StoreWriter& store, Uid metric, std::string_view name) {
  HOURCELL_ASSIGN_OR_RETURN(bool has_series, store->series->HasSeries(metric));
  if (has_series) {
    return absl::InvalidArgumentError(
        fmt::format("metric {}: has series; expected a name without", QuoteForMessage(name)));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> levels,
                            LevelMetricsOf(name, store->uids.get()));
  for (const std::string& level : levels) {
    HOURCELL_ASSIGN_OR_RETURN(const Uid uid, store->uids->Get(UidKind::kMetric, level));
    HOURCELL_ASSIGN_OR_RETURN(has_series, store->series->HasSeries(uid));
    if (!has_series) continue;
    return absl::InvalidArgumentError(
        fmt::format("metric {}: has rollups; expected a name without", QuoteForMessage(name)));
  }
  return absl::OkStatus();
}

// kInvalidArgument: the expression cannot be calculated.
absl::Status CheckExpression(const MetricExpression& expression) {
  HOURCELL_RETURN_IF_ERROR(CheckMetricExpression(expression));
  return CompileFormula(expression).status();
}

// Renames while no rollup is computed. `keeper` is null without rules.
absl::Status RenameAtRest(const StoreWriter& store,
                          RollupKeeper* keeper,
                          UidKind kind,
                          const std::function<absl::Status()>& rename) {
  const bool is_of_tags = kind != UidKind::kMetric;
  if (keeper != nullptr) {
    return is_of_tags ? keeper->WhileTagsChange(rename) : keeper->WhileAtRest(rename);
  }
  RollupMarks* const marks = store.writes().rollup_marks.get();
  if (marks != nullptr && is_of_tags) HOURCELL_RETURN_IF_ERROR(ForgetRulesWithTags(marks));
  return rename();
}

absl::StatusOr<UidCheckReport> CheckMappings(StoreGates* gates) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates->BeginRead());
  return CheckUids(store->options.layout, store->uid_store.get(), /*repair=*/false);
}

absl::StatusOr<UidCheckReport> RepairMappings(StoreGates* gates) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates->BeginWrite());
  HOURCELL_ASSIGN_OR_RETURN(
      UidCheckReport report,
      CheckUids(store->options.layout, store->uid_store.get(), /*repair=*/true));
  store.DropCaches();
  HOURCELL_RETURN_IF_ERROR(store.NoteChange(absl::OkStatus()));
  return report;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> Names::Suggest(UidKind kind,
                                                        std::string_view prefix,
                                                        size_t max) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->uids->Suggest(kind, prefix, max);
}

absl::Status Names::VisitNames(const NameQuery& query,
                               const std::function<bool(std::string_view name)>& visit,
                               QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(store->clock, control, query.deadline_ms, store->options.query_timeout_ms);
  MemoryLease memory(store.reads().executor.memory(), control);
  constexpr size_t kNamesPerCheck = 256;
  size_t visited = 0;
  absl::Status ended;
  const bool is_metric = query.kind == UidKind::kMetric;
  const bool checks_tags = query.only_with_series && !is_metric && !store->series->is_followed();
  if (query.only_with_series) HOURCELL_RETURN_IF_ERROR(store.reads().ListPutSeries());
  TagsInUse& tags = store.reads().tags_in_use;
  if (checks_tags) HOURCELL_RETURN_IF_ERROR(store->losses.Note(tags.Refresh(watch)));
  HOURCELL_RETURN_IF_ERROR(
      store->uids->VisitMappings(query.kind, query.prefix, [&](const UidMapping& mapping) {
        if (visited++ % kNamesPerCheck == 0) ended = watch.Check();
        if (!ended.ok()) return false;
        if (checks_tags && !tags.Has(query.kind, mapping.uid)) return true;
        if (query.only_with_series && is_metric) {
          const absl::StatusOr<bool> is_listed = IsListed(store, mapping, query.prefix);
          ended = is_listed.status();
          if (!ended.ok() || !*is_listed) return ended.ok();
        }
        if (is_metric && query.with_points.has_value()) {
          const absl::StatusOr<bool> has_points =
              HasPoints(store, mapping.uid, *query.with_points, &memory);
          ended = has_points.status();
          if (!ended.ok() || !*has_points) return ended.ok();
        }
        return visit(mapping.name);
      }));
  return store->losses.Note(ended);
}

absl::StatusOr<MetricRanking> Names::RankMetrics(const MetricSearch& search,
                                                 QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(store->clock, control, search.deadline_ms,
                         store->options.query_timeout_ms);
  HOURCELL_RETURN_IF_ERROR(store.reads().ListPutSeries());
  return store->losses.Note(hourcell::RankMetrics(search,
                                                  {.layout = &store->options.layout,
                                                   .uids = store->uids.get(),
                                                   .series = store->series.get(),
                                                   .virtual_metrics = store->virtual_metrics.get()},
                                                  watch));
}

absl::StatusOr<UidRow> Names::AssignUid(UidKind kind, std::string_view name) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, store->uids->GetOrAssign(kind, name));
  // The mapping may come from an assignment that a disk refused.
  HOURCELL_RETURN_IF_ERROR(store.Acknowledge(store->tables->CheckWritten()));
  return MakeUidRow(store->options.layout, kind, std::string(name), uid);
}

absl::Status Names::AssignGivenUids(std::span<const UidRow> rows) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  for (const UidKind kind : kUidKinds) {
    std::vector<UidMapping> given;
    for (const UidRow& row : rows) {
      if (row.kind != kind) continue;
      const size_t width = store->options.layout.width(kind);
      const absl::StatusOr<Uid> uid = UidFromBytes(row.uid_bytes, width);
      if (!uid.ok()) {
        return absl::InvalidArgumentError(
            fmt::format("{} {}: its UID has {} bytes; the UIDs of this store have {}",
                        KindName(kind), QuoteForMessage(row.name), row.uid_bytes.size(), width));
      }
      given.push_back({.name = row.name, .uid = *uid});
    }
    HOURCELL_RETURN_IF_ERROR(store->uids->AssignGiven(kind, given));
  }
  return store.Acknowledge(store->tables->CheckWritten());
}

absl::StatusOr<UidRow> Names::FindUid(UidKind kind, std::string_view name) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, store->uids->Get(kind, name));
  return MakeUidRow(store->options.layout, kind, std::string(name), uid);
}

absl::StatusOr<UidRow> Names::FindName(UidKind kind, Uid uid) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  HOURCELL_ASSIGN_OR_RETURN(std::string name, store->uids->NameOf(kind, uid));
  return MakeUidRow(store->options.layout, kind, std::move(name), uid);
}

absl::Status Names::GrepUids(UidKind kind,
                             std::string_view expression,
                             bool ignore_case,
                             const std::function<bool(UidRow row)>& visit) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->uids->Grep(kind, expression, ignore_case, [&](UidMapping mapping) {
    return visit(MakeUidRow(store->options.layout, kind, std::move(mapping.name), mapping.uid));
  });
}

namespace {

// Renames a UID with all that has its name in it, without a record.
absl::Status RenameWithLevels(const StoreWriter& store,
                              RollupKeeper* keeper,
                              UidKind kind,
                              std::string_view name,
                              std::string_view new_name) {
  // No level is created between the list of levels and the rename.
  const auto rename = [&]() -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                              WithLevels(kind, name, store->uids.get()));
    std::vector<UidDirectory::Renaming> renamings;
    for (const std::string& one : names) {
      std::string to = one.substr(0, one.size() - name.size());
      to += new_name;
      renamings.push_back({.name = one, .new_name = std::move(to)});
    }
    return store->uids->RenameAll(kind, renamings);
  };
  const absl::Status renamed = RenameAtRest(store, keeper, kind, rename);
  store.writes().series_cache->Clear();  // its keys are names
  return renamed;
}

RenameLog::RenameCall CallOf(const StoreWriter& store, RollupKeeper* keeper, UidKind kind) {
  return [store, keeper, kind](std::string_view name, std::string_view new_name) {
    return RenameWithLevels(store, keeper, kind, name, new_name);
  };
}

}  // namespace

absl::Status Names::RenameUid(UidKind kind, std::string_view name, std::string_view new_name) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  RollupKeeper* const keeper = gates_->lasting()->rollups.get();
  return store.NoteChange(
      store.writes().renames->Rename(kind, name, new_name, CallOf(store, keeper, kind)));
}

absl::StatusOr<std::vector<UidRename>> Names::Renames() {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(gates_->CheckAnswer());
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RenameRow> rows, store.writes().renames->List());
  std::vector<UidRename> list;
  for (const RenameRow& row : rows) {
    list.push_back({.id = row.id,
                    .renamed_ms = row.renamed_ms,
                    .undo_until_ms = row.until_ms,
                    .row = MakeUidRow(store->options.layout, row.kind, row.new_name, row.uid),
                    .old_name = row.old_name});
  }
  return list;
}

absl::Status Names::UndoRename(uint64_t id) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(gates_->CheckAnswer());
  RollupKeeper* const keeper = gates_->lasting()->rollups.get();
  return store.NoteChange(
      store.writes().renames->Undo(id, [&](UidKind kind) { return CallOf(store, keeper, kind); }));
}

absl::Status Names::ForgetRename(uint64_t id) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(gates_->CheckAnswer());
  return store.NoteChange(store.writes().renames->Forget(id));
}

absl::Status Names::DeleteUid(UidKind kind, std::string_view name) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(CheckMayDelete(store, kind, name));
  const auto remove = [&]() -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                              WithLevels(kind, name, store->uids.get()));
    return store->uids->DeleteAll(kind, names);
  };
  RollupKeeper* const rollups = gates_->lasting()->rollups.get();
  const absl::Status deleted = rollups == nullptr ? remove() : rollups->WhileAtRest(remove);
  store.writes().series_cache->Clear();
  return store.NoteChange(deleted);
}

absl::Status Names::DefineMetric(std::string_view name, const MetricExpression& expression) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(CheckExpression(expression));
  if (!SummarizedMetric(name).empty()) {
    return absl::InvalidArgumentError(
        fmt::format("metric {}: a level of rollups; expected another name", QuoteForMessage(name)));
  }
  HOURCELL_ASSIGN_OR_RETURN(StoredExpression stored, store->virtual_metrics->Resolve(expression));
  const absl::StatusOr<Uid> uid = store->uids->GetOrAssign(UidKind::kMetric, name);
  if (absl::IsInvalidArgument(uid.status())) {
    return absl::InvalidArgumentError(
        fmt::format("metric {}: {}", QuoteForMessage(name), std::string(uid.status().message())));
  }
  HOURCELL_RETURN_IF_ERROR(uid.status());
  HOURCELL_KILL_POINT("virtual:named");
  const absl::Status defined = store->series->WhileAtRest([&]() -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(CheckMayHide(store, *uid, name));
    return store->virtual_metrics->Define(*uid, name, std::move(stored));
  });
  return store.NoteChange(defined);
}

absl::Status Names::DropMetric(std::string_view name) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, store->uids->Get(UidKind::kMetric, name));
  return store.NoteChange(store->virtual_metrics->Drop(uid, name));
}

absl::StatusOr<std::vector<VirtualMetric>> Names::ListVirtualMetrics() {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  std::vector<VirtualMetric> listed;
  for (const auto& [uid, stored] : store->virtual_metrics->All()) {
    VirtualMetric& metric = listed.emplace_back();
    HOURCELL_ASSIGN_OR_RETURN(metric.name, store->virtual_metrics->NameOf(UidKind::kMetric, uid));
    HOURCELL_ASSIGN_OR_RETURN(metric.expression, store->virtual_metrics->Named(*stored));
  }
  std::ranges::sort(listed, {}, &VirtualMetric::name);
  return listed;
}

absl::StatusOr<std::optional<std::string>> Names::FindDocument(const DocumentKey& key) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->losses.Note(store->documents->Find(key));
}

absl::Status Names::ChangeDocument(const DocumentKey& key, const DocumentChange& change) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  return store.Acknowledge(store->documents->Change(key, change));
}

absl::Status Names::VisitDocuments(
    const std::function<bool(const DocumentKey& key, std::string_view text)>& visit) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->losses.Note(store->documents->Visit(visit));
}

absl::StatusOr<std::optional<std::string>> Names::FindTree(uint16_t id) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->losses.Note(store->trees->Find(id));
}

absl::Status Names::ChangeTree(uint16_t id, const DocumentChange& change) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  return store.Acknowledge(store->trees->Change(id, change));
}

absl::Status Names::VisitTrees(
    const std::function<bool(uint16_t id, std::string_view text)>& visit) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->losses.Note(store->trees->Visit(visit));
}

absl::Status Names::WriteMetadata(std::span<const MetadataRow> rows) {
  if (rows.empty()) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  return store.Acknowledge(store->metadata->Set(rows));
}

absl::Status Names::VisitMetadata(
    const std::function<bool(std::string_view metric, std::string_view text)>& visit) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->losses.Note(store->metadata->Visit(visit));
}

absl::StatusOr<UidFsckResult> Names::CheckUids(bool repair) {
  HOURCELL_ASSIGN_OR_RETURN(const UidCheckReport report,
                            repair ? RepairMappings(gates_) : CheckMappings(gates_));
  UidFsckResult result{.lines = {},
                       .mappings = report.mappings,
                       .errors = report.errors(),
                       .warnings = report.warnings()};
  for (const UidFinding& finding : report.findings)
    result.lines.push_back(LineOf(finding));
  return result;
}

}  // namespace hourcell
