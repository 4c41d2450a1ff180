#include "engine/store/gates.h"

#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {
namespace {

absl::Status Closed() {
  return absl::FailedPreconditionError("store is closed");
}

}  // namespace

StoreCore* StoreReader::operator->() const {
  return &store_->core;
}

ReadSide& StoreReader::reads() const {
  return *store_->read;
}

TtlAdmin& StoreReader::ttls() const {
  return *store_->ttls;
}

std::shared_ptr<OpenHours> StoreReader::hours() const {
  return store_->HoursToRead();
}

StoreCore* StoreWriter::operator->() const {
  return &store_->core;
}

ReadSide& StoreWriter::reads() const {
  return *store_->read;
}

// A role that lets a write begin has a write side.
WriteSide& StoreWriter::writes() const {
  return *store_->write;
}

TtlAdmin& StoreWriter::ttls() const {
  return *store_->ttls;
}

void StoreWriter::DropCaches() const {
  store_->DropCaches();
}

absl::Status StoreWriter::Acknowledge(absl::Status written) const {
  return store_->core.role->Acknowledge(std::move(written));
}

absl::Status StoreWriter::NoteChange(absl::Status changed) const {
  return store_->core.role->NoteChange(std::move(changed));
}

absl::Status StoreWriter::NoteAnnotation() const {
  return store_->core.role->NoteAnnotation();
}

absl::StatusOr<StoreReader> StoreGates::BeginRead(bool at_once) {
  if (!store_->core.is_open) return Closed();
  HOURCELL_RETURN_IF_ERROR(store_->core.role->BeforeRead(at_once));
  return StoreReader(store_);
}

absl::StatusOr<StoreWriter> StoreGates::BeginWrite() {
  if (!store_->core.is_open) return Closed();
  HOURCELL_RETURN_IF_ERROR(store_->core.role->BeforeWrite());
  HOURCELL_CHECK(store_->write != nullptr);
  return StoreWriter(store_);
}

absl::Status StoreGates::CheckAnswer() {
  const absl::Status read = BeginRead().status();
  const bool is_replaced = store_->core.is_open && absl::IsFailedPrecondition(read);
  return is_replaced ? absl::UnavailableError(read.message()) : read;
}

StoreImpl* StoreGates::process() const {
  return store_->core.is_open ? store_ : nullptr;
}

}  // namespace hourcell
