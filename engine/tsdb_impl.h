// Tsdb::Impl: the parts of an open store, put together when it is opened and taken apart when it is
// closed. Thread-safe as Tsdb is, but for Open.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/row_key.h"
#include "engine/active_sets.h"
#include "engine/admission.h"
#include "engine/annotation_store.h"
#include "engine/background.h"
#include "engine/backup_admin.h"
#include "engine/fsck_admin.h"
#include "engine/group_commit.h"
#include "engine/ingest/open_hours.h"
#include "engine/ingest/series_cache.h"
#include "engine/journal.h"
#include "engine/loss_counter.h"
#include "engine/metric_series.h"
#include "engine/point_writer.h"
#include "engine/put_ledger.h"
#include "engine/query_executor.h"
#include "engine/query_planner.h"
#include "engine/region_admin.h"
#include "engine/region_keeper.h"
#include "engine/region_loads.h"
#include "engine/retention.h"
#include "engine/salt_admin.h"
#include "engine/sealer.h"
#include "engine/series_table.h"
#include "engine/store_lock.h"
#include "engine/table_uid_store.h"
#include "engine/tsdb.h"
#include "engine/ttl_admin.h"
#include "uid/uid_directory.h"

namespace hourcell {

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
  absl::StatusOr<uint64_t> DropExpired();

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
  std::unique_ptr<ActiveSets> active;
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
  std::unique_ptr<Background> series_indexer;
  std::unique_ptr<Background> syncer;
  std::unique_ptr<Background> seal_ticker;
  std::unique_ptr<Background> expiry_ticker;
  std::unique_ptr<Background> region_ticker;
  std::unique_ptr<Background> region_trimmer;
  std::atomic<bool> is_open{false};
};

}  // namespace hourcell
