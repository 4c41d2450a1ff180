// SavedViews: texts that users save under a name, for the graphs and dashboards of a page. Of
// `Tsdb::saved_views`, and lives as long as its Tsdb.
//
//   const auto text = tsdb->saved_views().Find("Web servers");
//
// The engine keeps the texts and does not read them. Backups include them. Thread-safe.
// kInvalidArgument: not a name. kFailedPrecondition: the store is closed, or a change in a process
// that only reads the store. kUnavailable: another process writes the store now. Other errors are
// the storage's.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/names.h"

namespace hourcell {

class StoreGates;

// The views of a store, and the bytes of a name. A text has at most kDocumentBytesMax bytes.
inline constexpr size_t kSavedViewsMax = 1'000;
inline constexpr size_t kSavedViewNameBytesMax = 200;

class SavedViews final {
 public:
  explicit SavedViews(StoreGates* gates) : gates_(gates) {}  // for Tsdb; borrowed

  // The text of a view; nullopt: not found. A name is UTF-8 without control characters, "/", and
  // blanks at its ends, and neither "." nor "..".
  absl::StatusOr<std::optional<std::string>> Find(std::string_view name);

  // Creates, changes or removes a view; one change at a time, so `change` must be quick. Also
  // kInvalidArgument: the next text is not UTF-8, or longer than kDocumentBytesMax;
  // kResourceExhausted: the store has kSavedViewsMax views; the errors of `change`.
  absl::Status Change(std::string_view name, const DocumentChange& change);

  // Visits all views by name, in byte order, until `visit` returns false.
  absl::Status Visit(
      const std::function<bool(std::string_view name, std::string_view text)>& visit);

 private:
  StoreGates* const gates_;
};

}  // namespace hourcell
