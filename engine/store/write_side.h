// WriteSide: the parts of an open store that take points, turn them into cells, and change tables
// and regions, with the threads that do so in the background. A process that only reads a store
// lacks this object, and with it every thread that writes. Thread-safe as Tsdb is, except Open,
// StartBackground and Close.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/deletion/deletion_log.h"
#include "engine/deletion/series_dropper.h"
#include "engine/deletion/series_unlister.h"
#include "engine/histograms/histogram_store.h"
#include "engine/histograms/histogram_writer.h"
#include "engine/hours/open_hours.h"
#include "engine/hours/read_pins.h"
#include "engine/hours/series_cache.h"
#include "engine/journal/journal.h"
#include "engine/maintenance.h"
#include "engine/regions/live/put_sample.h"
#include "engine/regions/live/region_loads.h"
#include "engine/regions/live/region_maintenance.h"
#include "engine/regions/live/sampled_keys.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/series/active_sets.h"
#include "engine/storage/storage_engine.h"
#include "engine/store/store_core.h"
#include "engine/threads/background.h"
#include "engine/undo/rename_log.h"
#include "engine/write/admission.h"
#include "engine/write/group_commit.h"
#include "engine/write/observed_puts.h"
#include "engine/write/point_writer.h"
#include "engine/write/sealer.h"

namespace hourcell {

// The parts in the order in which they depend on each other.
class WriteSide {
 public:
  // `core` is borrowed. One of `opened` and `place` has the journal.
  WriteSide(StoreCore* core, std::unique_ptr<Journal> opened, std::unique_ptr<JournalPlace> place);

  // Opens the journal, and restores the open hours from it. Called after StoreCore::OpenTables.
  absl::Status Open();
  void StartBackground();

  // Maintenance::Flush. `is_closing`: succeeds although the time limit leaves hours open.
  absl::Status Flush(const SealControl& control, bool is_closing = false);
  absl::StatusOr<uint64_t> DropExpired();
  StoreHealth Health() const;
  void AddGauges();

  // Ends the threads, seals, and closes the journal.
  absl::Status Close();

  StoreCore& core;
  std::unique_ptr<JournalPlace> journal_place;  // null: the engine opened the journal
  std::unique_ptr<Journal> journal;
  std::unique_ptr<SeriesCache> series_cache;
  std::shared_ptr<OpenHours> open_hours;
  std::unique_ptr<RollupMarks> rollup_marks;  // null: no levels are computed
  std::unique_ptr<ActiveSets> active;
  std::unique_ptr<ObservedPuts> observed_puts;  // null: without observers
  std::unique_ptr<GroupCommit> commit;
  std::unique_ptr<Admission> admission;
  RegionLoads region_loads;
  PutSample put_sample;
  std::optional<SampledKeys> sampled_keys;
  std::unique_ptr<RegionMaintenance> region_maintenance;  // null: the engine divides tables
  std::unique_ptr<Sealer> sealer;
  ReadPins puts;  // under way
  std::unique_ptr<PointWriter> writer;
  std::unique_ptr<HistogramStore> histograms;
  std::unique_ptr<HistogramWriter> histogram_writer;
  std::unique_ptr<SeriesDropper> dropper;    // null: empty series stay
  std::unique_ptr<SeriesUnlister> unlister;  // null: they stay in lists, too
  std::unique_ptr<DeletionLog> deletions;
  std::unique_ptr<RenameLog> renames;

 private:
  absl::Status OpenJournal(uint64_t low_mark);
  void MakeRegionMaintenance();
  absl::StatusOr<std::vector<std::string>> KeysOf(std::span<const SampledPut> sampled);
  absl::Status MakeRollupMarks();
  absl::Status MakeActiveSets();
  void MakeCommit();
  void MakeSealer();
  void MakeWriter();
  void MakeHistogramWriter();
  void MakeDropper();
  void MakeDeletions();
  void MakeRenames();
  absl::Status Replay(uint64_t low_mark);
  void StartCommits();
  void StartSealing();
  void StartRegions();
  void StopBackground();

  std::unique_ptr<Background> committer_;
  std::unique_ptr<Background> series_indexer_;
  std::unique_ptr<Background> syncer_;
  std::unique_ptr<Background> seal_ticker_;
  std::unique_ptr<Background> expiry_ticker_;
  std::unique_ptr<Background> region_ticker_;
  std::unique_ptr<Background> region_trimmer_;
};

}  // namespace hourcell
