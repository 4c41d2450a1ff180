#include "engine/points.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "codec/base/status_macros.h"
#include "engine/deletion/deletion_log.h"
#include "engine/deletion/hidden_selection.h"
#include "engine/deletion/histogram_deleter.h"
#include "engine/deletion/metric_batches.h"
#include "engine/deletion/point_counter.h"
#include "engine/deletion/point_deleter.h"
#include "engine/rollups/keeper/level_deletion.h"
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
                        .virtual_metrics = store->virtual_metrics.get(),
                        .memory = store.reads().executor.memory(),
                        .clock = store->clock,
                        .timeout_ms = store->options.query_timeout_ms});
}

HistogramDeletion HistogramDeletionOf(const StoreWriter& store) {
  return {.planner = &store.reads().planner,
          .histograms = store.writes().histograms.get(),
          .dropper = store.writes().dropper.get(),
          .sync = store->options.sync == Durability::kAlways};
}

using DeleteBatch = std::function<absl::Status(const QuerySpec& batch)>;

// Deletes batches of `spec`: `delete_points`, and before that the levels of rollups by rules.
DeleteBatch BatchWithLevels(const StoreWriter& store,
                            const QuerySpec& spec,
                            const DeleteBatch& delete_points) {
  RollupMarks* const marks = store.writes().rollup_marks.get();
  if (marks == nullptr) return delete_points;
  const bool of_all_metrics = std::ranges::any_of(spec.queries, [](const SubQuery& query) {
    return query.metric.empty() && query.tsuids.empty();
  });
  const LevelDeletion levels(
      store->options.layout,
      {.marks = marks, .uids = store->uids.get(), .expiry = &*store->expiry});
  return [levels, of_all_metrics, delete_points](const QuerySpec& batch) {
    return levels.Delete(batch, of_all_metrics, delete_points);
  };
}

// Changes points while no rollup is computed. `rollups` is null without rules.
absl::Status ChangeAtRest(RollupKeeper* rollups, const std::function<absl::Status()>& change) {
  return rollups == nullptr ? change() : rollups->WhileAtRest(change);
}

// Points::DeletePoints, so that it can be undone: all series of all batches are one delete.
absl::StatusOr<DeletedPoints> HideSelected(const StoreWriter& store,
                                           RollupKeeper* rollups,
                                           const QuerySpec& spec,
                                           QueryControl* control) {
  MemoryLease lease(store.reads().executor.memory(), control);
  MemoryHold hold(&lease);
  HiddenSelection selection;
  const HistogramDeletion histograms = HistogramDeletionOf(store);
  DeletedPoints deleted;
  const auto select = [&](const QuerySpec& some) {
    return selection.Add(store.reads().planner, some, &hold);
  };
  // The marks are written before the points are hidden: no level is computed in between.
  const auto hide = [&]() -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(
        BatchesOf(store).ForEach(spec, control, BatchWithLevels(store, spec, select)));
    selection.Finish();
    deleted.series = selection.series();
    if (deleted.series == 0) return absl::OkStatus();
    HOURCELL_ASSIGN_OR_RETURN(deleted.undo_id, store.writes().deletions->Hide(selection));
    return absl::OkStatus();
  };
  HOURCELL_RETURN_IF_ERROR(store.NoteChange(ChangeAtRest(rollups, hide)));
  const auto delete_histograms = [&](const QuerySpec& batch) -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t of_batch, DeleteHistograms(histograms, batch));
    deleted.histograms += of_batch;
    return absl::OkStatus();
  };
  const absl::Status without_histograms =
      store.NoteChange(BatchesOf(store).ForEach(spec, control, delete_histograms));
  if (deleted.undo_id != 0) store.writes().deletions->Unlist(selection);
  HOURCELL_RETURN_IF_ERROR(without_histograms);
  return deleted;
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

absl::Status Points::AppendHistograms(std::span<const HistogramPoint> histograms,
                                      std::vector<RefusedPoint>* refused,
                                      const AppendOptions& options) {
  if (refused != nullptr) refused->clear();
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  size_t new_series = 0;
  absl::Status written =
      store.writes().histogram_writer->Append(histograms, refused, options, &new_series);
  // No block of the journal names the new series to processes that follow the store.
  return new_series > 0 ? store.NoteChange(std::move(written))
                        : store.Acknowledge(std::move(written));
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
  RollupKeeper* const rollups = gates_->lasting()->rollups.get();
  if (store->options.undo_s > 0) return HideSelected(store, rollups, spec, control);
  PointDeleter deleter(*store->row_keys, {.executor = &store.reads().executor,
                                          .tables = store->tables.get(),
                                          .open_hours = store.writes().open_hours.get(),
                                          .sealer = store.writes().sealer.get(),
                                          .commit = store.writes().commit.get(),
                                          .expiry = &*store->expiry,
                                          .active = store.writes().active.get(),
                                          .dropper = store.writes().dropper.get(),
                                          .memory = store.reads().executor.memory()});
  const HistogramDeletion histograms = HistogramDeletionOf(store);
  DeletedPoints deleted;
  const auto delete_points = [&](const QuerySpec& batch) -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(const DeletedPoints of_batch, deleter.Delete(batch, control));
    deleted.points += of_batch.points;
    deleted.rows += of_batch.rows;
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t of_series, DeleteHistograms(histograms, batch));
    deleted.histograms += of_series;
    return absl::OkStatus();
  };
  const auto delete_all = [&] {
    return BatchesOf(store).ForEach(spec, control, BatchWithLevels(store, spec, delete_points));
  };
  HOURCELL_RETURN_IF_ERROR(store.NoteChange(ChangeAtRest(rollups, delete_all)));
  return deleted;
}

absl::StatusOr<std::vector<Deletion>> Points::Deletions() {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(gates_->CheckAnswer());
  return store.writes().deletions->List();
}

absl::Status Points::Undo(uint64_t id) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(gates_->CheckAnswer());
  const auto undo = [&] { return store.writes().deletions->Undo(id); };
  return store.NoteChange(ChangeAtRest(gates_->lasting()->rollups.get(), undo));
}

absl::Status Points::Forget(uint64_t id) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(gates_->CheckAnswer());
  return store.NoteChange(store.writes().deletions->Forget(id));
}

absl::StatusOr<CountedPoints> Points::CountPoints(const QuerySpec& spec, QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  QueryControl own;
  if (control == nullptr) control = &own;
  const std::shared_ptr<OpenHours> hours = store.hours();
  const std::unique_ptr<TableView> view = store->tables->Snapshot();
  CountedPoints counted;
  const auto count_batch = [&](const QuerySpec& batch) -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(
        CountSelected(batch, store.reads().executor, hours.get(), control, &counted));
    HOURCELL_ASSIGN_OR_RETURN(
        const uint64_t histograms,
        CountHistograms(store.reads().planner, *store->row_keys, view.get(), batch));
    counted.histograms += histograms;
    return absl::OkStatus();
  };
  HOURCELL_RETURN_IF_ERROR(
      store->losses.Note(BatchesOf(store).ForEach(spec, control, count_batch)));
  return counted;
}

}  // namespace hourcell
