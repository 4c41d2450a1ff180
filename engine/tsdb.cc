#include "engine/tsdb.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "codec/base/kill_point.h"
#include "codec/base/mutex.h"
#include "codec/base/status_macros.h"
#include "codec/row_key.h"
#include "engine/admission.h"
#include "engine/annotation_store.h"
#include "engine/background.h"
#include "engine/backup_admin.h"
#include "engine/fsck_admin.h"
#include "engine/group_commit.h"
#include "engine/ingest/open_hours.h"
#include "engine/ingest/series_cache.h"
#include "engine/journal.h"
#include "engine/last_points.h"
#include "engine/loss_counter.h"
#include "engine/metric_series.h"
#include "engine/parallel_scan_parts.h"
#include "engine/point_deleter.h"
#include "engine/point_replay.h"
#include "engine/point_writer.h"
#include "engine/presplit_new.h"
#include "engine/put_ledger.h"
#include "engine/query/result_collector.h"
#include "engine/query_executor.h"
#include "engine/query_planner.h"
#include "engine/query_watch.h"
#include "engine/region_admin.h"
#include "engine/region_keeper.h"
#include "engine/region_loads.h"
#include "engine/retention.h"
#include "engine/rocks_table_store.h"
#include "engine/row_scanner.h"
#include "engine/salt_admin.h"
#include "engine/sealer.h"
#include "engine/series_lookup.h"
#include "engine/series_table.h"
#include "engine/store_gauges.h"
#include "engine/store_lock.h"
#include "engine/store_meta.h"
#include "engine/table_uid_store.h"
#include "engine/ttl_admin.h"
#include "uid/uid_check.h"
#include "uid/uid_directory.h"

namespace hourcell {
namespace {

UidOptions ToUidOptions(const Options& options, const Layout& layout) {
  return {.layout = layout,
          .extra_chars = options.extra_name_chars,
          .auto_create_metrics = options.auto_create_metrics,
          .auto_create_tagks = options.auto_create_tagks,
          .auto_create_tagvs = options.auto_create_tagvs,
          .random_metrics = options.random_metric_uids,
          .cache_names_max = options.uid_cache_names_max};
}

// For the series of metrics that are queried.
constexpr size_t kMetricSeriesBytes = 128 << 20;

// Enough that appenders seldom meet, few enough that a batch has many points for each.
size_t DefaultLanes() {
  return std::clamp<size_t>(4 * std::thread::hardware_concurrency(), 8, 64);
}

absl::Status Closed() {
  return absl::FailedPreconditionError("store is closed");
}

UidRow MakeUidRow(const Layout& layout, UidKind kind, std::string name, Uid uid) {
  UidRow row{.kind = kind, .name = std::move(name), .uid_bytes = {}};
  AppendBigEndian(uid, layout.width(kind), &row.uid_bytes);
  return row;
}

}  // namespace

// The parts of an open store, in the order in which they depend on each other.
class Tsdb::Impl {
 public:
  explicit Impl(Options opened) : options(std::move(opened)) {}

  absl::Status Open();
  absl::Status OpenTables();
  absl::Status LoadRetention();
  void MakeRegionKeeper();
  absl::Status OpenJournal();
  void StartBackground();
  absl::Status Flush();
  absl::Status Close();

  Options options;
  Clock* const clock = options.clock != nullptr ? options.clock : Clock::System();
  Stats stats;
  LossCounter losses{&stats};
  std::unique_ptr<StoreLock> lock;
  Retention retention;
  std::optional<RowExpiry> expiry;
  std::unique_ptr<TableStore> tables;
  std::shared_ptr<SaltSchedule> salts;
  std::optional<RowKeyCodec> row_keys;
  std::unique_ptr<TableUidStore> uid_store;
  std::unique_ptr<UidDirectory> uids;
  std::unique_ptr<SeriesTable> series;
  std::unique_ptr<SeriesCache> series_cache;
  std::unique_ptr<AnnotationStore> annotations;
  std::unique_ptr<OpenHours> open_hours;
  std::unique_ptr<Journal> journal;
  std::unique_ptr<PutLedger> put_ledger;  // null: there are no observers
  std::unique_ptr<GroupCommit> commit;
  std::unique_ptr<Admission> admission;
  std::optional<RegionLoads> region_loads;
  std::unique_ptr<RegionKeeper> region_keeper;
  std::unique_ptr<Sealer> sealer;
  std::unique_ptr<PointWriter> writer;
  std::unique_ptr<MetricSeriesCache> metric_series;
  std::unique_ptr<QueryPlanner> planner;
  std::unique_ptr<QueryExecutor> executor;
  std::unique_ptr<RegionAdmin> regions;
  std::unique_ptr<SaltAdmin> salt;
  std::unique_ptr<TtlAdmin> ttls;
  std::unique_ptr<BackupAdmin> backups;
  std::unique_ptr<FsckAdmin> fsck;
  std::unique_ptr<Background> committer;
  std::unique_ptr<Background> syncer;
  std::unique_ptr<Background> seal_ticker;
  std::unique_ptr<Background> expiry_ticker;
  std::unique_ptr<Background> region_ticker;
  std::unique_ptr<Background> region_trimmer;
  std::atomic<bool> is_open{false};
};

absl::Status Tsdb::Impl::Open() {
  HOURCELL_RETURN_IF_ERROR(MakeStoreDirectory(options.path, options.create_if_missing));
  HOURCELL_ASSIGN_OR_RETURN(lock, StoreLock::Acquire(options.path));
  HOURCELL_RETURN_IF_ERROR(OpenTables());
  HOURCELL_RETURN_IF_ERROR(OpenJournal());
  writer = std::make_unique<PointWriter>(options, PointWriter::Parts{.series = series.get(),
                                                                     .cache = series_cache.get(),
                                                                     .open_hours = open_hours.get(),
                                                                     .commit = commit.get(),
                                                                     .admission = admission.get(),
                                                                     .uids = uids.get(),
                                                                     .expiry = &*expiry,
                                                                     .ledger = put_ledger.get(),
                                                                     .clock = clock,
                                                                     .stats = &stats});
  metric_series = std::make_unique<MetricSeriesCache>(
      options.layout, series.get(), MetricSeriesCache::Limits{.bytes = kMetricSeriesBytes});
  planner = std::make_unique<QueryPlanner>(options, *row_keys,
                                           QueryPlanner::Parts{.uids = uids.get(),
                                                               .series = series.get(),
                                                               .metric_series = metric_series.get(),
                                                               .expiry = &*expiry});
  executor = std::make_unique<QueryExecutor>(options, *row_keys,
                                             QueryExecutor::Parts{.tables = tables.get(),
                                                                  .uids = uids.get(),
                                                                  .planner = planner.get(),
                                                                  .open_hours = open_hours.get(),
                                                                  .annotations = annotations.get(),
                                                                  .clock = clock});
  regions = std::make_unique<RegionAdmin>(
      options.regions.split,
      RegionAdmin::Parts{
          .tables = tables.get(), .row_keys = &*row_keys, .uids = uids.get(), .clock = clock});
  salt = std::make_unique<SaltAdmin>(SaltAdmin::Parts{.tables = tables.get(),
                                                      .row_keys = &*row_keys,
                                                      .schedule = salts.get(),
                                                      .sealer = sealer.get(),
                                                      .annotations = annotations.get(),
                                                      .clock = clock});
  ttls = std::make_unique<TtlAdmin>(
      options.layout,
      TtlAdmin::Parts{.tables = tables.get(), .uids = uids.get(), .retention = &retention});
  backups = std::make_unique<BackupAdmin>(BackupAdmin::Parts{.store_path = options.path,
                                                             .tables = tables.get(),
                                                             .commit = commit.get(),
                                                             .journal = journal.get(),
                                                             .sealer = sealer.get(),
                                                             .clock = clock,
                                                             .env = options.env});
  fsck = std::make_unique<FsckAdmin>(FsckAdmin::Parts{
      &options.layout, tables.get(), &*row_keys, uids.get(), series.get(), journal.get(), clock});
  StartBackground();
  StoreGauges{.is_open = &is_open,
              .tables = tables.get(),
              .uids = uids.get(),
              .series = series.get(),
              .series_cache = series_cache.get(),
              .open_hours = open_hours.get(),
              .journal = journal.get(),
              .commit = commit.get(),
              .admission = admission.get()}
      .AddTo(&stats);
  is_open = true;
  return absl::OkStatus();
}

absl::Status Tsdb::Impl::OpenTables() {
  HOURCELL_ASSIGN_OR_RETURN(tables, OpenRocksTableStore(options.path + "/db", options));
  HOURCELL_ASSIGN_OR_RETURN(const Layout layout, ReadOrCreateMeta(options, tables.get()));
  options.layout = layout;
  HOURCELL_RETURN_IF_ERROR(
      PresplitIfNew(options.presplit, layout, static_cast<uint64_t>(clock->NowMs()), tables.get()));
  HOURCELL_ASSIGN_OR_RETURN(SaltEpochs epochs, ReadSaltEpochs(layout, tables.get()));
  salts = std::make_shared<SaltSchedule>(std::move(epochs));
  row_keys.emplace(layout, salts);
  HOURCELL_RETURN_IF_ERROR(LoadRetention());
  MakeRegionKeeper();
  // A point that is acknowledged as synced goes by the names that it was put under.
  const bool sync = options.sync == Durability::kAlways;
  uid_store = std::make_unique<TableUidStore>(layout, tables.get(), sync);
  HOURCELL_ASSIGN_OR_RETURN(uids,
                            UidDirectory::Open(ToUidOptions(options, layout), uid_store.get()));
  HOURCELL_ASSIGN_OR_RETURN(
      series,
      SeriesTable::Open(layout,
                        {.tables = tables.get(), .uid_store = uid_store.get(), .uids = uids.get()},
                        sync));
  series_cache = std::make_unique<SeriesCache>(options.series_cache_bytes);
  HOURCELL_ASSIGN_OR_RETURN(
      annotations, AnnotationStore::Open(
                       {.row_keys = &*row_keys, .tables = tables.get(), .expiry = &*expiry}, sync));
  return absl::OkStatus();
}

absl::Status Tsdb::Impl::LoadRetention() {
  HOURCELL_ASSIGN_OR_RETURN(auto metric_ttl_s, ReadMetricTtls(tables.get()));
  retention.Set({.store_ttl_s = options.ttl_s, .metric_ttl_s = std::move(metric_ttl_s)});
  expiry.emplace(options.layout, &retention, clock);
  tables->SetExpiry(&*expiry);
  return absl::OkStatus();
}

void Tsdb::Impl::MakeRegionKeeper() {
  region_loads.emplace(options.regions.split);
  region_keeper = std::make_unique<RegionKeeper>(
      options.regions, RegionKeeper::Parts{.tables = tables.get(),
                                           .loads = &*region_loads,
                                           .clock = clock,
                                           .stats = &stats,
                                           .warn = options.warn,
                                           .ttl_ms = [this] { return options.ttl_s * 1000; },
                                           .write_buffers_bytes = 4 * options.write_buffer_bytes});
}

// The journal, and from it the hours that were open.
absl::Status Tsdb::Impl::OpenJournal() {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(tables.get()));
  HOURCELL_ASSIGN_OR_RETURN(
      journal,
      Journal::Open({.directory = options.path + "/journal",
                     .fs = FileSystemOf(options.env),
                     .segment_bytes = options.journal_segment_bytes,
                     .preallocate_bytes = std::min<size_t>(4 << 20, options.journal_segment_bytes),
                     .create = false,  // ReadOrCreateMeta makes that of a new store
                     .low_mark = low_mark}));
  open_hours = std::make_unique<OpenHours>(options.lanes == 0 ? DefaultLanes() : options.lanes);
  if (!options.observers.empty()) put_ledger = std::make_unique<PutLedger>(options.observers);
  commit = std::make_unique<GroupCommit>(GroupCommit::Parts{.open_hours = open_hours.get(),
                                                            .journal = journal.get(),
                                                            .tables = tables.get(),
                                                            .series = series.get(),
                                                            .ledger = put_ledger.get()},
                                         options.sync == Durability::kAlways);
  admission = std::make_unique<Admission>(
      Admission::Limits{.open_hours_bytes = static_cast<int64_t>(options.open_hours_bytes),
                        .journal_bytes = options.journal_bytes},
      open_hours.get(), journal.get(), commit.get());
  sealer = std::make_unique<Sealer>(options, *row_keys,
                                    Sealer::Parts{.open_hours = open_hours.get(),
                                                  .journal = journal.get(),
                                                  .tables = tables.get(),
                                                  .series = series.get(),
                                                  .admission = admission.get(),
                                                  .expiry = &*expiry,
                                                  .loads = &*region_loads,
                                                  .clock = clock,
                                                  .stats = &stats,
                                                  .warn = options.warn});
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t points,
                            ReplayPoints({.journal = journal.get(),
                                          .open_hours = open_hours.get(),
                                          .series = series.get(),
                                          .sealer = sealer.get()},
                                         low_mark, static_cast<uint32_t>(clock->NowMs() / 1000)));
  stats.counter("journal.replayed_points")->Add(points);
  return absl::OkStatus();
}

void Tsdb::Impl::StartBackground() {
  // What nobody waits for is in the journal this soon.
  constexpr int64_t kCommitMs = 20;
  // How often the sealer looks, and how soon it makes room.
  constexpr int64_t kSealMs = 200;
  Counter* const failures = stats.counter("storage.sync.errors");
  committer = std::make_unique<Background>(kCommitMs, [this] {
    // What fails is tried again, and told to whoever waits.
    if (commit->pending_bytes() > 0) commit->CommitAll(/*sync=*/false).IgnoreError();
  });
  const bool at_intervals = options.sync == Durability::kInterval;
  syncer =
      std::make_unique<Background>(at_intervals ? options.sync_interval_ms : 0, [this, failures] {
        if (!commit->Sync().ok()) failures->Add(1);
      });
  seal_ticker = std::make_unique<Background>(kSealMs, [this] {
    const absl::Status done = options.seal_in_background ? sealer->Tick() : sealer->MakeRoom();
    done.IgnoreError();  // counted; what is left is tried again
  });
  constexpr int64_t kDropExpiredMs = 60'000;
  Counter* const freed = stats.counter("retention.freed_bytes");
  Counter* const drop_errors = stats.counter("retention.errors");
  expiry_ticker = std::make_unique<Background>(
      options.seal_in_background ? kDropExpiredMs : 0, [this, freed, drop_errors] {
        const absl::StatusOr<uint64_t> bytes = tables->DropExpired();
        bytes.ok() ? freed->Add(*bytes) : drop_errors->Add(1);  // tried again
      });
  admission->SetWake([this] { seal_ticker->Wake(); });
  constexpr int64_t kRegionsMs = 1000;
  // What fails is counted and tried again.
  region_ticker = std::make_unique<Background>(options.seal_in_background ? kRegionsMs : 0,
                                               [this] { region_keeper->Tick().IgnoreError(); });
  region_trimmer = std::make_unique<Background>(options.seal_in_background ? kRegionsMs : 0,
                                                [this] { region_keeper->Trim().IgnoreError(); });
}

absl::Status Tsdb::Impl::Flush() {
  HOURCELL_RETURN_IF_ERROR(commit->CommitAll(/*sync=*/false));
  HOURCELL_RETURN_IF_ERROR(sealer->SealAll());
  HOURCELL_RETURN_IF_ERROR(sealer->Checkpoint());
  for (const TableId table :
       {TableId::kUid, TableId::kSeries, TableId::kAnnotation, TableId::kMeta})
    HOURCELL_RETURN_IF_ERROR(tables->Flush(table));
  return absl::OkStatus();
}

absl::Status Tsdb::Impl::Close() {
  if (!is_open.exchange(false)) return absl::OkStatus();
  fsck->Stop();
  region_ticker.reset();
  region_trimmer.reset();
  expiry_ticker.reset();
  seal_ticker.reset();
  syncer.reset();
  committer.reset();
  commit->StopWaits();
  // Whatever cannot be sealed any more is in the journal.
  absl::Status closed = Flush();
  HOURCELL_KILL_POINT("close:flushed");
  closed.Update(journal->Close());
  HOURCELL_KILL_POINT("close:journal");
  if (closed.ok()) {
    // Nothing in the journal is needed any more, its last segment included.
    const absl::StatusOr<uint64_t> low_mark = ReadLowMark(tables.get());
    closed = low_mark.ok() ? journal->Trim(*low_mark) : low_mark.status();
    HOURCELL_KILL_POINT("close:trimmed");
  }
  closed.Update(tables->Close());
  lock.reset();
  return closed;
}

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
  if (!impl_->is_open) return CommitTicket(Closed());
  return impl_->writer->Append(points, refused, options);
}

CommitTicket Tsdb::Append(std::span<const LinePoint> points,
                          std::vector<RefusedPoint>* refused,
                          const AppendOptions& options) {
  if (refused != nullptr) refused->clear();
  if (!impl_->is_open) return CommitTicket(Closed());
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
  QueryControl own;
  return impl_->losses.Note(impl_->executor->Run(spec, sink, control == nullptr ? &own : control));
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
  if (!impl_->is_open) return Closed();
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(impl_->clock, control, query.deadline_ms, impl_->options.query_timeout_ms);
  // In this order, as in every read.
  const ReadPins::Pin pin = impl_->open_hours->pins().Acquire();
  const std::unique_ptr<TableView> view = impl_->tables->Snapshot();
  LastPointReader reader(*impl_->row_keys, {.view = view.get(),
                                            .open_hours = impl_->open_hours.get(),
                                            .pinned_at = pin.time(),
                                            .uids = impl_->uids.get(),
                                            .series = impl_->series.get(),
                                            .expiry = &*impl_->expiry,
                                            .clock = impl_->clock});
  return impl_->losses.Note(reader.Read(query, watch, control, visit));
}

absl::StatusOr<uint64_t> Tsdb::LookupSeries(const LookupQuery& query,
                                            const std::function<bool(const FoundSeries&)>& visit,
                                            QueryControl* control) {
  if (!impl_->is_open) return Closed();
  QueryControl own;
  if (control == nullptr) control = &own;
  const QueryWatch watch(impl_->clock, control, query.deadline_ms, impl_->options.query_timeout_ms);
  SeriesLookup lookup(layout(), impl_->uids.get(), impl_->series.get());
  return impl_->losses.Note(lookup.Visit(query, watch, visit));
}

absl::StatusOr<DeletedPoints> Tsdb::DeletePoints(const QuerySpec& spec, QueryControl* control) {
  if (!impl_->is_open) return Closed();
  QueryControl own;
  PointDeleter deleter(*impl_->row_keys, {.executor = impl_->executor.get(),
                                          .tables = impl_->tables.get(),
                                          .sealer = impl_->sealer.get(),
                                          .commit = impl_->commit.get(),
                                          .expiry = &*impl_->expiry});
  return deleter.Delete(spec, control == nullptr ? &own : control);
}

absl::StatusOr<std::vector<std::string>> Tsdb::Suggest(UidKind kind,
                                                       std::string_view prefix,
                                                       size_t max) {
  if (!impl_->is_open) return Closed();
  return impl_->uids->Suggest(kind, prefix, max);
}

absl::Status Tsdb::Scan(const ScanSpec& spec, const std::function<bool(const ScannedRow&)>& visit) {
  if (!impl_->is_open) return Closed();
  const ReadPins::Pin pin = impl_->open_hours->pins().Acquire();
  const std::unique_ptr<TableView> view = impl_->tables->Snapshot();
  RowScanner scanner(*impl_->row_keys, {.view = view.get(),
                                        .open_hours = impl_->open_hours.get(),
                                        .series = impl_->series.get(),
                                        .uids = impl_->uids.get(),
                                        .planner = impl_->planner.get(),
                                        .pinned_at = pin.time()});
  return impl_->losses.Note(scanner.Scan(spec, visit));
}

absl::StatusOr<std::unique_ptr<ParallelScan>> Tsdb::PlanScan(const ScanSpec& spec,
                                                             const ParallelScanOptions& options) {
  if (!impl_->is_open) return Closed();
  return ParallelScan::Plan(spec, options,
                            {.row_keys = &*impl_->row_keys,
                             .tables = impl_->tables.get(),
                             .open_hours = impl_->open_hours.get(),
                             .series = impl_->series.get(),
                             .uids = impl_->uids.get(),
                             .planner = impl_->planner.get()});
}

absl::StatusOr<std::optional<Annotation>> Tsdb::GetAnnotation(std::string_view tsuid,
                                                              int64_t start_time) {
  if (!impl_->is_open) return Closed();
  return impl_->losses.Note(impl_->annotations->Get(tsuid, start_time));
}

absl::StatusOr<std::vector<Annotation>> Tsdb::PutAnnotations(std::span<const AnnotationEdit> edits,
                                                             AnnotationWrite write) {
  if (!impl_->is_open) return Closed();
  return impl_->annotations->Put(edits, write);
}

absl::Status Tsdb::DeleteAnnotation(std::string_view tsuid, int64_t start_time) {
  if (!impl_->is_open) return Closed();
  return impl_->annotations->Delete(tsuid, start_time);
}

absl::StatusOr<uint64_t> Tsdb::DeleteAnnotations(std::span<const std::string> tsuids,
                                                 bool global,
                                                 int64_t start_ms,
                                                 int64_t end_ms) {
  if (!impl_->is_open) return Closed();
  return impl_->annotations->DeleteRange(tsuids, global, start_ms, end_ms);
}

absl::Status Tsdb::VisitAnnotations(const std::function<absl::Status(const Annotation&)>& visit) {
  return impl_->is_open ? impl_->losses.Note(impl_->annotations->VisitAll(visit)) : Closed();
}

absl::StatusOr<std::vector<Annotation>> Tsdb::GlobalAnnotations(int64_t start_ms, int64_t end_ms) {
  if (!impl_->is_open) return Closed();
  if (end_ms < 1) return absl::InvalidArgumentError("The end timestamp has not been set");
  if (end_ms < start_ms) {
    return absl::InvalidArgumentError("The end timestamp cannot be less than the start timestamp");
  }
  return impl_->annotations->Global(impl_->tables->Snapshot().get(), start_ms, end_ms);
}

absl::StatusOr<UidRow> Tsdb::AssignUid(UidKind kind, std::string_view name) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, impl_->uids->GetOrAssign(kind, name));
  // It may be of an assignment that a disk refused.
  HOURCELL_RETURN_IF_ERROR(impl_->tables->CheckWritten());
  return MakeUidRow(layout(), kind, std::string(name), uid);
}

absl::StatusOr<UidRow> Tsdb::FindUid(UidKind kind, std::string_view name) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, impl_->uids->Get(kind, name));
  return MakeUidRow(layout(), kind, std::string(name), uid);
}

absl::StatusOr<UidRow> Tsdb::FindName(UidKind kind, Uid uid) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(std::string name, impl_->uids->NameOf(kind, uid));
  return MakeUidRow(layout(), kind, std::move(name), uid);
}

absl::StatusOr<std::vector<UidRow>> Tsdb::GrepUids(UidKind kind,
                                                   std::string_view expression,
                                                   bool ignore_case) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(std::vector<UidMapping> mappings,
                            impl_->uids->Grep(kind, expression, ignore_case));
  std::vector<UidRow> rows;
  for (UidMapping& mapping : mappings) {
    rows.push_back(MakeUidRow(layout(), kind, std::move(mapping.name), mapping.uid));
  }
  return rows;
}

absl::Status Tsdb::RenameUid(UidKind kind, std::string_view name, std::string_view new_name) {
  if (!impl_->is_open) return Closed();
  const absl::Status renamed = impl_->uids->Rename(kind, name, new_name);
  impl_->series_cache->Clear();  // its keys are names
  return renamed;
}

absl::Status Tsdb::DeleteUid(UidKind kind, std::string_view name) {
  if (!impl_->is_open) return Closed();
  const absl::Status deleted = impl_->uids->Delete(kind, name);
  impl_->series_cache->Clear();
  return deleted;
}

absl::StatusOr<UidFsckResult> Tsdb::CheckUids(bool repair) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(const UidCheckReport report,
                            hourcell::CheckUids(layout(), impl_->uid_store.get(), repair));
  if (repair) DropCaches();
  UidFsckResult result{.lines = {},
                       .mappings = report.mappings,
                       .errors = report.errors(),
                       .warnings = report.warnings()};
  for (const UidFinding& finding : report.findings) {
    result.lines.push_back(fmt::format("{}: {}{}", finding.is_error ? "error" : "warning",
                                       finding.text, finding.repaired ? " (repaired)" : ""));
  }
  return result;
}

absl::Status Tsdb::SetMetricTtl(std::string_view metric, std::optional<int64_t> ttl_s) {
  return impl_->is_open ? impl_->ttls->Set(metric, ttl_s) : Closed();
}

int64_t Tsdb::store_ttl_s() const {
  return impl_->options.ttl_s;
}

absl::StatusOr<std::vector<MetricTtl>> Tsdb::MetricTtls() {
  if (!impl_->is_open) return Closed();
  return impl_->ttls->List();
}

absl::StatusOr<uint64_t> Tsdb::DropExpired() {
  if (!impl_->is_open) return Closed();
  return impl_->tables->DropExpired();
}

void Tsdb::DropCaches() {
  if (!impl_->is_open) return;
  impl_->uids->DropCaches();
  impl_->series_cache->Clear();
  impl_->metric_series->Clear();
}

absl::Status Tsdb::SealDue() {
  return impl_->is_open ? impl_->sealer->SealDue() : Closed();
}

absl::Status Tsdb::Seal() {
  return impl_->is_open ? impl_->sealer->SealAll() : Closed();
}

absl::Status Tsdb::Flush() {
  return impl_->is_open ? impl_->Flush() : Closed();
}

absl::Status Tsdb::Compact() {
  HOURCELL_RETURN_IF_ERROR(Flush());
  for (const TableId table : kTableIds)
    HOURCELL_RETURN_IF_ERROR(impl_->tables->Compact(table));
  return absl::OkStatus();
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

FsckAdmin* Tsdb::fsck() {
  return impl_->fsck.get();
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
