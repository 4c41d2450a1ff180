#include "engine/queries.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "engine/annotations/annotation_scan.h"
#include "engine/histograms/histogram_scan.h"
#include "engine/names/series_names.h"
#include "engine/query/query_watch.h"
#include "engine/query/result_collector.h"
#include "engine/read/last_points.h"
#include "engine/read/query_meter.h"
#include "engine/scan/row_groups.h"
#include "engine/scan/row_scanner.h"
#include "engine/series/series_lookup.h"
#include "engine/store/gates.h"
#include "engine/store/parallel_scan_parts.h"
#include "engine/store/tsdb_impl.h"
#include "engine/virtuals/virtual_last.h"
#include "engine/virtuals/virtual_lookup.h"

namespace hourcell {
namespace {

// The UID of a metric that is virtual.
std::optional<Uid> VirtualMetricOf(const StoreReader& store, std::string_view metric) {
  if (store->virtual_metrics->is_empty()) return std::nullopt;
  const absl::StatusOr<Uid> uid = store->uids->Get(UidKind::kMetric, metric);
  if (!uid.ok() || !store->virtual_metrics->Has(*uid)) return std::nullopt;
  return *uid;
}

// The series of a virtual metric, ascending by tsuid.
absl::StatusOr<std::vector<std::string>> SeriesOfVirtual(const StoreReader& store,
                                                         Uid metric,
                                                         const QueryWatch& watch,
                                                         MemoryLease* memory) {
  const VirtualLookup series(store->options.layout, store->virtual_metrics.get(),
                             &store.reads().planner, store->series->unlisted()->Now(),
                             store->clock->NowMs());
  return series.TsuidsOf(metric, {.watch = &watch, .memory = memory});
}

absl::StatusOr<HistogramSelection> SelectHistograms(const ScanSpec& spec,
                                                    const QueryPlanner& planner) {
  HistogramSelection selection{.tsuids = {}, .start_ms = spec.start_ms, .end_ms = spec.end_ms};
  if (spec.metric.empty()) return selection;
  SubQuery query;
  query.metric = spec.metric;
  query.filters = spec.filters;
  query.show_histogram_buckets = true;  // active sets know points alone
  HOURCELL_ASSIGN_OR_RETURN(QueryPlanner::ResolvedQuery resolved, planner.Resolve(query));
  HOURCELL_ASSIGN_OR_RETURN(const SubQueryPlan plan, planner.Plan(query, std::move(resolved),
                                                                  spec.start_ms, spec.end_ms, {}));
  std::vector<std::string>& tsuids = selection.tsuids.emplace();
  for (const uint32_t series : plan.selected)
    tsuids.emplace_back(plan.list->tsuid(series));
  std::ranges::sort(tsuids);
  return selection;
}

// Answers the sub queries of virtual metrics, and takes them off `*query`. Ascending by tsuid.
class VirtualLasts {
 public:
  VirtualLasts(const StoreReader& store,
               const QueryWatch& watch,
               MemoryLease* memory,
               QueryControl* control)
      : store_(store), watch_(watch), memory_(*memory), control_(*control), hold_(memory) {}

  absl::Status TakeFrom(LastQuery* query) {
    std::vector<LastSubQuery> stored;
    for (LastSubQuery& one : query->queries) {
      if (!one.tsuids.empty()) {
        HOURCELL_RETURN_IF_ERROR(AddByTsuids(*query, &one.tsuids));
        if (one.tsuids.empty()) continue;
      } else if (const auto metric = VirtualMetricOf(store_, one.metric); metric.has_value()) {
        HOURCELL_RETURN_IF_ERROR(AddByTags(*query, *metric, one));
        continue;
      }
      stored.push_back(std::move(one));
    }
    query->queries = std::move(stored);
    std::ranges::sort(points_, {}, &VirtualLastPoint::tsuid);
    const auto repeated = std::ranges::unique(points_, {}, &VirtualLastPoint::tsuid);
    points_.erase(repeated.begin(), repeated.end());
    return absl::OkStatus();
  }

  // Visits the points of series before `tsuid`; empty: all that are left. Errors: those of names.
  absl::Status VisitBefore(std::string_view tsuid,
                           bool resolve,
                           const std::function<void(const LastPoint&)>& visit) {
    while (next_ < points_.size() && (tsuid.empty() || points_[next_].tsuid < tsuid)) {
      const VirtualLastPoint& point = points_[next_++];
      LastPoint last{.series = {.tsuid = point.tsuid, .metric = {}, .tags = {}},
                     .ms = point.ms,
                     .value = point.value};
      if (resolve) HOURCELL_RETURN_IF_ERROR(names_.Resolve(point.tsuid, &last.series));
      visit(last);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddByTags(const LastQuery& query, Uid metric, const LastSubQuery& one) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> all,
                              SeriesOfVirtual(store_, metric, watch_, &memory_));
    const SeriesLookup lookup(store_->options.layout, store_->uids.get(), store_->series.get(),
                              &memory_);
    std::vector<std::string> selected;
    const auto add = [&selected](const FoundSeries& series) {
      selected.emplace_back(series.tsuid);
      return true;
    };
    HOURCELL_RETURN_IF_ERROR(
        lookup.VisitGiven(all, {.metric = one.metric, .tags = one.tags}, watch_, add).status());
    return Add(query, selected);
  }

  // Takes the tsuids of virtual metrics off `*tsuids`, which are hex.
  absl::Status AddByTsuids(const LastQuery& query, std::vector<std::string>* tsuids) {
    const size_t width = store_->options.layout.metric_width;
    std::map<Uid, std::vector<std::string>> selected;  // by metric
    std::erase_if(*tsuids, [&](const std::string& hex) {
      absl::StatusOr<std::string> tsuid = FromHex(hex);
      if (!tsuid.ok() || tsuid->size() < width) return false;
      const Uid metric = LoadBigEndian(tsuid->data(), width);
      if (!store_->virtual_metrics->Has(metric)) return false;
      selected[metric].push_back(*std::move(tsuid));
      return true;
    });
    for (const auto& [metric, of_metric] : selected)
      HOURCELL_RETURN_IF_ERROR(Add(query, of_metric));
    return absl::OkStatus();
  }

  // `tsuids`: of one metric.
  absl::Status Add(const LastQuery& query, const std::vector<std::string>& tsuids) {
    const std::shared_ptr<OpenHours> hours = store_.hours();
    const VirtualLast last(&store_.reads().executor, hours.get());
    HOURCELL_ASSIGN_OR_RETURN(std::vector<VirtualLastPoint> points,
                              last.Read(tsuids, query, store_->clock->NowMs(), &control_, &hold_));
    points_.insert(points_.end(), std::make_move_iterator(points.begin()),
                   std::make_move_iterator(points.end()));
    return absl::OkStatus();
  }

  const StoreReader& store_;
  const QueryWatch& watch_;
  MemoryLease& memory_;
  QueryControl& control_;
  MemoryHold hold_;
  SeriesNames names_{store_->options.layout, store_->uids.get()};
  std::vector<VirtualLastPoint> points_;
  size_t next_ = 0;
};

ParallelScan::Parts ScanPartsOf(const StoreReader& store) {
  return {.row_keys = &*store->row_keys,
          .tables = store->tables.get(),
          .regions = store->tables.get(),
          .open_hours = store.hours(),
          .series = store->series.get(),
          .uids = store->uids.get(),
          .planner = &store.reads().planner};
}

}  // namespace

absl::Status Queries::Query(const QuerySpec& spec, QuerySink* sink, QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store,
                            gates_->BeginRead(/*at_once=*/spec.quick.has_value()));
  const std::shared_ptr<OpenHours> hours = store.hours();
  QueryControl own;
  return store->losses.Note(
      store.reads().executor.Run(spec, hours.get(), sink, control == nullptr ? &own : control));
}

absl::StatusOr<QueryResult> Queries::Query(const QuerySpec& spec) {
  QueryResult result;
  ResultCollector collector(&result);
  QueryControl control;
  HOURCELL_RETURN_IF_ERROR(Query(spec, &collector, &control));
  result.rows_read = control.rows;
  result.points_read = control.points;
  return result;
}

absl::Status Queries::LastPoints(const LastQuery& query,
                                 const std::function<void(const LastPoint&)>& visit,
                                 QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(store->clock, control, query.deadline_ms, store->options.query_timeout_ms);
  MemoryLease memory(store.reads().executor.memory(), control);
  // Pin before snapshot, as in every read.
  const std::shared_ptr<OpenHours> hours = store.hours();
  const ReadPins::Pin pin = hours->pins().Acquire();
  const std::unique_ptr<TableView> view = store->tables->Snapshot();
  LastPointReader reader(*store->row_keys,
                         {.view = view.get(),
                          .open_hours = hours.get(),
                          .pinned_at = pin.time(),
                          .uids = store->uids.get(),
                          .series = store->series.get(),
                          .expiry = &*store->expiry,
                          .clock = store->clock,
                          .skip_unresolved_tagvs = store->options.skip_unresolved_tagvs,
                          .memory = &memory});
  if (store->virtual_metrics->is_empty()) {
    return store->losses.Note(reader.Read(query, watch, control, visit));
  }
  LastQuery stored = query;
  VirtualLasts virtuals(store, watch, &memory, control);
  HOURCELL_RETURN_IF_ERROR(store->losses.Note(virtuals.TakeFrom(&stored)));
  absl::Status named;
  const auto visit_in_order = [&](const LastPoint& point) {
    if (named.ok()) named = virtuals.VisitBefore(point.series.tsuid, query.resolve, visit);
    visit(point);
  };
  HOURCELL_RETURN_IF_ERROR(store->losses.Note(reader.Read(stored, watch, control, visit_in_order)));
  HOURCELL_RETURN_IF_ERROR(named);
  return virtuals.VisitBefore(/*tsuid=*/{}, query.resolve, visit);
}

absl::StatusOr<uint64_t> Queries::LookupSeries(const LookupQuery& query,
                                               const std::function<bool(const FoundSeries&)>& visit,
                                               QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(store->clock, control, query.deadline_ms, store->options.query_timeout_ms);
  MemoryLease memory(store.reads().executor.memory(), control);
  HOURCELL_RETURN_IF_ERROR(store.reads().ListPutSeries());
  const SeriesLookup lookup(store->options.layout, store->uids.get(), store->series.get(), &memory,
                            store.reads().active_sets);
  const std::optional<Uid> virtual_metric = VirtualMetricOf(store, query.metric);
  if (!virtual_metric.has_value()) return store->losses.Note(lookup.Visit(query, watch, visit));
  const absl::StatusOr<std::vector<std::string>> tsuids =
      SeriesOfVirtual(store, *virtual_metric, watch, &memory);
  if (!tsuids.ok()) return store->losses.Note(tsuids.status());
  return store->losses.Note(lookup.VisitGiven(*tsuids, query, watch, visit));
}

std::unique_ptr<MemoryAccount> Queries::LeaseQueryMemory(QueryControl* control) {
  StoreImpl* const store = gates_->process();
  if (store == nullptr) return nullptr;
  return std::make_unique<MemoryLease>(store->read->executor.memory(), control);
}

absl::Status Queries::Scan(const ScanSpec& spec,
                           const std::function<bool(const ScannedRow&)>& visit,
                           const std::function<bool()>& should_stop) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  const std::shared_ptr<OpenHours> hours = store.hours();
  const ReadPins::Pin pin = hours->pins().Acquire();
  const std::unique_ptr<TableView> view = store->tables->Snapshot();
  RowScanner scanner(*store->row_keys, {.view = view.get(),
                                        .open_hours = hours.get(),
                                        .series = store->series.get(),
                                        .uids = store->uids.get(),
                                        .planner = &store.reads().planner,
                                        .pinned_at = pin.time()});
  return store->losses.Note(scanner.Scan(spec, visit, should_stop));
}

absl::Status Queries::VisitHistograms(
    const ScanSpec& spec,
    const std::function<absl::Status(std::span<const HistogramPoint>)>& visit) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  const std::unique_ptr<TableView> view = store->tables->Snapshot();
  if (!spec.metric.empty()) {
    // The series of a metric without histograms need not be listed.
    HOURCELL_ASSIGN_OR_RETURN(const Uid metric, store->uids->Get(UidKind::kMetric, spec.metric));
    HOURCELL_ASSIGN_OR_RETURN(const bool has_some,
                              HasHistograms(*store->row_keys, view.get(), metric));
    if (!has_some) return absl::OkStatus();
  }
  HOURCELL_ASSIGN_OR_RETURN(const HistogramSelection selection,
                            SelectHistograms(spec, store.reads().planner));
  return store->losses.Note(hourcell::VisitHistograms({.row_keys = &*store->row_keys,
                                                       .view = view.get(),
                                                       .uids = store->uids.get(),
                                                       .expiry = &*store->expiry},
                                                      selection, visit));
}

absl::StatusOr<std::unique_ptr<ParallelScan>> Queries::PlanScan(
    const ScanSpec& spec, const ParallelScanOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return ParallelScan::Plan(spec, options, ScanPartsOf(store));
}

absl::StatusOr<RowAggregates> Queries::AggregateRows(const ScanSpec& rows,
                                                     const RowAggregateSpec& spec,
                                                     QueryControl* control) {
  HOURCELL_RETURN_IF_ERROR(spec.Validate());
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(store->clock, control, spec.deadline_ms, store->options.query_timeout_ms);
  MemoryLease memory(store.reads().executor.memory(), control);
  HOURCELL_ASSIGN_OR_RETURN(
      const std::unique_ptr<ParallelScan> scan,
      ParallelScan::Plan(rows,
                         {.workers = spec.workers > 0 ? spec.workers : store->options.query_threads,
                          .should_stop = [&watch] { return !watch.Check().ok(); }},
                         ScanPartsOf(store)));
  std::vector<RowGroups> of_workers(scan->workers(), RowGroups(rows, spec, &memory));
  const absl::Status run = scan->Run([&](size_t worker, const ScannedRow& row) {
    control->rows.fetch_add(1, std::memory_order_relaxed);
    control->points.fetch_add(row.times.size(), std::memory_order_relaxed);
    return of_workers[worker].Add(row);
  });
  HOURCELL_RETURN_IF_ERROR(watch.Check());
  HOURCELL_RETURN_IF_ERROR(store->losses.Note(run));
  RowGroups& all = of_workers.front();
  for (size_t i = 1; i < of_workers.size(); ++i)
    HOURCELL_RETURN_IF_ERROR(all.Merge(of_workers[i]));
  return RowAggregates{.total = all.Total(),
                       .groups = all.Groups(),
                       .regions = scan->regions(),
                       .workers = scan->workers()};
}

}  // namespace hourcell
