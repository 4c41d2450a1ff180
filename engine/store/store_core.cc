#include "engine/store/store_core.h"

#include <optional>
#include <string>
#include <utility>

#include "codec/base/status_macros.h"
#include "engine/deletion/hidden_series_reader.h"
#include "engine/regions/live/initial_regions.h"
#include "engine/rocks/rocks_storage.h"
#include "engine/rows/store_format.h"
#include "engine/rows/system_table.h"
#include "engine/store/store_needs.h"
#include "engine/table/table_capabilities.h"

namespace hourcell {

namespace {

std::shared_ptr<StorageEngine> StorageOf(const Options& options) {
  if (options.storage != nullptr) return options.storage;
  if (options.follow) return std::make_shared<RocksReader>(options);
  return std::make_shared<RocksStorage>(options);
}

}  // namespace

StoreCore::StoreCore(Options opened) : options(std::move(opened)), storage(StorageOf(options)) {}

absl::Status StoreCore::TakeTables(std::unique_ptr<TableStore> opened) {
  auto shown = std::make_unique<HiddenPointsStore>(std::move(opened));
  hidden = shown.get();
  tables = std::make_unique<DayRowStore>(std::move(shown));
  return CheckStoreNeeds(storage->name(), tables->capabilities());
}

absl::Status StoreCore::OpenTables(const std::function<absl::Status()>& make_journal) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> format,
                            tables->Snapshot()->Get(TableId::kSystem, kStoreFormatKey));
  HOURCELL_ASSIGN_OR_RETURN(const Layout layout,
                            ReadOrCreateLayout(options, tables.get(), make_journal));
  options.layout = layout;
  HOURCELL_RETURN_IF_ERROR(PresplitIfNew(options.presplit, layout,
                                         static_cast<uint64_t>(clock->NowMs()), storage->name(),
                                         tables.get()));
  HOURCELL_ASSIGN_OR_RETURN(SaltEpochs epochs, ReadSaltEpochs(layout, tables.get()));
  salts = std::make_shared<SaltSchedule>(std::move(epochs));
  row_keys.emplace(layout, salts);
  HOURCELL_RETURN_IF_ERROR(tables->Open(&*row_keys, options.day_row_points));
  HOURCELL_RETURN_IF_ERROR(LoadRetention(/*is_new=*/!format.has_value()));
  // A point that was acknowledged as synced needs its names synced.
  const bool sync = options.sync == Durability::kAlways;
  uid_store = std::make_unique<TableUidStore>(
      layout, tables.get(),
      TableUidStore::Commits{
          .are_synced = sync,
          .are_atomic = tables->capabilities().Has(TableCapability::kAtomicGroups)});
  HOURCELL_ASSIGN_OR_RETURN(uids,
                            UidDirectory::Open(UidOptionsOf(options, layout), uid_store.get()));
  virtual_metrics = std::make_unique<VirtualMetrics>(layout, tables.get(), uids.get());
  HOURCELL_RETURN_IF_ERROR(virtual_metrics->Load());
  HOURCELL_ASSIGN_OR_RETURN(series, SeriesTable::Open(layout,
                                                      {.tables = tables.get(),
                                                       .uid_store = uid_store.get(),
                                                       .uids = uids.get(),
                                                       .virtual_metrics = virtual_metrics.get(),
                                                       .is_followed = options.follow},
                                                      sync));
  HOURCELL_RETURN_IF_ERROR(LoadDeletions());
  HOURCELL_ASSIGN_OR_RETURN(
      annotations, AnnotationStore::Open(
                       {.row_keys = &*row_keys, .tables = tables.get(), .expiry = &*expiry}, sync));
  documents = std::make_unique<MetaDocuments>(layout, tables.get(), sync);
  saved_views = std::make_unique<SavedViewStore>(tables.get(), sync);
  trees = std::make_unique<TreeStore>(tables.get(), sync);
  metadata = std::make_unique<TextRows>("metadata/", "metadata", tables.get(), sync);
  return absl::OkStatus();
}

// Before the first read of points.
absl::Status StoreCore::LoadDeletions() {
  hidden->Open(&*row_keys);
  if (!hidden->capabilities().Has(TableCapability::kAtomicGroups)) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(HiddenPoints::List list,
                            ReadHiddenSeries(options.layout, *series, hidden->stored()));
  if (!list.empty()) hidden->Hide(std::move(list));
  return absl::OkStatus();
}

absl::Status StoreCore::LoadRetention(bool is_new) {
  ttl_log.emplace(
      options.layout,
      TtlLog::Parts{.tables = tables.get(),
                    .retention = &retention,
                    .clock = clock,
                    .has_records = tables->capabilities().Has(TableCapability::kAtomicGroups),
                    .undo_ms = options.undo_s * 1000});
  HOURCELL_RETURN_IF_ERROR(ttl_log->Load());
  expiry.emplace(options.layout, &retention, clock);
  tables->SetExpiry(&*expiry);
  if (!options.ttl_s.has_value() || *options.ttl_s == retention.rules()->store_ttl_s) {
    return absl::OkStatus();
  }
  const TtlSetting given{.ttl_s = options.ttl_s, .has_points = !is_new};
  return ttl_log->Set({&given, 1});
}

}  // namespace hourcell
