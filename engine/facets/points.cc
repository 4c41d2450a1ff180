#include "engine/points.h"

#include <utility>

#include "codec/base/status_macros.h"
#include "engine/deletion/point_deleter.h"
#include "engine/store/gates.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

CommitTicket Points::Append(std::span<const PointView> points,
                            std::vector<RefusedPoint>* refused,
                            const AppendOptions& options) {
  if (refused != nullptr) refused->clear();
  const absl::StatusOr<StoreWriter> store = gates_->BeginWrite();
  if (!store.ok()) return CommitTicket(store.status());
  return store->writes().writer->Append(points, refused, options);
}

CommitTicket Points::Append(std::span<const LinePoint> points,
                            std::vector<RefusedPoint>* refused,
                            const AppendOptions& options) {
  if (refused != nullptr) refused->clear();
  const absl::StatusOr<StoreWriter> store = gates_->BeginWrite();
  if (!store.ok()) return CommitTicket(store.status());
  return store->writes().writer->Append(points, refused, options);
}

absl::Status Points::Put(const PointView& point) {
  std::vector<RefusedPoint> refused;
  const CommitTicket ticket = Append({&point, 1}, &refused);
  if (refused.empty()) return ticket.Wait();
  return StatusOfRefused(point.metric, refused.front().error);
}

absl::StatusOr<DeletedPoints> Points::DeletePoints(const QuerySpec& spec, QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  QueryControl own;
  PointDeleter deleter(*store->row_keys, {.executor = &store.reads().executor,
                                          .tables = store->tables.get(),
                                          .open_hours = store.writes().open_hours.get(),
                                          .sealer = store.writes().sealer.get(),
                                          .commit = store.writes().commit.get(),
                                          .expiry = &*store->expiry,
                                          .active = store.writes().active.get(),
                                          .dropper = store.writes().dropper.get(),
                                          .memory = store.reads().executor.memory()});
  absl::StatusOr<DeletedPoints> deleted = deleter.Delete(spec, control == nullptr ? &own : control);
  HOURCELL_RETURN_IF_ERROR(store.NoteChange(deleted.status()));
  return deleted;
}

}  // namespace hourcell
