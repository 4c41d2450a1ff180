#include "engine/maintenance.h"

#include <iterator>

#include "codec/base/status_macros.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

void Maintenance::DropCaches() {
  if (store_->is_open) store_->DropCaches();
}

absl::Status Maintenance::SealDue() {
  HOURCELL_RETURN_IF_ERROR(store_->CheckWrites());
  return store_->Acknowledge(store_->sealer->SealDue());
}

absl::Status Maintenance::Seal(const SealControl& control) {
  HOURCELL_RETURN_IF_ERROR(store_->CheckWrites());
  return store_->Acknowledge(store_->sealer->SealAll(control));
}

absl::Status Maintenance::Flush(const SealControl& control) {
  HOURCELL_RETURN_IF_ERROR(store_->CheckWrites());
  return store_->Acknowledge(store_->Flush(control));
}

absl::Status Maintenance::Compact(const CompactControl& control) {
  HOURCELL_RETURN_IF_ERROR(Flush({.cancelled = control.cancelled}));
  size_t done = 0;
  for (const TableId table : kTableIds) {
    if (control.progress) control.progress(TableName(table), done++, std::size(kTableIds));
    HOURCELL_RETURN_IF_ERROR(store_->tables->Compact(table, control.cancelled));
  }
  return store_->Acknowledge(absl::OkStatus());
}

RegionAdmin* Maintenance::regions() {
  return store_->regions.get();
}

SaltAdmin* Maintenance::salt() {
  return store_->salt.get();
}

BackupAdmin* Maintenance::backups() {
  return store_->backups.get();
}

AdoptionAdmin* Maintenance::adoption() {
  return store_->adoption.get();
}

FsckAdmin* Maintenance::fsck() {
  return store_->fsck.get();
}

StoreHealth Maintenance::Health() {
  return store_->Health();
}

ClusterView Maintenance::Cluster() {
  return store_->Cluster();
}

}  // namespace hourcell
