#include "engine/retention.h"

#include "codec/base/status_macros.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

absl::Status RetentionAdmin::SetMetricTtl(std::string_view metric, std::optional<int64_t> ttl_s) {
  HOURCELL_RETURN_IF_ERROR(store_->CheckWrites());
  return store_->NoteChange(store_->ttls->Set(metric, ttl_s));
}

int64_t RetentionAdmin::store_ttl_s() const {
  return store_->retention.rules()->store_ttl_s;
}

absl::StatusOr<std::vector<MetricTtl>> RetentionAdmin::MetricTtls() {
  HOURCELL_RETURN_IF_ERROR(store_->CheckReads());
  return store_->ttls->List();
}

absl::StatusOr<uint64_t> RetentionAdmin::DropExpired() {
  HOURCELL_RETURN_IF_ERROR(store_->CheckWrites());
  absl::StatusOr<uint64_t> freed = store_->DropExpired();
  HOURCELL_RETURN_IF_ERROR(store_->Acknowledge(freed.status()));
  return freed;
}

}  // namespace hourcell
