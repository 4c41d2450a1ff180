#include "engine/queries.h"

#include <utility>

#include "codec/base/status_macros.h"
#include "engine/query/query_watch.h"
#include "engine/query/result_collector.h"
#include "engine/read/last_points.h"
#include "engine/read/query_meter.h"
#include "engine/scan/row_scanner.h"
#include "engine/series/series_lookup.h"
#include "engine/store/parallel_scan_parts.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

absl::Status Queries::Query(const QuerySpec& spec, QuerySink* sink, QueryControl* control) {
  if (!store_->is_open) return absl::FailedPreconditionError("store is closed");
  HOURCELL_RETURN_IF_ERROR(store_->CheckIsWriter(/*at_once=*/spec.quick.has_value()));
  const std::shared_ptr<OpenHours> hours = store_->HoursToRead();
  QueryControl own;
  return store_->losses.Note(
      store_->executor->Run(spec, hours.get(), sink, control == nullptr ? &own : control));
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
  HOURCELL_RETURN_IF_ERROR(store_->CheckReads());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(store_->clock, control, query.deadline_ms,
                         store_->options.query_timeout_ms);
  MemoryLease memory(store_->executor->memory(), control);
  // Pin before snapshot, as in every read.
  const std::shared_ptr<OpenHours> hours = store_->HoursToRead();
  const ReadPins::Pin pin = hours->pins().Acquire();
  const std::unique_ptr<TableView> view = store_->tables->Snapshot();
  LastPointReader reader(*store_->row_keys,
                         {.view = view.get(),
                          .open_hours = hours.get(),
                          .pinned_at = pin.time(),
                          .uids = store_->uids.get(),
                          .series = store_->series.get(),
                          .expiry = &*store_->expiry,
                          .clock = store_->clock,
                          .skip_unresolved_tagvs = store_->options.skip_unresolved_tagvs,
                          .memory = &memory});
  return store_->losses.Note(reader.Read(query, watch, control, visit));
}

absl::StatusOr<uint64_t> Queries::LookupSeries(const LookupQuery& query,
                                               const std::function<bool(const FoundSeries&)>& visit,
                                               QueryControl* control) {
  HOURCELL_RETURN_IF_ERROR(store_->CheckReads());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(store_->clock, control, query.deadline_ms,
                         store_->options.query_timeout_ms);
  MemoryLease memory(store_->executor->memory(), control);
  const SeriesLookup lookup(store_->options.layout, store_->uids.get(), store_->series.get(),
                            &memory);
  return store_->losses.Note(lookup.Visit(query, watch, visit));
}

std::unique_ptr<MemoryAccount> Queries::LeaseQueryMemory(QueryControl* control) {
  if (!store_->is_open) return nullptr;
  return std::make_unique<MemoryLease>(store_->executor->memory(), control);
}

absl::Status Queries::Scan(const ScanSpec& spec,
                           const std::function<bool(const ScannedRow&)>& visit,
                           const std::function<bool()>& should_stop) {
  HOURCELL_RETURN_IF_ERROR(store_->CheckReads());
  const std::shared_ptr<OpenHours> hours = store_->HoursToRead();
  const ReadPins::Pin pin = hours->pins().Acquire();
  const std::unique_ptr<TableView> view = store_->tables->Snapshot();
  RowScanner scanner(*store_->row_keys, {.view = view.get(),
                                         .open_hours = hours.get(),
                                         .series = store_->series.get(),
                                         .uids = store_->uids.get(),
                                         .planner = store_->planner.get(),
                                         .pinned_at = pin.time()});
  return store_->losses.Note(scanner.Scan(spec, visit, should_stop));
}

absl::StatusOr<std::unique_ptr<ParallelScan>> Queries::PlanScan(
    const ScanSpec& spec, const ParallelScanOptions& options) {
  HOURCELL_RETURN_IF_ERROR(store_->CheckReads());
  return ParallelScan::Plan(spec, options,
                            {.row_keys = &*store_->row_keys,
                             .tables = store_->tables.get(),
                             .regions = store_->tables.get(),
                             .open_hours = store_->HoursToRead(),
                             .series = store_->series.get(),
                             .uids = store_->uids.get(),
                             .planner = store_->planner.get()});
}

}  // namespace hourcell
