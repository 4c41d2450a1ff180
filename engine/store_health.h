// StoreHealth: whether an open store can take and keep points now, and why not. For probes of
// servers: Tsdb::Health.

#pragma once

#include <cstdint>
#include <optional>

#include <absl/status/status.h>

namespace hourcell {

struct StoreHealth {
  bool is_open = false;  // false: the other members say nothing
  // OK: the last block of points was written to the journal. Otherwise the error; the write is
  // retried, unless `must_reopen`.
  absl::Status journal;
  // The journal refuses blocks until the store is opened again: an fsync failed.
  bool must_reopen = false;
  // OK if there is room for more points; else the full resource, as in the error of an append.
  absl::Status room;
  // Free bytes of the store's file system for this user; nullopt if unknown.
  std::optional<uint64_t> disk_free_bytes = {};
};

}  // namespace hourcell
