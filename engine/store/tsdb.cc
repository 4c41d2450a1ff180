#include "engine/tsdb.h"

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/uid.h"
#include "engine/deletion/point_deleter.h"
#include "engine/query/query_watch.h"
#include "engine/query/result_collector.h"
#include "engine/read/last_points.h"
#include "engine/read/query_meter.h"
#include "engine/scan/row_scanner.h"
#include "engine/series/series_lookup.h"
#include "engine/store/parallel_scan_parts.h"
#include "engine/store/tsdb_impl.h"
#include "uid/uid_check.h"

namespace hourcell {
namespace {

absl::Status Closed() {
  return absl::FailedPreconditionError("store is closed");
}

UidRow MakeUidRow(const Layout& layout, UidKind kind, std::string name, Uid uid) {
  UidRow row{.kind = kind, .name = std::move(name), .uid_bytes = {}};
  AppendBigEndian(uid, layout.width(kind), &row.uid_bytes);
  return row;
}

}  // namespace

Tsdb::Tsdb(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Tsdb::~Tsdb() {
  Close().IgnoreError();
}  // a destructor cannot report

absl::StatusOr<std::unique_ptr<Tsdb>> Tsdb::Open(const Options& options) {
  HOURCELL_RETURN_IF_ERROR(options.Validate());
  auto impl = std::make_unique<Impl>(options);
  HOURCELL_RETURN_IF_ERROR(impl->Open());
  return std::make_unique<Tsdb>(std::move(impl));
}

CommitTicket Tsdb::Append(std::span<const PointView> points,
                          std::vector<RefusedPoint>* refused,
                          const AppendOptions& options) {
  if (refused != nullptr) refused->clear();
  if (absl::Status writes = impl_->CheckWrites(); !writes.ok()) {
    return CommitTicket(std::move(writes));
  }
  return impl_->writer->Append(points, refused, options);
}

CommitTicket Tsdb::Append(std::span<const LinePoint> points,
                          std::vector<RefusedPoint>* refused,
                          const AppendOptions& options) {
  if (refused != nullptr) refused->clear();
  if (absl::Status writes = impl_->CheckWrites(); !writes.ok()) {
    return CommitTicket(std::move(writes));
  }
  return impl_->writer->Append(points, refused, options);
}

absl::Status Tsdb::Put(const PointView& point) {
  std::vector<RefusedPoint> refused;
  const CommitTicket ticket = Append({&point, 1}, &refused);
  if (refused.empty()) return ticket.Wait();
  return StatusOfRefused(point.metric, refused.front().error);
}

absl::Status Tsdb::Query(const QuerySpec& spec, QuerySink* sink, QueryControl* control) {
  if (!impl_->is_open) return Closed();
  HOURCELL_RETURN_IF_ERROR(impl_->CheckIsWriter(/*at_once=*/spec.quick.has_value()));
  const std::shared_ptr<OpenHours> hours = impl_->HoursToRead();
  QueryControl own;
  return impl_->losses.Note(
      impl_->executor->Run(spec, hours.get(), sink, control == nullptr ? &own : control));
}

absl::StatusOr<QueryResult> Tsdb::Query(const QuerySpec& spec) {
  QueryResult result;
  ResultCollector collector(&result);
  QueryControl control;
  HOURCELL_RETURN_IF_ERROR(Query(spec, &collector, &control));
  result.rows_read = control.rows;
  result.points_read = control.points;
  return result;
}

absl::Status Tsdb::LastPoints(const LastQuery& query,
                              const std::function<void(const LastPoint&)>& visit,
                              QueryControl* control) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(impl_->clock, control, query.deadline_ms, impl_->options.query_timeout_ms);
  MemoryLease memory(impl_->executor->memory(), control);
  // Pin before snapshot, as in every read.
  const std::shared_ptr<OpenHours> hours = impl_->HoursToRead();
  const ReadPins::Pin pin = hours->pins().Acquire();
  const std::unique_ptr<TableView> view = impl_->tables->Snapshot();
  LastPointReader reader(*impl_->row_keys,
                         {.view = view.get(),
                          .open_hours = hours.get(),
                          .pinned_at = pin.time(),
                          .uids = impl_->uids.get(),
                          .series = impl_->series.get(),
                          .expiry = &*impl_->expiry,
                          .clock = impl_->clock,
                          .skip_unresolved_tagvs = impl_->options.skip_unresolved_tagvs,
                          .memory = &memory});
  return impl_->losses.Note(reader.Read(query, watch, control, visit));
}

absl::StatusOr<uint64_t> Tsdb::LookupSeries(const LookupQuery& query,
                                            const std::function<bool(const FoundSeries&)>& visit,
                                            QueryControl* control) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(impl_->clock, control, query.deadline_ms, impl_->options.query_timeout_ms);
  MemoryLease memory(impl_->executor->memory(), control);
  const SeriesLookup lookup(layout(), impl_->uids.get(), impl_->series.get(), &memory);
  return impl_->losses.Note(lookup.Visit(query, watch, visit));
}

absl::StatusOr<DeletedPoints> Tsdb::DeletePoints(const QuerySpec& spec, QueryControl* control) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  QueryControl own;
  PointDeleter deleter(*impl_->row_keys, {.executor = impl_->executor.get(),
                                          .tables = impl_->tables.get(),
                                          .open_hours = impl_->open_hours.get(),
                                          .sealer = impl_->sealer.get(),
                                          .commit = impl_->commit.get(),
                                          .expiry = &*impl_->expiry,
                                          .active = impl_->active.get(),
                                          .dropper = impl_->dropper.get(),
                                          .memory = impl_->executor->memory()});
  absl::StatusOr<DeletedPoints> deleted = deleter.Delete(spec, control == nullptr ? &own : control);
  HOURCELL_RETURN_IF_ERROR(impl_->NoteChange(deleted.status()));
  return deleted;
}

std::unique_ptr<MemoryAccount> Tsdb::LeaseQueryMemory(QueryControl* control) {
  if (!impl_->is_open) return nullptr;
  return std::make_unique<MemoryLease>(impl_->executor->memory(), control);
}

absl::StatusOr<std::vector<std::string>> Tsdb::Suggest(UidKind kind,
                                                       std::string_view prefix,
                                                       size_t max) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  return impl_->uids->Suggest(kind, prefix, max);
}

absl::Status Tsdb::VisitNames(const NameQuery& query,
                              const std::function<bool(std::string_view name)>& visit,
                              QueryControl* control) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(impl_->clock, control, query.deadline_ms, impl_->options.query_timeout_ms);
  constexpr size_t kNamesPerCheck = 256;
  size_t visited = 0;
  absl::Status ended;
  HOURCELL_RETURN_IF_ERROR(
      impl_->uids->VisitNames(query.kind, query.prefix, [&](std::string_view name) {
        if (visited++ % kNamesPerCheck == 0) ended = watch.Check();
        return ended.ok() && visit(name);
      }));
  return ended;
}

absl::Status Tsdb::Scan(const ScanSpec& spec,
                        const std::function<bool(const ScannedRow&)>& visit,
                        const std::function<bool()>& should_stop) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  const std::shared_ptr<OpenHours> hours = impl_->HoursToRead();
  const ReadPins::Pin pin = hours->pins().Acquire();
  const std::unique_ptr<TableView> view = impl_->tables->Snapshot();
  RowScanner scanner(*impl_->row_keys, {.view = view.get(),
                                        .open_hours = hours.get(),
                                        .series = impl_->series.get(),
                                        .uids = impl_->uids.get(),
                                        .planner = impl_->planner.get(),
                                        .pinned_at = pin.time()});
  return impl_->losses.Note(scanner.Scan(spec, visit, should_stop));
}

absl::StatusOr<std::unique_ptr<ParallelScan>> Tsdb::PlanScan(const ScanSpec& spec,
                                                             const ParallelScanOptions& options) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  return ParallelScan::Plan(spec, options,
                            {.row_keys = &*impl_->row_keys,
                             .tables = impl_->tables.get(),
                             .regions = impl_->tables.get(),
                             .open_hours = impl_->HoursToRead(),
                             .series = impl_->series.get(),
                             .uids = impl_->uids.get(),
                             .planner = impl_->planner.get()});
}

absl::StatusOr<std::optional<Annotation>> Tsdb::GetAnnotation(std::string_view tsuid,
                                                              int64_t start_time) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  return impl_->losses.Note(impl_->annotations->Get(tsuid, start_time));
}

absl::StatusOr<std::vector<Annotation>> Tsdb::PutAnnotations(std::span<const AnnotationEdit> edits,
                                                             AnnotationWrite write,
                                                             MemoryAccount* memory) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  QueryControl own;
  MemoryLease lease(impl_->executor->memory(), &own);
  absl::StatusOr<std::vector<Annotation>> put =
      impl_->annotations->Put(edits, write, memory == nullptr ? &lease : memory);
  if (put.ok()) HOURCELL_RETURN_IF_ERROR(impl_->NoteAnnotation());
  HOURCELL_RETURN_IF_ERROR(impl_->Acknowledge(put.status()));
  return put;
}

absl::Status Tsdb::DeleteAnnotation(std::string_view tsuid, int64_t start_time) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  return impl_->Acknowledge(impl_->annotations->Delete(tsuid, start_time));
}

absl::StatusOr<uint64_t> Tsdb::DeleteAnnotations(std::span<const std::string> tsuids,
                                                 bool global,
                                                 int64_t start_ms,
                                                 int64_t end_ms) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  absl::StatusOr<uint64_t> deleted =
      impl_->annotations->DeleteRange(tsuids, global, start_ms, end_ms);
  HOURCELL_RETURN_IF_ERROR(impl_->Acknowledge(deleted.status()));
  return deleted;
}

absl::Status Tsdb::VisitAnnotations(const std::function<absl::Status(const Annotation&)>& visit) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  return impl_->losses.Note(impl_->annotations->VisitAll(visit));
}

absl::StatusOr<std::vector<Annotation>> Tsdb::GlobalAnnotations(int64_t start_ms,
                                                                int64_t end_ms,
                                                                MemoryAccount* memory) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  if (end_ms < 1) return absl::InvalidArgumentError("The end timestamp has not been set");
  if (end_ms < start_ms) {
    return absl::InvalidArgumentError("The end timestamp cannot be less than the start timestamp");
  }
  QueryControl own;
  MemoryLease lease(impl_->executor->memory(), &own);
  return impl_->annotations->Global(impl_->tables->Snapshot().get(), start_ms, end_ms,
                                    memory == nullptr ? &lease : memory);
}

absl::StatusOr<UidRow> Tsdb::AssignUid(UidKind kind, std::string_view name) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, impl_->uids->GetOrAssign(kind, name));
  // The mapping may come from an assignment that a disk refused.
  HOURCELL_RETURN_IF_ERROR(impl_->Acknowledge(impl_->tables->CheckWritten()));
  return MakeUidRow(layout(), kind, std::string(name), uid);
}

absl::Status Tsdb::AssignGivenUids(std::span<const UidRow> rows) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  for (const UidKind kind : kUidKinds) {
    std::vector<UidMapping> given;
    for (const UidRow& row : rows) {
      if (row.kind != kind) continue;
      const size_t width = layout().width(kind);
      const absl::StatusOr<Uid> uid = UidFromBytes(row.uid_bytes, width);
      if (!uid.ok()) {
        return absl::InvalidArgumentError(
            fmt::format("{} {}: its UID has {} bytes; the UIDs of this store have {}",
                        KindName(kind), QuoteForMessage(row.name), row.uid_bytes.size(), width));
      }
      given.push_back({.name = row.name, .uid = *uid});
    }
    HOURCELL_RETURN_IF_ERROR(impl_->uids->AssignGiven(kind, given));
  }
  return impl_->Acknowledge(impl_->tables->CheckWritten());
}

absl::StatusOr<UidRow> Tsdb::FindUid(UidKind kind, std::string_view name) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, impl_->uids->Get(kind, name));
  return MakeUidRow(layout(), kind, std::string(name), uid);
}

absl::StatusOr<UidRow> Tsdb::FindName(UidKind kind, Uid uid) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  HOURCELL_ASSIGN_OR_RETURN(std::string name, impl_->uids->NameOf(kind, uid));
  return MakeUidRow(layout(), kind, std::move(name), uid);
}

absl::Status Tsdb::GrepUids(UidKind kind,
                            std::string_view expression,
                            bool ignore_case,
                            const std::function<bool(UidRow row)>& visit) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  return impl_->uids->Grep(kind, expression, ignore_case, [&](UidMapping mapping) {
    return visit(MakeUidRow(layout(), kind, std::move(mapping.name), mapping.uid));
  });
}

absl::Status Tsdb::RenameUid(UidKind kind, std::string_view name, std::string_view new_name) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  const absl::Status renamed = impl_->uids->Rename(kind, name, new_name);
  impl_->series_cache->Clear();  // its keys are names
  return impl_->NoteChange(renamed);
}

absl::Status Tsdb::DeleteUid(UidKind kind, std::string_view name) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  const absl::Status deleted = impl_->uids->Delete(kind, name);
  impl_->series_cache->Clear();
  return impl_->NoteChange(deleted);
}

absl::StatusOr<UidFsckResult> Tsdb::CheckUids(bool repair) {
  HOURCELL_RETURN_IF_ERROR(repair ? impl_->CheckWrites() : impl_->CheckReads());
  HOURCELL_ASSIGN_OR_RETURN(const UidCheckReport report,
                            hourcell::CheckUids(layout(), impl_->uid_store.get(), repair));
  if (repair) DropCaches();
  if (repair) HOURCELL_RETURN_IF_ERROR(impl_->NoteChange(absl::OkStatus()));
  UidFsckResult result{.lines = {},
                       .mappings = report.mappings,
                       .errors = report.errors(),
                       .warnings = report.warnings()};
  for (const UidFinding& finding : report.findings)
    result.lines.push_back(LineOf(finding));
  return result;
}

absl::Status Tsdb::SetMetricTtl(std::string_view metric, std::optional<int64_t> ttl_s) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  return impl_->NoteChange(impl_->ttls->Set(metric, ttl_s));
}

int64_t Tsdb::store_ttl_s() const {
  return impl_->retention.rules()->store_ttl_s;
}

absl::StatusOr<std::vector<MetricTtl>> Tsdb::MetricTtls() {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckReads());
  return impl_->ttls->List();
}

absl::StatusOr<uint64_t> Tsdb::DropExpired() {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  absl::StatusOr<uint64_t> freed = impl_->DropExpired();
  HOURCELL_RETURN_IF_ERROR(impl_->Acknowledge(freed.status()));
  return freed;
}

void Tsdb::DropCaches() {
  if (!impl_->is_open) return;
  impl_->uids->DropCaches();
  impl_->series_cache->Clear();
  impl_->metric_series->Clear();
}

absl::Status Tsdb::SealDue() {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  return impl_->Acknowledge(impl_->sealer->SealDue());
}

absl::Status Tsdb::Seal(const SealControl& control) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  return impl_->Acknowledge(impl_->sealer->SealAll(control));
}

absl::Status Tsdb::Flush(const SealControl& control) {
  HOURCELL_RETURN_IF_ERROR(impl_->CheckWrites());
  return impl_->Acknowledge(impl_->Flush(control));
}

absl::Status Tsdb::Compact(const CompactControl& control) {
  HOURCELL_RETURN_IF_ERROR(Flush({.cancelled = control.cancelled}));
  size_t done = 0;
  for (const TableId table : kTableIds) {
    if (control.progress) control.progress(TableName(table), done++, std::size(kTableIds));
    HOURCELL_RETURN_IF_ERROR(impl_->tables->Compact(table, control.cancelled));
  }
  return impl_->Acknowledge(absl::OkStatus());
}

RegionAdmin* Tsdb::regions() {
  return impl_->regions.get();
}

SaltAdmin* Tsdb::salt() {
  return impl_->salt.get();
}

BackupAdmin* Tsdb::backups() {
  return impl_->backups.get();
}

AdoptionAdmin* Tsdb::adoption() {
  return impl_->adoption.get();
}

FsckAdmin* Tsdb::fsck() {
  return impl_->fsck.get();
}

StoreHealth Tsdb::Health() {
  return impl_->Health();
}

ClusterView Tsdb::Cluster() {
  return impl_->Cluster();
}

Stats& Tsdb::stats() {
  return impl_->stats;
}

const Layout& Tsdb::layout() const {
  return impl_->options.layout;
}

absl::Status Tsdb::Close() {
  return impl_->Close();
}

}  // namespace hourcell
