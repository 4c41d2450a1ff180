#include "engine/store/write_side.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_copy.h"
#include "codec/base/status_macros.h"
#include "engine/rows/system_table.h"
#include "engine/store/store_gauges.h"
#include "engine/write/point_replay.h"

namespace hourcell {

WriteSide::WriteSide(StoreCore* of,
                     std::unique_ptr<Journal> opened,
                     std::unique_ptr<JournalPlace> place)
    : core(*of),
      journal_place(std::move(place)),
      journal(std::move(opened)),
      region_loads(of->options.regions.split) {}

absl::Status WriteSide::Open() {
  MakeRegionMaintenance();
  sampled_keys.emplace(core.series.get(), &*core.row_keys);
  series_cache = std::make_unique<SeriesCache>(core.options.series_cache_bytes);
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(core.tables.get()));
  HOURCELL_RETURN_IF_ERROR(OpenJournal(low_mark));
  HOURCELL_RETURN_IF_ERROR(MakeRollupMarks());
  HOURCELL_RETURN_IF_ERROR(MakeActiveSets());
  MakeCommit();
  MakeSealer();
  HOURCELL_RETURN_IF_ERROR(Replay(low_mark));
  MakeWriter();
  MakeHistogramWriter();
  MakeDropper();
  MakeDeletions();
  MakeRenames();
  HOURCELL_RETURN_IF_ERROR(deletions->ContinueUndo());
  // After an error, lists have all series.
  if (unlister != nullptr) unlister->UnlistAll().IgnoreError();
  return absl::OkStatus();
}

void WriteSide::MakeRegionMaintenance() {
  TableStore* const tables = core.tables.get();
  if (tables->regions() == nullptr) return;
  region_maintenance = std::make_unique<RegionMaintenance>(
      core.options.regions,
      RegionMaintenance::Parts{
          .tables = tables,
          .list = tables,
          .regions = tables->regions(),
          .loads = &region_loads,
          .clock = core.clock,
          .stats = &core.stats,
          .warn = core.options.warn,
          .ttl_ms = [this] { return core.retention.rules()->store_ttl_s * 1000; },
          .write_buffers_bytes = 4 * core.options.write_buffer_bytes,
          .history = &core.region_history,
          .puts = &put_sample,
          .keys_of = [this](std::span<const SampledPut> sampled) { return KeysOf(sampled); }});
  core.tables->SetMerged([this](std::span<const Mutation> rows) {
    region_loads.Record(static_cast<uint64_t>(core.clock->MonotonicMs()), rows);
  });
}

// The keys of the rows that are to get these points.
absl::StatusOr<std::vector<std::string>> WriteSide::KeysOf(std::span<const SampledPut> sampled) {
  HOURCELL_ASSIGN_OR_RETURN(std::vector<std::string> keys, sampled_keys->Of(sampled));
  for (std::string& key : keys)
    if (!key.empty()) key = core.tables->LikelyKeyOf(std::move(key));
  return keys;
}

absl::Status WriteSide::OpenJournal(uint64_t low_mark) {
  if (journal_place != nullptr) {
    HOURCELL_ASSIGN_OR_RETURN(journal, journal_place->Open(low_mark));
  }
  TellCuts(journal->cuts(), &core.stats, core.options.warn);
  open_hours = std::make_shared<OpenHours>(core.options.lanes == 0 ? OpenHours::LanesByProcessors()
                                                                   : core.options.lanes);
  return absl::OkStatus();
}

// Before the replay, whose late hours become marks. A tool without the rules keeps the marks of a
// store, too.
absl::Status WriteSide::MakeRollupMarks() {
  const bool has_rules = core.options.rollup_rules.has_value();
  HOURCELL_ASSIGN_OR_RETURN(const bool is_kept, ReadRollupMarksAreKept(core.tables.get()));
  if (!has_rules && !is_kept) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<RollupMarks>> opened =
      RollupMarks::Open(core.tables.get(), is_kept);
  if (absl::IsDataLoss(opened.status())) {
    if (core.options.warn) {
      core.options.warn(fmt::format("{}; all rollups are computed again",
                                    std::string(opened.status().message())));
    }
    opened = RollupMarks::Open(core.tables.get(), /*is_kept=*/false);
  }
  HOURCELL_RETURN_IF_ERROR(opened.status());
  rollup_marks = *std::move(opened);
  if (!has_rules && rollup_marks->Metrics().empty()) rollup_marks.reset();
  return absl::OkStatus();
}

absl::Status WriteSide::MakeActiveSets() {
  HOURCELL_ASSIGN_OR_RETURN(const bool has_sets, ReadActiveSetsAreKept(core.tables.get()));
  active = std::make_unique<ActiveSets>(core.options.layout,
                                        ActiveSets::Parts{.tables = core.tables.get(),
                                                          .series = core.series.get(),
                                                          .open_hours = open_hours.get(),
                                                          .row_keys = &*core.row_keys,
                                                          .rollups = rollup_marks.get()},
                                        has_sets);
  return absl::OkStatus();
}

void WriteSide::MakeCommit() {
  if (!core.options.observers.empty()) {
    observed_puts = std::make_unique<ObservedPuts>(core.options.observers);
  }
  commit =
      std::make_unique<GroupCommit>(GroupCommit::Parts{.open_hours = open_hours.get(),
                                                       .journal = journal.get(),
                                                       .tables = core.tables.get(),
                                                       .series = core.series.get(),
                                                       .observed_puts = observed_puts.get(),
                                                       .block_bytes_max = journal->block_bytes(),
                                                       .stats = &core.stats},
                                    core.options.sync == Durability::kAlways);
  admission = std::make_unique<Admission>(
      Admission::Limits{.open_hours_bytes = static_cast<int64_t>(core.options.open_hours_bytes),
                        .journal_bytes = core.options.journal_bytes},
      open_hours.get(), journal.get(), commit.get());
}

void WriteSide::MakeSealer() {
  sealer = std::make_unique<Sealer>(core.options, *core.row_keys,
                                    Sealer::Parts{.open_hours = open_hours.get(),
                                                  .journal = journal.get(),
                                                  .tables = core.tables.get(),
                                                  .maintenance = core.tables.get(),
                                                  .series = core.series.get(),
                                                  .active = active.get(),
                                                  .rollups = rollup_marks.get(),
                                                  .admission = admission.get(),
                                                  .commit = commit.get(),
                                                  .expiry = &*core.expiry,
                                                  .clock = core.clock,
                                                  .stats = &core.stats,
                                                  .warn = core.options.warn});
}

absl::Status WriteSide::Replay(uint64_t low_mark) {
  HOURCELL_ASSIGN_OR_RETURN(
      const uint64_t points,
      ReplayPoints({.journal = journal.get(),
                    .open_hours = open_hours.get(),
                    .series = core.series.get(),
                    .sealer = sealer.get()},
                   low_mark, static_cast<uint32_t>(core.clock->MonotonicMs() / 1000)));
  core.stats.counter("journal.replayed_points")->Add(points);
  return absl::OkStatus();
}

void WriteSide::MakeWriter() {
  writer = std::make_unique<PointWriter>(
      core.options, PointWriter::Parts{.series = core.series.get(),
                                       .cache = series_cache.get(),
                                       .open_hours = open_hours.get(),
                                       .commit = commit.get(),
                                       .admission = admission.get(),
                                       .uids = core.uids.get(),
                                       .expiry = &*core.expiry,
                                       .observed_puts = observed_puts.get(),
                                       .puts = core.options.drop_empty_series ? &puts : nullptr,
                                       .sample = &put_sample,
                                       .clock = core.clock,
                                       .stats = &core.stats});
}

void WriteSide::MakeHistogramWriter() {
  histograms =
      std::make_unique<HistogramStore>(&*core.row_keys, core.tables.get(), core.annotations.get());
  histogram_writer = std::make_unique<HistogramWriter>(
      core.options, HistogramWriter::Parts{.store = histograms.get(),
                                           .series = core.series.get(),
                                           .uids = core.uids.get(),
                                           .expiry = &*core.expiry,
                                           .puts = core.options.drop_empty_series ? &puts : nullptr,
                                           .stats = &core.stats});
}

void WriteSide::MakeDropper() {
  if (!core.options.drop_empty_series) return;
  dropper = std::make_unique<SeriesDropper>(SeriesDropper::Parts{.row_keys = &*core.row_keys,
                                                                 .tables = core.tables.get(),
                                                                 .series = core.series.get(),
                                                                 .cache = series_cache.get(),
                                                                 .active = active.get(),
                                                                 .open_hours = open_hours.get(),
                                                                 .commit = commit.get(),
                                                                 .journal = journal.get(),
                                                                 .sealer = sealer.get(),
                                                                 .puts = &puts,
                                                                 .stats = &core.stats});
  unlister = std::make_unique<SeriesUnlister>(
      SeriesUnlister::Parts{.row_keys = &*core.row_keys,
                            .tables = core.tables.get(),
                            .series = core.series.get(),
                            .open_hours = open_hours.get(),
                            .active = active.get(),
                            .has_active_sets = active->is_whole()});
}

void WriteSide::MakeDeletions() {
  deletions =
      std::make_unique<DeletionLog>(DeletionLog::Parts{.row_keys = &*core.row_keys,
                                                       .hidden = core.hidden,
                                                       .tables = core.tables.get(),
                                                       .series = core.series.get(),
                                                       .uids = core.uids.get(),
                                                       .active = active.get(),
                                                       .dropper = dropper.get(),
                                                       .unlister = unlister.get(),
                                                       .sealer = sealer.get(),
                                                       .rollup_marks = rollup_marks.get(),
                                                       .expiry = &*core.expiry,
                                                       .clock = core.clock,
                                                       .undo_ms = core.options.undo_s * 1000});
}

void WriteSide::MakeRenames() {
  renames = std::make_unique<RenameLog>(RenameLog::Parts{
      .tables = core.tables.get(),
      .uids = core.uids.get(),
      .clock = core.clock,
      .alone = [this](const auto& write) { return sealer->WithSealingPaused(write); },
      .has_records = core.tables->capabilities().Has(TableCapability::kAtomicGroups),
      .undo_ms = core.options.undo_s * 1000});
}

void WriteSide::StartBackground() {
  StartCommits();
  StartSealing();
  StartRegions();
}

void WriteSide::StartCommits() {
  // Points without a waiting client reach the journal this soon.
  constexpr int64_t kCommitMs = 20;
  committer_ = std::make_unique<Background>("hc-commit", kCommitMs, [this] {
    // Failures are retried, and returned to waiting callers.
    if (commit->pending_bytes() > 0) commit->CommitAll(/*sync=*/false).IgnoreError();
  });
  // Mostly woken by the creation of series.
  constexpr int64_t kIndexSeriesMs = 1000;
  series_indexer_ = std::make_unique<Background>("hc-index", kIndexSeriesMs, [this] {
    // Failures are retried, and returned to callers that create series.
    if (core.series->WantsIndex()) core.series->WriteIndex().IgnoreError();
  });
  core.series->SetIndexer([this] { series_indexer_->Wake(); });
  const bool at_intervals = core.options.sync == Durability::kInterval;
  Counter* const failures = core.stats.counter("storage.sync.errors");
  syncer_ = std::make_unique<Background>(
      "hc-sync", at_intervals ? core.options.sync_interval_ms : 0, [this, failures] {
        if (!commit->Sync().ok()) failures->Add(1);
      });
}

void WriteSide::StartSealing() {
  // The interval of the sealer's tick, and the delay until it makes room.
  constexpr int64_t kSealMs = 200;
  seal_ticker_ = std::make_unique<Background>("hc-seal", kSealMs, [this] {
    core.role->RetryNote();
    const absl::Status done = core.options.seal_in_background ? sealer->Tick() : sealer->MakeRoom();
    done.IgnoreError();  // counted; the next tick retries
  });
  constexpr int64_t kDropExpiredMs = 60'000;
  Counter* const freed = core.stats.counter("retention.freed_bytes");
  Counter* const drop_errors = core.stats.counter("retention.errors");
  expiry_ticker_ = std::make_unique<Background>(
      "hc-retention", core.options.seal_in_background ? kDropExpiredMs : 0,
      [this, freed, drop_errors] {
        const absl::StatusOr<uint64_t> bytes = DropExpired();
        bytes.ok() ? freed->Add(*bytes) : drop_errors->Add(1);  // tried again
      });
  admission->SetWake([this] { seal_ticker_->Wake(); });
}

void WriteSide::StartRegions() {
  if (region_maintenance == nullptr) return;
  const int64_t regions_ms = core.options.seal_in_background ? 1000 : 0;
  // Failures are counted and retried.
  region_ticker_ = std::make_unique<Background>(
      "hc-regions", regions_ms, [this] { region_maintenance->Tick().IgnoreError(); });
  region_trimmer_ = std::make_unique<Background>(
      "hc-trim", regions_ms, [this] { region_maintenance->Trim().IgnoreError(); });
}

// Rows first: a set stays as long as there are rows of its day.
absl::StatusOr<uint64_t> WriteSide::DropExpired() {
  absl::Status removed = deletions->RemoveDue();
  if (!core.retention.rules()->file_ttl_s.empty()) {
    removed.Update(sealer->WithSealingPaused([this] { return core.ttl_log->RemoveDue(); }));
  }
  removed.Update(renames->RemoveDue());
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t freed, core.tables->DropExpired());
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Uid> dropped, active->DropExpired([this](Uid metric) {
    return core.expiry->FilesExpireBeforeMs(metric);
  }));
  if (dropper != nullptr) {
    for (const Uid metric : dropped)
      dropper->Add(metric);
    HOURCELL_RETURN_IF_ERROR(dropper->Step());
  }
  HOURCELL_RETURN_IF_ERROR(removed);
  return freed;
}

absl::Status WriteSide::Flush(const SealControl& control, bool is_closing) {
  HOURCELL_RETURN_IF_ERROR(commit->CommitAll(/*sync=*/false));
  const absl::Status sealed = sealer->SealAll(control);
  // A store that is being closed limits the time of sealing; the hours sealed by then are flushed
  // all the same.
  if (absl::IsDeadlineExceeded(sealed) && is_closing) {
    if (core.options.warn) core.options.warn(std::string(sealed.message()));
  } else {
    HOURCELL_RETURN_IF_ERROR(sealed);
  }
  HOURCELL_RETURN_IF_ERROR(sealer->Checkpoint());
  for (const TableSpec& table : kTableSpecs) {
    // The checkpoint flushed the others.
    if (table.writes == TableWrites::kLogged) {
      HOURCELL_RETURN_IF_ERROR(core.tables->Flush(table.id));
    }
  }
  return absl::OkStatus();
}

StoreHealth WriteSide::Health() const {
  const absl::Status failure = journal->failure();
  return {.is_open = true,
          .journal = failure.ok() ? commit->last_written() : CopyStatus(failure),
          .must_reopen = !failure.ok(),
          .room = admission->Room(),
          .disk_free_bytes = journal->DiskFreeBytes()};
}

void WriteSide::AddGauges() {
  WriteGauges{.is_open = &core.is_open,
              .series_cache = series_cache.get(),
              .open_hours = open_hours.get(),
              .journal = journal.get(),
              .commit = commit.get(),
              .admission = admission.get()}
      .AddTo(&core.stats);
}

void WriteSide::StopBackground() {
  region_ticker_.reset();
  region_trimmer_.reset();
  expiry_ticker_.reset();
  seal_ticker_.reset();
  syncer_.reset();
  series_indexer_.reset();
  committer_.reset();
}

absl::Status WriteSide::Close() {
  // The time limit for sealing; the other hours are in the journal, and open again with the store.
  constexpr int64_t kCloseSealMs = 10'000;
  sealer->EndWithin(kCloseSealMs);
  if (dropper != nullptr) dropper->Stop();
  deletions->Stop();
  StopBackground();
  commit->StopWaits();
  // Hours that were not sealed are in the journal.
  absl::Status closed = Flush({}, /*is_closing=*/true);
  HOURCELL_KILL_POINT("close:flushed");
  closed.Update(journal->Close());
  HOURCELL_KILL_POINT("close:journal");
  if (closed.ok()) {
    // The whole journal is unneeded, including its last segment.
    const absl::StatusOr<uint64_t> low_mark = ReadLowMark(core.tables.get());
    closed = low_mark.ok() ? journal->DeleteBelow(*low_mark) : low_mark.status();
    HOURCELL_KILL_POINT("close:deleted");
  }
  return closed;
}

}  // namespace hourcell
