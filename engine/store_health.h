// StoreHealth: whether an open store can take and keep points right now, and what keeps it from
// that. For probes of servers: Tsdb::Health.

#pragma once

#include <cstdint>
#include <optional>

#include <absl/status/status.h>

namespace hourcell {

struct StoreHealth {
  bool is_open = false;  // false: the other members say nothing
  // OK: the last block of points was written to the journal. Else why it was not; it is tried
  // again, unless `must_reopen`.
  absl::Status journal;
  // The journal takes no more blocks until the store is opened again: an fsync failed.
  bool must_reopen = false;
  // OK: there is room for more points. Else what is full, as an append is told.
  absl::Status room;
  // What the store's file system has left for this user; nothing if it does not say.
  std::optional<uint64_t> disk_free_bytes = {};
};

}  // namespace hourcell
