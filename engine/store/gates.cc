#include "engine/store/gates.h"

#include <utility>

#include "codec/base/status_macros.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {
namespace {

absl::Status Closed() {
  return absl::FailedPreconditionError("store is closed");
}

}  // namespace

std::shared_ptr<OpenHours> StoreReader::hours() const {
  return store_->HoursToRead();
}

absl::Status StoreWriter::Acknowledge(absl::Status written) const {
  return store_->role->Acknowledge(std::move(written));
}

absl::Status StoreWriter::NoteChange(absl::Status changed) const {
  return store_->role->NoteChange(std::move(changed));
}

absl::Status StoreWriter::NoteAnnotation() const {
  return store_->role->NoteAnnotation();
}

absl::StatusOr<StoreReader> StoreGates::BeginRead(bool at_once) {
  if (!store_->is_open) return Closed();
  HOURCELL_RETURN_IF_ERROR(store_->role->BeforeRead(at_once));
  return StoreReader(store_);
}

absl::StatusOr<StoreWriter> StoreGates::BeginWrite() {
  if (!store_->is_open) return Closed();
  HOURCELL_RETURN_IF_ERROR(store_->role->BeforeWrite());
  return StoreWriter(store_);
}

StoreImpl* StoreGates::process() const {
  return store_->is_open ? store_ : nullptr;
}

}  // namespace hourcell
