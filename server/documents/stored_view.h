// StoredView: a saved view as a store keeps it, engine/saved_views.h: a line of JSON about the last
// change, and the document as its author wrote it.
//
//   {"changed":1357300800000,"by":"anna"}\n
//   {"version": 1, ...
//
// Pure functions; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

struct StoredView {
  int64_t changed_ms = 0;
  std::string by = {};  // empty: a user without a login
  std::string document = {};
};

std::string PrintStoredView(const StoredView& view);

// kDataLoss: PrintStoredView did not write it.
absl::StatusOr<StoredView> ParseStoredView(std::string_view text);

// The entity tag of a state of a view, with its quotes: two states that differ in their document or
// in the time of their change have different ones.
std::string EntityTagOf(const StoredView& view);

}  // namespace hourcell
