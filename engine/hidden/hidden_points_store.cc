#include "engine/hidden/hidden_points_store.h"

#include <algorithm>
#include <iterator>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/hidden/hidden_view.h"
#include "engine/hidden/hidden_writes.h"

// Why a store around the storage's, and not a rule in each reader and in the sealer: queries,
// scans, last points, exports, checks and deletes read and write rows; each would need the rule.
// The tables have the keys 'U' in the same snapshot as the rows, so no reader sees a row and a key
// that do not belong together, and memory holds the deletes alone.

namespace hourcell {

void HiddenPointsStore::Open(const RowKeyCodec* row_keys) {
  HOURCELL_CHECK(row_keys_ == nullptr);
  row_keys_ = row_keys;
}

void HiddenPointsStore::Hide(HiddenPoints::List list) {
  HOURCELL_CHECK(row_keys_ != nullptr);
  HOURCELL_DCHECK(list.empty() || capabilities().Has(TableCapability::kAtomicGroups));
  std::shared_ptr<const HiddenPoints> hidden;
  if (!list.empty()) hidden = std::make_shared<const HiddenPoints>(row_keys_, std::move(list));
  MutexLock lock(&mutex_);
  hidden_ = std::move(hidden);
  hides_any_.store(hidden_ != nullptr, std::memory_order_release);
}

std::shared_ptr<const HiddenPoints> HiddenPointsStore::hidden() const {
  if (!hides_any_.load(std::memory_order_acquire)) return nullptr;
  MutexLock lock(&mutex_);
  return hidden_;
}

absl::StatusOr<HiddenPointsStore::DividedGroup> HiddenPointsStore::Divide(
    std::span<const Mutation> group) const {
  DividedGroup divided;
  const std::shared_ptr<const HiddenPoints> hidden = this->hidden();
  if (hidden == nullptr || !MayHaveHiddenPoints(*hidden, group)) return divided;
  const std::unique_ptr<TableView> view = stored_->Snapshot();
  HOURCELL_RETURN_IF_ERROR(
      HiddenWrites(hidden.get(), view.get()).Divide(group, &divided.changed, &divided.others));
  return divided;
}

absl::Status HiddenPointsStore::Apply(std::span<const Mutation> group, bool sync) {
  HOURCELL_ASSIGN_OR_RETURN(DividedGroup divided, Divide(group));
  if (divided.changed.empty()) return stored_->Apply(group, sync);
  std::ranges::move(divided.changed, std::back_inserter(divided.others));
  return stored_->Apply(divided.others, sync);
}

absl::Status HiddenPointsStore::ApplyAtOnce(std::span<const Mutation> group, bool sync) {
  HOURCELL_ASSIGN_OR_RETURN(DividedGroup divided, Divide(group));
  if (divided.changed.empty()) return stored_->ApplyAtOnce(group, sync);
  std::ranges::move(divided.changed, std::back_inserter(divided.others));
  return stored_->ApplyAtOnce(divided.others, sync);
}

// The points that are taken out must not be lost, and the row must not have them without its key
// 'U': both are one logged group. Points of the journal in it are merged again by a replay.
absl::Status HiddenPointsStore::ApplyUnlogged(std::span<const Mutation> group) {
  HOURCELL_ASSIGN_OR_RETURN(const DividedGroup divided, Divide(group));
  if (divided.changed.empty()) return stored_->ApplyUnlogged(group);
  HOURCELL_KILL_POINT("hidden:before_taken_out");
  HOURCELL_RETURN_IF_ERROR(stored_->Apply(divided.changed, /*sync=*/true));
  HOURCELL_KILL_POINT("hidden:taken_out");
  if (divided.others.empty()) return absl::OkStatus();
  return stored_->ApplyUnlogged(divided.others);
}

std::unique_ptr<TableView> HiddenPointsStore::Snapshot() {
  return Show([this] { return stored_->Snapshot(); });
}

std::unique_ptr<TableView> HiddenPointsStore::SnapshotInMemory() {
  return Show([this] { return stored_->SnapshotInMemory(); });
}

// A view of rows and the deletes of the same moment: an undo moves points back into rows only after
// its delete hides nothing more.
std::unique_ptr<TableView> HiddenPointsStore::Show(
    const std::function<std::unique_ptr<TableView>()>& take_view) const {
  while (true) {
    std::shared_ptr<const HiddenPoints> hidden = this->hidden();
    std::unique_ptr<TableView> view = take_view();
    if (hidden != this->hidden()) continue;
    if (hidden == nullptr) return view;
    return std::make_unique<HiddenView>(std::move(hidden), std::move(view));
  }
}

}  // namespace hourcell
