#include "engine/points.h"

#include <utility>

#include "codec/base/status_macros.h"
#include "engine/deletion/point_deleter.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

CommitTicket Points::Append(std::span<const PointView> points,
                            std::vector<RefusedPoint>* refused,
                            const AppendOptions& options) {
  if (refused != nullptr) refused->clear();
  if (absl::Status writes = store_->CheckWrites(); !writes.ok()) {
    return CommitTicket(std::move(writes));
  }
  return store_->writer->Append(points, refused, options);
}

CommitTicket Points::Append(std::span<const LinePoint> points,
                            std::vector<RefusedPoint>* refused,
                            const AppendOptions& options) {
  if (refused != nullptr) refused->clear();
  if (absl::Status writes = store_->CheckWrites(); !writes.ok()) {
    return CommitTicket(std::move(writes));
  }
  return store_->writer->Append(points, refused, options);
}

absl::Status Points::Put(const PointView& point) {
  std::vector<RefusedPoint> refused;
  const CommitTicket ticket = Append({&point, 1}, &refused);
  if (refused.empty()) return ticket.Wait();
  return StatusOfRefused(point.metric, refused.front().error);
}

absl::StatusOr<DeletedPoints> Points::DeletePoints(const QuerySpec& spec, QueryControl* control) {
  HOURCELL_RETURN_IF_ERROR(store_->CheckWrites());
  QueryControl own;
  PointDeleter deleter(*store_->row_keys, {.executor = store_->executor.get(),
                                           .tables = store_->tables.get(),
                                           .open_hours = store_->open_hours.get(),
                                           .sealer = store_->sealer.get(),
                                           .commit = store_->commit.get(),
                                           .expiry = &*store_->expiry,
                                           .active = store_->active.get(),
                                           .dropper = store_->dropper.get(),
                                           .memory = store_->executor->memory()});
  absl::StatusOr<DeletedPoints> deleted = deleter.Delete(spec, control == nullptr ? &own : control);
  HOURCELL_RETURN_IF_ERROR(store_->NoteChange(deleted.status()));
  return deleted;
}

}  // namespace hourcell
