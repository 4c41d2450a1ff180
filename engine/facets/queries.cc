#include "engine/queries.h"

#include <utility>

#include "codec/base/status_macros.h"
#include "engine/histograms/histogram_scan.h"
#include "engine/query/query_watch.h"
#include "engine/query/result_collector.h"
#include "engine/read/last_points.h"
#include "engine/read/query_meter.h"
#include "engine/scan/row_scanner.h"
#include "engine/series/series_lookup.h"
#include "engine/store/gates.h"
#include "engine/store/parallel_scan_parts.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

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
  return store->losses.Note(reader.Read(query, watch, control, visit));
}

absl::StatusOr<uint64_t> Queries::LookupSeries(const LookupQuery& query,
                                               const std::function<bool(const FoundSeries&)>& visit,
                                               QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(store->clock, control, query.deadline_ms, store->options.query_timeout_ms);
  MemoryLease memory(store.reads().executor.memory(), control);
  const SeriesLookup lookup(store->options.layout, store->uids.get(), store->series.get(), &memory);
  return store->losses.Note(lookup.Visit(query, watch, visit));
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
    const std::function<absl::Status(std::span<const HistogramPoint>)>& visit) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  const std::unique_ptr<TableView> view = store->tables->Snapshot();
  return store->losses.Note(hourcell::VisitHistograms({.row_keys = &*store->row_keys,
                                                       .view = view.get(),
                                                       .uids = store->uids.get(),
                                                       .expiry = &*store->expiry},
                                                      visit));
}

absl::StatusOr<std::unique_ptr<ParallelScan>> Queries::PlanScan(
    const ScanSpec& spec, const ParallelScanOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return ParallelScan::Plan(spec, options,
                            {.row_keys = &*store->row_keys,
                             .tables = store->tables.get(),
                             .regions = store->tables.get(),
                             .open_hours = store.hours(),
                             .series = store->series.get(),
                             .uids = store->uids.get(),
                             .planner = &store.reads().planner});
}

}  // namespace hourcell
