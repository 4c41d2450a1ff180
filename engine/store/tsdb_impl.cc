#include "engine/store/tsdb_impl.h"

#include <utility>

#include "codec/base/status_macros.h"
#include "engine/deletion/series_unlister.h"
#include "engine/rows/system_table.h"
#include "engine/store/store_gauges.h"

namespace hourcell {

absl::Status StoreImpl::Open() {
  HOURCELL_RETURN_IF_ERROR(core.options.follow ? OpenToFollow() : OpenToWrite());
  StoreGauges{.is_open = &core.is_open,
              .regions = core.tables->regions(),
              .uids = core.uids.get(),
              .series = core.series.get(),
              .query_memory = read->executor.memory()}
      .AddTo(&core.stats);
  core.is_open = true;
  return absl::OkStatus();
}

// After the storage is open, no other process writes to the store.
absl::Status StoreImpl::OpenToWrite() {
  HOURCELL_ASSIGN_OR_RETURN(OpenedStorage opened, core.storage->Open(core.options.warn));
  core.role = opened.role == nullptr ? MakeAloneRole() : MakeWriterRole(std::move(opened.role));
  HOURCELL_RETURN_IF_ERROR(core.TakeTables(std::move(opened.tables)));
  // Where a drop can be cut, or take effect after another process has begun to write, series stay.
  if (!core.tables->capabilities().Has(TableCapability::kAtomicGroups)) {
    core.options.drop_empty_series = false;
    // There a row and its points that were taken out cannot be one write.
    core.options.undo_s = 0;
  }
  JournalPlace* const place = opened.journal_place.get();
  HOURCELL_RETURN_IF_ERROR(core.OpenTables(place == nullptr ? std::function<absl::Status()>()
                                                            : [place] { return place->Make(); }));
  core.tables->SetNote([this] { return core.role->NoteChange(absl::OkStatus()); });
  write = std::make_unique<WriteSide>(&core, std::move(opened.journal),
                                      std::move(opened.journal_place));
  HOURCELL_RETURN_IF_ERROR(write->Open());
  read = std::make_unique<ReadSide>(&core, write->active.get(), write->rollup_marks.get());
  MakeRollups();
  MakeAdmins();
  write->StartBackground();
  write->AddGauges();
  // Other processes may have outdated state from before this open.
  return core.role->NoteChange(absl::OkStatus());
}

absl::Status StoreImpl::OpenToFollow() {
  HOURCELL_ASSIGN_OR_RETURN(FollowedStorage followed,
                            core.storage->shared()->Follow(core.options.warn));
  core.options.ttl_s.reset();  // the writer says
  core.options.presplit.clear();
  HOURCELL_RETURN_IF_ERROR(core.TakeTables(std::move(followed.tables)));
  HOURCELL_RETURN_IF_ERROR(core.OpenTables(/*make_journal=*/{}));
  // Active sets in memory may be outdated: the writer adds to them.
  read = std::make_unique<ReadSide>(&core, /*active=*/nullptr, /*marks=*/nullptr);
  MakeAdmins();
  return StartFollowing(std::move(followed.journal));
}

absl::Status StoreImpl::StartFollowing(std::unique_ptr<JournalTail> tail) {
  constexpr int64_t kFollowMs = 1000;
  const Options& options = core.options;
  HOURCELL_ASSIGN_OR_RETURN(
      core.role, MakeFollowerRole(
                     std::move(tail),
                     {.tables = core.tables.get(),
                      .layout = &options.layout,
                      .salts = core.salts.get(),
                      .retention = &core.retention,
                      .uids = core.uids.get(),
                      .series = core.series.get(),
                      .metric_series = &read->metric_series,
                      .annotations = core.annotations.get(),
                      .virtual_metrics = core.virtual_metrics.get(),
                      .read_days_again = [this] { return core.tables->ReadAgain(); },
                      .lanes = options.lanes == 0 ? OpenHours::LanesByProcessors() : options.lanes,
                      .clock = core.clock,
                      .stats = &core.stats},
                     options.seal_in_background ? kFollowMs : 0));
  // After an error, lists have all series.
  UnlistHidden().IgnoreError();
  core.stats.AddGauge("follow.memory_bytes", {},
                      [this] { return core.is_open ? HoursToRead()->bytes() : 0; });
  return absl::OkStatus();
}

// For a directory that no process writes: nothing changes the lists then.
absl::Status StoreImpl::UnlistHidden() {
  const bool has_records = core.tables->capabilities().Has(TableCapability::kAtomicGroups);
  if (!has_records || !core.options.drop_empty_series) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const bool has_active_sets, ReadActiveSetsAreKept(core.tables.get()));
  HOURCELL_RETURN_IF_ERROR(core.role->BeforeRead(/*at_once=*/false));
  const std::shared_ptr<OpenHours> hours = core.role->HoursToRead(/*own=*/nullptr);
  return SeriesUnlister({.row_keys = &*core.row_keys,
                         .tables = core.tables.get(),
                         .series = core.series.get(),
                         .open_hours = hours.get(),
                         .has_active_sets = has_active_sets})
      .UnlistAll();
}

void StoreImpl::MakeRollups() {
  if (!core.options.rollup_rules.has_value()) return;
  rollups = std::make_unique<RollupKeeper>(
      core.options, core.options.layout,
      RollupKeeper::Parts{
          .marks = write->rollup_marks.get(),
          .uids = core.uids.get(),
          .virtual_metrics = core.virtual_metrics.get(),
          .series = core.series.get(),
          .active = write->active.get(),
          .open_hours = write->open_hours.get(),
          .sealer = write->sealer.get(),
          .commit = write->commit.get(),
          .writer = write->writer.get(),
          .executor = &read->executor,
          .expiry = &*core.expiry,
          .retention = &core.retention,
          .set_ttls = [this](auto changes) { return core.role->NoteChange(ttls->SetAll(changes)); },
          .clock = core.clock,
          .stats = &core.stats,
          .before_write = [this] { return gates.BeginWrite().status(); }});
  constexpr int64_t kComputeMs = 1000;
  rollup_ticker_ = std::make_unique<Background>(
      "hc-rollups", core.options.seal_in_background ? kComputeMs : 0, [this] { rollups->Run(); });
}

void StoreImpl::MakeAdmins() {
  MakeRegionAdmin();
  MakeSaltAdmin();
  const auto before_change = [this] { return gates.BeginWrite().status(); };
  const auto before_answer = [this] { return gates.CheckAnswer(); };
  TableStore* const tables = core.tables.get();
  ttls = std::make_unique<TtlAdmin>(
      core.options.layout,
      TtlAdmin::Parts{.log = &*core.ttl_log,
                      .uids = core.uids.get(),
                      .series = core.series.get(),
                      .retention = &core.retention,
                      .expiry = &*core.expiry,
                      .sealer = write == nullptr ? nullptr : write->sealer.get(),
                      .rollup_marks = write == nullptr ? nullptr : write->rollup_marks.get()});
  backups = std::make_unique<BackupAdmin>(
      BackupAdmin::Parts{.store_path = core.options.path,
                         .tables = tables,
                         .regions = tables->regions(),
                         .maintenance = tables,
                         .commit = write == nullptr ? nullptr : write->commit.get(),
                         .journal = write == nullptr ? nullptr : write->journal.get(),
                         .sealer = write == nullptr ? nullptr : write->sealer.get(),
                         .clock = core.clock,
                         .env = core.options.env,
                         .before_change = before_change});
  fsck = std::make_unique<FsckAdmin>(
      FsckAdmin::Parts{.layout = &core.options.layout,
                       .tables = tables,
                       .list = tables,
                       .regions = tables->regions(),
                       .row_keys = &*core.row_keys,
                       .uids = core.uids.get(),
                       .series = core.series.get(),
                       .journal = write == nullptr ? nullptr : write->journal.get(),
                       .active = write == nullptr ? nullptr : write->active.get(),
                       .expiry = &*core.expiry,
                       .check_is_writer = before_answer});
  adoption =
      std::make_unique<AdoptionAdmin>(AdoptionAdmin::Parts{.row_keys = &*core.row_keys,
                                                           .tables = tables,
                                                           .uid_store = core.uid_store.get(),
                                                           .uids = core.uids.get(),
                                                           .series = core.series.get(),
                                                           .before_change = before_change,
                                                           .check_is_writer = before_answer});
}

void StoreImpl::MakeRegionAdmin() {
  TableStore* const tables = core.tables.get();
  regions = std::make_unique<RegionAdmin>(
      core.options.regions.split,
      RegionAdmin::Parts{.tables = tables,
                         .list = tables,
                         .regions = tables->regions(),
                         .engine = core.storage->name(),
                         .maintenance = tables,
                         .row_keys = &*core.row_keys,
                         .uids = core.uids.get(),
                         .clock = core.clock,
                         .history = &core.region_history,
                         .before_change = [this] { return gates.BeginWrite().status(); },
                         .check_is_writer = [this] { return gates.CheckAnswer(); }});
}

void StoreImpl::MakeSaltAdmin() {
  salt = std::make_unique<SaltAdmin>(
      SaltAdmin::Parts{.tables = core.tables.get(),
                       .row_keys = &*core.row_keys,
                       .schedule = core.salts.get(),
                       .sealer = write == nullptr ? nullptr : write->sealer.get(),
                       .annotations = core.annotations.get(),
                       .clock = core.clock,
                       .note_change = [this] { return core.role->NoteChange(absl::OkStatus()); },
                       .before_change = [this] { return gates.BeginWrite().status(); },
                       .check_is_writer = [this] { return gates.CheckAnswer(); }});
}

void StoreImpl::DropCaches() {
  core.uids->DropCaches();
  if (write != nullptr) write->series_cache->Clear();
  read->metric_series.Clear();
  read->tags_in_use.Clear();
}

std::shared_ptr<OpenHours> StoreImpl::HoursToRead() const {
  return core.role->HoursToRead(write == nullptr ? nullptr : write->open_hours);
}

StoreHealth StoreImpl::Health() {
  if (!core.is_open) return {};
  if (write == nullptr) return {.is_open = true, .journal = {}, .room = {}};
  return write->Health();
}

ClusterView StoreImpl::Cluster() {
  ClusterView view;
  view.engine = core.storage->name();
  view.nodes = core.role->Nodes();
  if (write == nullptr) return view;
  const Journal& journal = *write->journal;
  view.journal_blocks = journal.next_sequence() - journal.oldest_sequence();
  view.journal_bytes = journal.bytes();
  return view;
}

absl::Status StoreImpl::Close() {
  if (!core.is_open.exchange(false)) return absl::OkStatus();
  absl::Status closed;
  if (rollups != nullptr) rollups->Stop();
  rollup_ticker_.reset();
  if (write == nullptr) {
    core.role->Stop();
  } else {
    closed = write->Close();
  }
  closed.Update(core.tables->Close());
  return closed;
}

}  // namespace hourcell
