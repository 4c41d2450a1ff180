#include "engine/tsdb.h"

#include <utility>

#include "codec/base/status_macros.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

Tsdb::Tsdb(std::unique_ptr<StoreImpl> impl)
    : impl_(std::move(impl)),
      points_(&impl_->gates),
      queries_(&impl_->gates),
      names_(&impl_->gates),
      annotations_(&impl_->gates),
      saved_views_(&impl_->gates),
      retention_(&impl_->gates),
      maintenance_(&impl_->gates) {}

Tsdb::~Tsdb() {
  Close().IgnoreError();
}  // a destructor cannot report

absl::StatusOr<std::unique_ptr<Tsdb>> Tsdb::Open(const Options& options) {
  HOURCELL_RETURN_IF_ERROR(options.Validate());
  auto impl = std::make_unique<StoreImpl>(options);
  HOURCELL_RETURN_IF_ERROR(impl->Open());
  return std::make_unique<Tsdb>(std::move(impl));
}

Stats& Tsdb::stats() {
  return impl_->core.stats;
}

const Layout& Tsdb::layout() const {
  return impl_->core.options.layout;
}

absl::Status Tsdb::Close() {
  return impl_->Close();
}

}  // namespace hourcell
