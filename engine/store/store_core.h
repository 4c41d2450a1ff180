// StoreCore: the parts of an open store that every role has: its tables, names, series,
// annotations, TTLs and salts. WriteSide and ReadSide add the others. Thread-safe as Tsdb is,
// except OpenTables.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/rows/row_key.h"
#include "codec/rows/salt_schedule.h"
#include "engine/annotations/annotation_store.h"
#include "engine/days/day_row_store.h"
#include "engine/documents/saved_view_store.h"
#include "engine/documents/text_rows.h"
#include "engine/documents/tree_store.h"
#include "engine/hidden/hidden_points_store.h"
#include "engine/names/meta_documents.h"
#include "engine/names/table_uid_store.h"
#include "engine/names/virtual_metrics.h"
#include "engine/options.h"
#include "engine/regions/live/region_history.h"
#include "engine/role/store_role.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/storage/storage_engine.h"
#include "engine/store/loss_counter.h"
#include "engine/table/retention.h"
#include "engine/table/table_store.h"
#include "engine/undo/ttl_log.h"
#include "uid/uid_directory.h"

namespace hourcell {

// The parts in the order in which they depend on each other.
class StoreCore {
 public:
  explicit StoreCore(Options opened);

  // Takes the tables of the storage. kFailedPrecondition: they lack a need of the engine.
  absl::Status TakeTables(std::unique_ptr<TableStore> opened);

  // Reads the layout, or creates it in an empty store, and opens the parts below `tables`.
  // `make_journal` creates the place of the journal of a new store; may be empty.
  absl::Status OpenTables(const std::function<absl::Status()>& make_journal);

  Options options;
  const std::shared_ptr<StorageEngine> storage;
  Clock* const clock = options.clock != nullptr ? options.clock : Clock::System();
  Stats stats;
  LossCounter losses{&stats};
  Retention retention;
  std::optional<TtlLog> ttl_log;
  std::optional<RowExpiry> expiry;
  HiddenPointsStore* hidden = nullptr;  // below `tables`, which owns it
  std::unique_ptr<DayRowStore> tables;
  std::unique_ptr<StoreRole> role;
  std::shared_ptr<SaltSchedule> salts;
  std::optional<RowKeyCodec> row_keys;
  std::unique_ptr<TableUidStore> uid_store;
  std::unique_ptr<UidDirectory> uids;
  std::unique_ptr<VirtualMetrics> virtual_metrics;
  std::unique_ptr<SeriesTable> series;
  std::unique_ptr<AnnotationStore> annotations;
  std::unique_ptr<MetaDocuments> documents;
  std::unique_ptr<SavedViewStore> saved_views;
  std::unique_ptr<TreeStore> trees;
  std::unique_ptr<TextRows> metadata;  // of metrics
  RegionHistory region_history;
  std::atomic<bool> is_open{false};

 private:
  absl::Status LoadRetention(bool is_new);
  absl::Status LoadDeletions();
};

}  // namespace hourcell
