// StoreImpl: the parts of an open store. Open creates them, Close destroys them. Thread-safe as
// Tsdb is, except Open.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/rows/row_key.h"
#include "engine/adoption_admin.h"
#include "engine/annotations/annotation_store.h"
#include "engine/backup_admin.h"
#include "engine/deletion/series_dropper.h"
#include "engine/fsck_admin.h"
#include "engine/hours/open_hours.h"
#include "engine/hours/read_pins.h"
#include "engine/hours/series_cache.h"
#include "engine/journal/journal.h"
#include "engine/names/table_uid_store.h"
#include "engine/read/query_executor.h"
#include "engine/read/query_planner.h"
#include "engine/region_admin.h"
#include "engine/regions/live/put_sample.h"
#include "engine/regions/live/region_history.h"
#include "engine/regions/live/region_loads.h"
#include "engine/regions/live/region_maintenance.h"
#include "engine/regions/live/sampled_keys.h"
#include "engine/role/store_role.h"
#include "engine/salt_admin.h"
#include "engine/series/active_sets.h"
#include "engine/series/metric_series.h"
#include "engine/series/series_table.h"
#include "engine/storage/storage_engine.h"
#include "engine/store/gates.h"
#include "engine/store/loss_counter.h"
#include "engine/store/ttl_admin.h"
#include "engine/table/retention.h"
#include "engine/table/table_store.h"
#include "engine/threads/background.h"
#include "engine/tsdb.h"
#include "engine/write/admission.h"
#include "engine/write/group_commit.h"
#include "engine/write/observed_puts.h"
#include "engine/write/point_writer.h"
#include "engine/write/sealer.h"
#include "uid/uid_directory.h"

namespace hourcell {

// The parts of an open store, in the order in which they depend on each other.
class StoreImpl {
 public:
  explicit StoreImpl(Options opened);

  absl::Status Open();
  absl::Status OpenStorage();
  absl::Status OpenToFollow();
  absl::Status StartFollowing();
  absl::Status OpenTables();
  absl::Status LoadRetention();
  void MakeRegionMaintenance();
  absl::Status OpenJournal();
  void MakeDropper();
  void MakeAdmins();
  void StartBackground();
  // Maintenance::Flush.
  absl::Status Flush(const SealControl& control = {});
  absl::Status Close();
  absl::StatusOr<uint64_t> DropExpired();
  void DropCaches();
  StoreHealth Health();
  ClusterView Cluster();
  // The open hours for a read that passed the gate.
  std::shared_ptr<OpenHours> HoursToRead() const { return role->HoursToRead(open_hours); }

  Options options;
  const std::shared_ptr<StorageEngine> storage;
  Clock* const clock = options.clock != nullptr ? options.clock : Clock::System();
  Stats stats;
  LossCounter losses{&stats};
  Retention retention;
  std::optional<RowExpiry> expiry;
  std::unique_ptr<TableStore> tables;
  std::unique_ptr<JournalPlace> journal_place;  // null: the engine opened the journal
  std::unique_ptr<JournalTail> tail;            // of another process, until the role has it
  std::unique_ptr<StoreRole> role;
  std::shared_ptr<SaltSchedule> salts;
  std::optional<RowKeyCodec> row_keys;
  std::unique_ptr<TableUidStore> uid_store;
  std::unique_ptr<UidDirectory> uids;
  std::unique_ptr<SeriesTable> series;
  std::unique_ptr<SeriesCache> series_cache;
  std::unique_ptr<AnnotationStore> annotations;
  std::shared_ptr<OpenHours> open_hours;
  std::unique_ptr<ActiveSets> active;
  std::unique_ptr<Journal> journal;
  std::unique_ptr<ObservedPuts> observed_puts;  // null: without observers
  std::unique_ptr<GroupCommit> commit;
  std::unique_ptr<Admission> admission;
  std::optional<RegionLoads> region_loads;
  RegionHistory region_history;
  PutSample put_sample;
  std::optional<SampledKeys> sampled_keys;
  std::unique_ptr<RegionMaintenance> region_maintenance;  // null: the engine divides tables
  std::unique_ptr<Sealer> sealer;
  ReadPins puts;  // under way
  std::unique_ptr<PointWriter> writer;
  std::unique_ptr<SeriesDropper> dropper;  // null: empty series stay
  std::unique_ptr<MetricSeriesCache> metric_series;
  std::unique_ptr<QueryPlanner> planner;
  std::unique_ptr<QueryExecutor> executor;
  std::unique_ptr<RegionAdmin> regions;
  std::unique_ptr<SaltAdmin> salt;
  std::unique_ptr<TtlAdmin> ttls;
  std::unique_ptr<BackupAdmin> backups;
  std::unique_ptr<FsckAdmin> fsck;
  std::unique_ptr<AdoptionAdmin> adoption;
  std::unique_ptr<Background> committer;
  std::unique_ptr<Background> series_indexer;
  std::unique_ptr<Background> syncer;
  std::unique_ptr<Background> seal_ticker;
  std::unique_ptr<Background> expiry_ticker;
  std::unique_ptr<Background> region_ticker;
  std::unique_ptr<Background> region_trimmer;
  std::atomic<bool> is_open{false};
  StoreGates gates{this};
};

}  // namespace hourcell
