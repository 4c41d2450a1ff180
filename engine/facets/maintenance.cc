#include "engine/maintenance.h"

#include <iterator>

#include "codec/base/status_macros.h"
#include "engine/store/gates.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

void Maintenance::DropCaches() {
  if (StoreImpl* const store = gates_->process(); store != nullptr) store->DropCaches();
}

absl::Status Maintenance::SealDue() {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  return store.Acknowledge(store.writes().sealer->SealDue());
}

absl::Status Maintenance::ComputeRollups() {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  RollupKeeper* const rollups = gates_->lasting()->rollups.get();
  if (rollups == nullptr) return store.Acknowledge(absl::OkStatus());
  while (true) {
    HOURCELL_ASSIGN_OR_RETURN(const bool may_have_more, rollups->Step());
    if (!may_have_more) return store.Acknowledge(absl::OkStatus());
  }
}

absl::Status Maintenance::Seal(const SealControl& control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  return store.Acknowledge(store.writes().sealer->SealAll(control));
}

absl::Status Maintenance::Flush(const SealControl& control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  return store.Acknowledge(store.writes().Flush(control));
}

absl::Status Maintenance::Compact(const CompactControl& control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(store.writes().Flush({.cancelled = control.cancelled}));
  size_t done = 0;
  for (const TableId table : kTableIds) {
    if (control.progress) control.progress(TableName(table), done++, std::size(kTableIds));
    HOURCELL_RETURN_IF_ERROR(store->tables->Compact(table, control.cancelled));
  }
  return store.Acknowledge(absl::OkStatus());
}

RegionAdmin* Maintenance::regions() {
  return gates_->lasting()->regions.get();
}

SaltAdmin* Maintenance::salt() {
  return gates_->lasting()->salt.get();
}

BackupAdmin* Maintenance::backups() {
  return gates_->lasting()->backups.get();
}

AdoptionAdmin* Maintenance::adoption() {
  return gates_->lasting()->adoption.get();
}

FsckAdmin* Maintenance::fsck() {
  return gates_->lasting()->fsck.get();
}

StoreHealth Maintenance::Health() {
  return gates_->lasting()->Health();
}

ClusterView Maintenance::Cluster() {
  return gates_->lasting()->Cluster();
}

}  // namespace hourcell
