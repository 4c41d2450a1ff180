#include "engine/store/tsdb_impl.h"

#include <algorithm>

#include "codec/base/kill_point.h"
#include "codec/base/status_copy.h"
#include "codec/base/status_macros.h"
#include "engine/regions/live/initial_regions.h"
#include "engine/rocks/rocks_storage.h"
#include "engine/rows/system_table.h"
#include "engine/storage/storage_engine.h"
#include "engine/store/store_gauges.h"
#include "engine/store/store_needs.h"
#include "engine/write/point_replay.h"

namespace hourcell {
namespace {

// For the series of queried metrics.
constexpr size_t kMetricSeriesBytes = 128 << 20;

}  // namespace

StoreImpl::StoreImpl(Options opened)
    : options(std::move(opened)),
      storage(options.storage != nullptr ? options.storage
                                         : std::make_shared<RocksStorage>(options)) {}

absl::Status StoreImpl::Open() {
  HOURCELL_RETURN_IF_ERROR(OpenStorage());
  HOURCELL_RETURN_IF_ERROR(OpenTables());
  HOURCELL_RETURN_IF_ERROR(OpenJournal());
  writer = std::make_unique<PointWriter>(
      options, PointWriter::Parts{.series = series.get(),
                                  .cache = series_cache.get(),
                                  .open_hours = open_hours.get(),
                                  .commit = commit.get(),
                                  .admission = admission.get(),
                                  .uids = uids.get(),
                                  .expiry = &*expiry,
                                  .observed_puts = observed_puts.get(),
                                  .puts = options.drop_empty_series ? &puts : nullptr,
                                  .sample = &put_sample,
                                  .clock = clock,
                                  .stats = &stats});
  MakeDropper();
  metric_series = std::make_unique<MetricSeriesCache>(
      options.layout, series.get(), MetricSeriesCache::Limits{.bytes = kMetricSeriesBytes});
  planner = std::make_unique<QueryPlanner>(options, *row_keys,
                                           QueryPlanner::Parts{.uids = uids.get(),
                                                               .series = series.get(),
                                                               .metric_series = metric_series.get(),
                                                               .active = active.get(),
                                                               .expiry = &*expiry});
  executor = std::make_unique<QueryExecutor>(options, *row_keys,
                                             QueryExecutor::Parts{.tables = tables.get(),
                                                                  .uids = uids.get(),
                                                                  .planner = planner.get(),
                                                                  .annotations = annotations.get(),
                                                                  .clock = clock});
  MakeAdmins();
  if (options.follow) {
    HOURCELL_RETURN_IF_ERROR(StartFollowing());
  } else {
    StartBackground();
    // Other processes may have outdated state from before this open.
    HOURCELL_RETURN_IF_ERROR(role->NoteChange(absl::OkStatus()));
  }
  StoreGauges{.is_open = &is_open,
              .regions = tables->regions(),
              .uids = uids.get(),
              .series = series.get(),
              .series_cache = series_cache.get(),
              .open_hours = open_hours.get(),
              .journal = journal.get(),
              .commit = commit.get(),
              .admission = admission.get(),
              .query_memory = executor->memory()}
      .AddTo(&stats);
  is_open = true;
  return absl::OkStatus();
}

void StoreImpl::MakeAdmins() {
  // Before each of their answers; a client repeats the call at the writer of now.
  const auto check = [this] {
    const absl::Status read = gates.BeginRead().status();
    const bool is_replaced = is_open && absl::IsFailedPrecondition(read);
    return is_replaced ? absl::UnavailableError(read.message()) : read;
  };
  const auto before_change = [this] { return gates.BeginWrite().status(); };
  regions = std::make_unique<RegionAdmin>(options.regions.split,
                                          RegionAdmin::Parts{.tables = tables.get(),
                                                             .list = tables.get(),
                                                             .regions = tables->regions(),
                                                             .engine = storage->name(),
                                                             .maintenance = tables.get(),
                                                             .row_keys = &*row_keys,
                                                             .uids = uids.get(),
                                                             .clock = clock,
                                                             .history = &region_history,
                                                             .before_change = before_change,
                                                             .check_is_writer = check});
  salt = std::make_unique<SaltAdmin>(
      SaltAdmin::Parts{.tables = tables.get(),
                       .row_keys = &*row_keys,
                       .schedule = salts.get(),
                       .sealer = sealer.get(),
                       .annotations = annotations.get(),
                       .clock = clock,
                       .note_change = [this] { return role->NoteChange(absl::OkStatus()); },
                       .before_change = before_change,
                       .check_is_writer = check});
  ttls = std::make_unique<TtlAdmin>(
      options.layout,
      TtlAdmin::Parts{.tables = tables.get(), .uids = uids.get(), .retention = &retention});
  backups = std::make_unique<BackupAdmin>(BackupAdmin::Parts{.store_path = options.path,
                                                             .tables = tables.get(),
                                                             .regions = tables->regions(),
                                                             .maintenance = tables.get(),
                                                             .commit = commit.get(),
                                                             .journal = journal.get(),
                                                             .sealer = sealer.get(),
                                                             .clock = clock,
                                                             .env = options.env,
                                                             .before_change = before_change});
  fsck = std::make_unique<FsckAdmin>(
      FsckAdmin::Parts{&options.layout, tables.get(), tables.get(), tables->regions(), &*row_keys,
                       uids.get(), series.get(), journal.get(), active.get(), &*expiry, check});
  adoption = std::make_unique<AdoptionAdmin>(AdoptionAdmin::Parts{.row_keys = &*row_keys,
                                                                  .tables = tables.get(),
                                                                  .uid_store = uid_store.get(),
                                                                  .uids = uids.get(),
                                                                  .series = series.get(),
                                                                  .before_change = before_change,
                                                                  .check_is_writer = check});
}

// After it, no other process writes to the store.
absl::Status StoreImpl::OpenStorage() {
  if (options.follow) return OpenToFollow();
  HOURCELL_ASSIGN_OR_RETURN(OpenedStorage opened, storage->Open(options.warn));
  tables = std::move(opened.tables);
  journal = std::move(opened.journal);
  journal_place = std::move(opened.journal_place);
  role = opened.role == nullptr ? MakeAloneRole() : MakeWriterRole(std::move(opened.role));
  // Where a drop can be cut, or take effect after another process has begun to write, series stay.
  if (!tables->capabilities().Has(TableCapability::kAtomicGroups))
    options.drop_empty_series = false;
  return CheckStoreNeeds(storage->name(), tables->capabilities());
}

// Creates the writing parts too, with a journal and tables that refuse writes.
absl::Status StoreImpl::OpenToFollow() {
  HOURCELL_ASSIGN_OR_RETURN(FollowedStorage followed, storage->shared()->Follow(options.warn));
  tables = std::move(followed.tables);
  tail = std::move(followed.journal);
  journal = MakeReadOnlyJournal();
  options.ttl_s.reset();  // the writer says
  options.drop_empty_series = false;
  options.presplit.clear();
  return CheckStoreNeeds(storage->name(), tables->capabilities());
}

absl::Status StoreImpl::StartFollowing() {
  constexpr int64_t kFollowMs = 1000;
  HOURCELL_ASSIGN_OR_RETURN(role, MakeFollowerRole(std::move(tail),
                                                   {.tables = tables.get(),
                                                    .layout = &options.layout,
                                                    .salts = salts.get(),
                                                    .retention = &retention,
                                                    .uids = uids.get(),
                                                    .series = series.get(),
                                                    .metric_series = metric_series.get(),
                                                    .annotations = annotations.get(),
                                                    .lanes = open_hours->lanes().size(),
                                                    .clock = clock,
                                                    .stats = &stats},
                                                   options.seal_in_background ? kFollowMs : 0));
  stats.AddGauge("follow.memory_bytes", {},
                 [this] { return is_open ? HoursToRead()->bytes() : 0; });
  return absl::OkStatus();
}

absl::Status StoreImpl::OpenTables() {
  std::function<absl::Status()> make_journal;
  if (journal_place != nullptr) make_journal = [this] { return journal_place->Make(); };
  HOURCELL_ASSIGN_OR_RETURN(const Layout layout,
                            ReadOrCreateLayout(options, tables.get(), make_journal));
  options.layout = layout;
  HOURCELL_RETURN_IF_ERROR(PresplitIfNew(options.presplit, layout,
                                         static_cast<uint64_t>(clock->NowMs()), storage->name(),
                                         tables.get()));
  HOURCELL_ASSIGN_OR_RETURN(SaltEpochs epochs, ReadSaltEpochs(layout, tables.get()));
  salts = std::make_shared<SaltSchedule>(std::move(epochs));
  row_keys.emplace(layout, salts);
  HOURCELL_RETURN_IF_ERROR(LoadRetention());
  MakeRegionMaintenance();
  // A point that was acknowledged as synced needs its names synced.
  const bool sync = options.sync == Durability::kAlways;
  uid_store = std::make_unique<TableUidStore>(
      layout, tables.get(),
      TableUidStore::Commits{
          .are_synced = sync,
          .are_atomic = tables->capabilities().Has(TableCapability::kAtomicGroups)});
  HOURCELL_ASSIGN_OR_RETURN(uids,
                            UidDirectory::Open(UidOptionsOf(options, layout), uid_store.get()));
  HOURCELL_ASSIGN_OR_RETURN(series, SeriesTable::Open(layout,
                                                      {.tables = tables.get(),
                                                       .uid_store = uid_store.get(),
                                                       .uids = uids.get(),
                                                       .is_followed = options.follow},
                                                      sync));
  sampled_keys.emplace(series.get(), &*row_keys);
  series_cache = std::make_unique<SeriesCache>(options.series_cache_bytes);
  HOURCELL_ASSIGN_OR_RETURN(
      annotations, AnnotationStore::Open(
                       {.row_keys = &*row_keys, .tables = tables.get(), .expiry = &*expiry}, sync));
  return absl::OkStatus();
}

absl::Status StoreImpl::LoadRetention() {
  HOURCELL_ASSIGN_OR_RETURN(auto metric_ttl_s, ReadMetricTtls(tables.get()));
  HOURCELL_ASSIGN_OR_RETURN(const int64_t store_ttl_s,
                            ReadOrReplaceStoreTtl(options.ttl_s, tables.get()));
  retention.Set({.store_ttl_s = store_ttl_s, .metric_ttl_s = std::move(metric_ttl_s)});
  expiry.emplace(options.layout, &retention, clock);
  tables->SetExpiry(&*expiry);
  return absl::OkStatus();
}

void StoreImpl::MakeRegionMaintenance() {
  region_loads.emplace(options.regions.split);
  if (tables->regions() == nullptr) return;
  region_maintenance = std::make_unique<RegionMaintenance>(
      options.regions,
      RegionMaintenance::Parts{
          .tables = tables.get(),
          .list = tables.get(),
          .regions = tables->regions(),
          .loads = &*region_loads,
          .clock = clock,
          .stats = &stats,
          .warn = options.warn,
          .ttl_ms = [this] { return retention.rules()->store_ttl_s * 1000; },
          .write_buffers_bytes = 4 * options.write_buffer_bytes,
          .history = &region_history,
          .puts = &put_sample,
          .keys_of =
              [this](std::span<const SampledPut> sampled) { return sampled_keys->Of(sampled); }});
}

// Opens the journal, and restores the open hours from it.
absl::Status StoreImpl::OpenJournal() {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(tables.get()));
  if (journal_place != nullptr) {
    HOURCELL_ASSIGN_OR_RETURN(journal, journal_place->Open(low_mark));
  }
  TellCuts(journal->cuts(), &stats, options.warn);
  open_hours = std::make_shared<OpenHours>(options.lanes == 0 ? OpenHours::LanesByProcessors()
                                                              : options.lanes);
  HOURCELL_ASSIGN_OR_RETURN(const bool has_sets, ReadActiveSetsAreKept(tables.get()));
  active = std::make_unique<ActiveSets>(options.layout,
                                        ActiveSets::Parts{.tables = tables.get(),
                                                          .series = series.get(),
                                                          .open_hours = open_hours.get(),
                                                          .row_keys = &*row_keys},
                                        // A follower's cached sets may be outdated.
                                        has_sets && !options.follow);
  if (!options.observers.empty()) observed_puts = std::make_unique<ObservedPuts>(options.observers);
  commit =
      std::make_unique<GroupCommit>(GroupCommit::Parts{.open_hours = open_hours.get(),
                                                       .journal = journal.get(),
                                                       .tables = tables.get(),
                                                       .series = series.get(),
                                                       .observed_puts = observed_puts.get(),
                                                       .block_bytes_max = journal->block_bytes(),
                                                       .stats = &stats},
                                    options.sync == Durability::kAlways);
  admission = std::make_unique<Admission>(
      Admission::Limits{.open_hours_bytes = static_cast<int64_t>(options.open_hours_bytes),
                        .journal_bytes = options.journal_bytes},
      open_hours.get(), journal.get(), commit.get());
  sealer = std::make_unique<Sealer>(options, *row_keys,
                                    Sealer::Parts{.open_hours = open_hours.get(),
                                                  .journal = journal.get(),
                                                  .tables = tables.get(),
                                                  .maintenance = tables.get(),
                                                  .series = series.get(),
                                                  .active = active.get(),
                                                  .admission = admission.get(),
                                                  .commit = commit.get(),
                                                  .expiry = &*expiry,
                                                  .loads = &*region_loads,
                                                  .clock = clock,
                                                  .stats = &stats,
                                                  .warn = options.warn});
  if (options.follow) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(
      const uint64_t points,
      ReplayPoints({.journal = journal.get(),
                    .open_hours = open_hours.get(),
                    .series = series.get(),
                    .sealer = sealer.get()},
                   low_mark, static_cast<uint32_t>(clock->MonotonicMs() / 1000)));
  stats.counter("journal.replayed_points")->Add(points);
  return absl::OkStatus();
}

void StoreImpl::StartBackground() {
  // Points without a waiting client reach the journal this soon.
  constexpr int64_t kCommitMs = 20;
  // The interval of the sealer's tick, and the delay until it makes room.
  constexpr int64_t kSealMs = 200;
  Counter* const failures = stats.counter("storage.sync.errors");
  committer = std::make_unique<Background>("hc-commit", kCommitMs, [this] {
    // Failures are retried, and returned to waiting callers.
    if (commit->pending_bytes() > 0) commit->CommitAll(/*sync=*/false).IgnoreError();
  });
  // Mostly woken by the creation of series.
  constexpr int64_t kIndexSeriesMs = 1000;
  series_indexer = std::make_unique<Background>("hc-index", kIndexSeriesMs, [this] {
    // Failures are retried, and returned to callers that create series.
    if (series->WantsIndex()) series->WriteIndex().IgnoreError();
  });
  series->SetIndexer([this] { series_indexer->Wake(); });
  const bool at_intervals = options.sync == Durability::kInterval;
  syncer = std::make_unique<Background>("hc-sync", at_intervals ? options.sync_interval_ms : 0,
                                        [this, failures] {
                                          if (!commit->Sync().ok()) failures->Add(1);
                                        });
  seal_ticker = std::make_unique<Background>("hc-seal", kSealMs, [this] {
    role->RetryNote();
    const absl::Status done = options.seal_in_background ? sealer->Tick() : sealer->MakeRoom();
    done.IgnoreError();  // counted; the next tick retries
  });
  constexpr int64_t kDropExpiredMs = 60'000;
  Counter* const freed = stats.counter("retention.freed_bytes");
  Counter* const drop_errors = stats.counter("retention.errors");
  expiry_ticker = std::make_unique<Background>(
      "hc-retention", options.seal_in_background ? kDropExpiredMs : 0, [this, freed, drop_errors] {
        const absl::StatusOr<uint64_t> bytes = DropExpired();
        bytes.ok() ? freed->Add(*bytes) : drop_errors->Add(1);  // tried again
      });
  admission->SetWake([this] { seal_ticker->Wake(); });
  if (region_maintenance == nullptr) return;
  const int64_t regions_ms = options.seal_in_background ? 1000 : 0;
  // Failures are counted and retried.
  region_ticker = std::make_unique<Background>(
      "hc-regions", regions_ms, [this] { region_maintenance->Tick().IgnoreError(); });
  region_trimmer = std::make_unique<Background>(
      "hc-trim", regions_ms, [this] { region_maintenance->Trim().IgnoreError(); });
}

void StoreImpl::DropCaches() {
  uids->DropCaches();
  series_cache->Clear();
  metric_series->Clear();
}

// Rows first: a set stays as long as there are rows of its day.
absl::StatusOr<uint64_t> StoreImpl::DropExpired() {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t freed, tables->DropExpired());
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Uid> dropped, active->DropExpired([this](Uid metric) {
    return expiry->ExpiresBeforeMs(metric);
  }));
  if (dropper != nullptr) {
    for (const Uid metric : dropped)
      dropper->Add(metric);
    HOURCELL_RETURN_IF_ERROR(dropper->Step());
  }
  return freed;
}

void StoreImpl::MakeDropper() {
  if (!options.drop_empty_series) return;
  dropper = std::make_unique<SeriesDropper>(SeriesDropper::Parts{.row_keys = &*row_keys,
                                                                 .tables = tables.get(),
                                                                 .series = series.get(),
                                                                 .cache = series_cache.get(),
                                                                 .active = active.get(),
                                                                 .open_hours = open_hours.get(),
                                                                 .commit = commit.get(),
                                                                 .journal = journal.get(),
                                                                 .sealer = sealer.get(),
                                                                 .puts = &puts,
                                                                 .stats = &stats});
}

absl::Status StoreImpl::Flush(const SealControl& control) {
  HOURCELL_RETURN_IF_ERROR(commit->CommitAll(/*sync=*/false));
  const absl::Status sealed = sealer->SealAll(control);
  // A store that is being closed limits the time of sealing; the hours sealed by then are flushed
  // all the same.
  if (absl::IsDeadlineExceeded(sealed) && !is_open) {
    if (options.warn) options.warn(std::string(sealed.message()));
  } else {
    HOURCELL_RETURN_IF_ERROR(sealed);
  }
  HOURCELL_RETURN_IF_ERROR(sealer->Checkpoint());
  for (const TableSpec& table : kTableSpecs) {
    // The checkpoint flushed the others.
    if (table.writes == TableWrites::kLogged) HOURCELL_RETURN_IF_ERROR(tables->Flush(table.id));
  }
  return absl::OkStatus();
}

StoreHealth StoreImpl::Health() {
  if (!is_open) return {};
  const absl::Status failure = journal->failure();
  return {.is_open = true,
          .journal = failure.ok() ? commit->last_written() : CopyStatus(failure),
          .must_reopen = !failure.ok(),
          .room = admission->Room(),
          .disk_free_bytes = journal->DiskFreeBytes()};
}

ClusterView StoreImpl::Cluster() {
  ClusterView view;
  view.engine = storage->name();
  view.nodes = role->Nodes();
  view.journal_blocks = journal->next_sequence() - journal->oldest_sequence();
  view.journal_bytes = journal->bytes();
  return view;
}

absl::Status StoreImpl::Close() {
  if (!is_open.exchange(false)) return absl::OkStatus();
  if (options.follow) {
    role->Stop();
    commit->StopWaits();
    return tables->Close();
  }
  // The time limit for sealing; the other hours are in the journal, and open again with the store.
  constexpr int64_t kCloseSealMs = 10'000;
  sealer->EndWithin(kCloseSealMs);
  if (dropper != nullptr) dropper->Stop();
  region_ticker.reset();
  region_trimmer.reset();
  expiry_ticker.reset();
  seal_ticker.reset();
  syncer.reset();
  series_indexer.reset();
  committer.reset();
  commit->StopWaits();
  // Hours that were not sealed are in the journal.
  absl::Status closed = Flush();
  HOURCELL_KILL_POINT("close:flushed");
  closed.Update(journal->Close());
  HOURCELL_KILL_POINT("close:journal");
  if (closed.ok()) {
    // The whole journal is unneeded, including its last segment.
    const absl::StatusOr<uint64_t> low_mark = ReadLowMark(tables.get());
    closed = low_mark.ok() ? journal->DeleteBelow(*low_mark) : low_mark.status();
    HOURCELL_KILL_POINT("close:deleted");
  }
  closed.Update(tables->Close());
  return closed;
}

}  // namespace hourcell
