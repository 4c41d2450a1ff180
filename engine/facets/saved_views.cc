#include "engine/saved_views.h"

#include "codec/base/status_macros.h"
#include "engine/store/gates.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {

absl::StatusOr<std::optional<std::string>> SavedViews::Find(std::string_view name) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->losses.Note(store->saved_views->Find(name));
}

absl::Status SavedViews::Change(std::string_view name, const DocumentChange& change) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  return store.Acknowledge(store->saved_views->Change(name, change));
}

absl::Status SavedViews::Visit(
    const std::function<bool(std::string_view name, std::string_view text)>& visit) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->losses.Note(store->saved_views->Visit(visit));
}

}  // namespace hourcell
