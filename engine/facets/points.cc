#include "engine/points.h"

#include <memory>
#include <utility>

#include "codec/base/status_macros.h"
#include "engine/deletion/metric_batches.h"
#include "engine/deletion/point_counter.h"
#include "engine/deletion/point_deleter.h"
#include "engine/store/gates.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {
namespace {

// `store` is a StoreReader or a StoreWriter.
template <typename Store>
MetricBatches BatchesOf(const Store& store) {
  return MetricBatches({.planner = &store.reads().planner,
                        .series = store->series.get(),
                        .uids = store->uids.get(),
                        .memory = store.reads().executor.memory(),
                        .clock = store->clock,
                        .timeout_ms = store->options.query_timeout_ms});
}

}  // namespace

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
  if (control == nullptr) control = &own;
  PointDeleter deleter(*store->row_keys, {.executor = &store.reads().executor,
                                          .tables = store->tables.get(),
                                          .open_hours = store.writes().open_hours.get(),
                                          .sealer = store.writes().sealer.get(),
                                          .commit = store.writes().commit.get(),
                                          .expiry = &*store->expiry,
                                          .active = store.writes().active.get(),
                                          .dropper = store.writes().dropper.get(),
                                          .memory = store.reads().executor.memory()});
  DeletedPoints deleted;
  const auto delete_batch = [&](const QuerySpec& batch) -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(const DeletedPoints of_batch, deleter.Delete(batch, control));
    deleted.points += of_batch.points;
    deleted.rows += of_batch.rows;
    return absl::OkStatus();
  };
  HOURCELL_RETURN_IF_ERROR(store.NoteChange(BatchesOf(store).ForEach(spec, control, delete_batch)));
  return deleted;
}

absl::StatusOr<CountedPoints> Points::CountPoints(const QuerySpec& spec, QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  QueryControl own;
  if (control == nullptr) control = &own;
  const std::shared_ptr<OpenHours> hours = store.hours();
  CountedPoints counted;
  const auto count_batch = [&](const QuerySpec& batch) {
    return CountSelected(batch, store.reads().executor, hours.get(), control, &counted);
  };
  HOURCELL_RETURN_IF_ERROR(
      store->losses.Note(BatchesOf(store).ForEach(spec, control, count_batch)));
  return counted;
}

}  // namespace hourcell
