// SavedViewStore: the saved views of a store, in the system table:
//
//   key          value
//   view/<name>  the text of the view, UTF-8 that the engine does not read
//
// The functions of engine/saved_views.h are documented there, with their errors. Thread-safe.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/documents/text_rows.h"
#include "engine/names.h"
#include "engine/table/tables.h"

namespace hourcell {

class SavedViewStore {
 public:
  // `tables` is borrowed. With `sync` every write is synced before it returns.
  SavedViewStore(Tables* tables, bool sync) : rows_("view/", "view", tables, sync) {}

  // SavedViews::Find, Change and Visit.
  absl::StatusOr<std::optional<std::string>> Find(std::string_view name) const;
  absl::Status Change(std::string_view name, const DocumentChange& change);
  absl::Status Visit(
      const std::function<bool(std::string_view name, std::string_view text)>& visit) const;

 private:
  // kResourceExhausted: the store has kSavedViewsMax views.
  absl::Status CheckRoom() const;

  TextRows rows_;
};

}  // namespace hourcell
