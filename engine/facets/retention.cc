#include "engine/retention.h"

#include <memory>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/rollups/keeper/rollup_estimate.h"
#include "engine/store/gates.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

absl::Status RetentionAdmin::SetMetricTtl(std::string_view metric, std::optional<int64_t> ttl_s) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  return store.NoteChange(store.ttls().Set(metric, ttl_s));
}

int64_t RetentionAdmin::store_ttl_s() const {
  return gates_->lasting()->core.retention.rules()->store_ttl_s;
}

absl::StatusOr<std::vector<MetricTtl>> RetentionAdmin::MetricTtls() {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store.ttls().List();
}

absl::StatusOr<std::vector<ShortenedTtl>> RetentionAdmin::ShortenedTtls() {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(gates_->CheckAnswer());
  return store.ttls().Shortened();
}

absl::Status RetentionAdmin::UndoTtl(uint64_t id) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(gates_->CheckAnswer());
  const auto undo = [&] { return store.ttls().Undo(id); };
  RollupKeeper* const rollups = gates_->lasting()->rollups.get();
  return store.NoteChange(rollups == nullptr ? undo() : rollups->WhileAtRest(undo));
}

absl::Status RetentionAdmin::ForgetTtl(uint64_t id) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  HOURCELL_RETURN_IF_ERROR(gates_->CheckAnswer());
  return store.NoteChange(store.ttls().Forget(id));
}

namespace {

absl::StatusOr<RollupKeeper*> KeeperOf(StoreGates* gates) {
  HOURCELL_RETURN_IF_ERROR(gates->BeginWrite().status());
  RollupKeeper* const keeper = gates->lasting()->rollups.get();
  if (keeper != nullptr) return keeper;
  return absl::FailedPreconditionError("rollups: expected the setting tsd.rollups.rules, got none");
}

}  // namespace

absl::StatusOr<std::vector<RollupProgress>> RetentionAdmin::Rollups() {
  HOURCELL_ASSIGN_OR_RETURN(RollupKeeper* const keeper, KeeperOf(gates_));
  return keeper->Progress();
}

absl::Status RetentionAdmin::RebuildRollups(std::string_view metric, int64_t start_s) {
  HOURCELL_ASSIGN_OR_RETURN(RollupKeeper* const keeper, KeeperOf(gates_));
  return keeper->Rebuild(metric, start_s);
}

absl::StatusOr<std::vector<RollupEstimate>> RetentionAdmin::EstimateRollups(
    const MetricRules& rules, int64_t time_s, QueryControl* control) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  if (time_s < 0) {
    return absl::InvalidArgumentError(
        fmt::format("time of the day: expected 0 or more, got {}", time_s));
  }
  constexpr int64_t kSecondsOfDay = 86'400;
  const std::shared_ptr<OpenHours> hours = store.hours();
  QueryControl own;
  return store->losses.Note(hourcell::EstimateRollups(
      {.executor = &store.reads().executor,
       .open_hours = hours.get(),
       .uids = store->uids.get(),
       .virtual_metrics = store->virtual_metrics.get()},
      rules, time_s - time_s % kSecondsOfDay, control == nullptr ? &own : control));
}

absl::StatusOr<uint64_t> RetentionAdmin::DropExpired() {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  absl::StatusOr<uint64_t> freed = store.writes().DropExpired();
  HOURCELL_RETURN_IF_ERROR(store.Acknowledge(freed.status()));
  return freed;
}

}  // namespace hourcell
