#include "engine/retention.h"

#include "codec/base/status_macros.h"
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

absl::StatusOr<uint64_t> RetentionAdmin::DropExpired() {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  absl::StatusOr<uint64_t> freed = store.writes().DropExpired();
  HOURCELL_RETURN_IF_ERROR(store.Acknowledge(freed.status()));
  return freed;
}

}  // namespace hourcell
