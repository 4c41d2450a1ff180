// Maintenance: the work of operators and tools on an open store: sealing, flushes, LSM compaction,
// regions, salt, backups, checks and health. Of `Tsdb::maintenance`, and lives as long as its Tsdb.
//
//   tsdb->maintenance().Flush();                 // every point is in a file of a table
//   tsdb->maintenance().backups()->Make("/backup/hourcell");
//
// Thread-safe. kFailedPrecondition: the store is closed, or this process only reads it.
// kUnavailable: another process writes the store now.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <absl/status/status.h>

#include "engine/cluster_view.h"

namespace hourcell {

class AdoptionAdmin;
class BackupAdmin;
class FsckAdmin;
class RegionAdmin;
class SaltAdmin;
class StoreGates;

// Progress and cancellation of sealing all open hours.
struct SealControl {
  const std::atomic<bool>* cancelled = nullptr;  // borrowed; may be null
  // Called before the first piece and after each piece: the hours sealed, of those that were open
  // when sealing began. May be null.
  std::function<void(uint64_t done, uint64_t total)> progress = {};
};

// How a long merge of files is watched and ended.
struct CompactControl {
  std::atomic<bool>* cancelled = nullptr;  // borrowed; null: it cannot be cancelled
  // Called with the name of each table as its merge begins, and how many are done. May be null.
  std::function<void(std::string_view table, size_t done, size_t total)> progress = {};
};

// Whether an open store can take and keep points now, and why not. For probes of servers.
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

class Maintenance final {
 public:
  explicit Maintenance(StoreGates* gates) : gates_(gates) {}  // for Tsdb; borrowed

  // Empties the name and series caches.
  void DropCaches();

  // Seals hours that are due by the clock or by pressure, as the store does in the background. For
  // tests with a clock.
  absl::Status SealDue();

  // Computes the levels of Options::rollup_rules that are due by the clock, and those of hours that
  // changed and are sealed, as the store does in the background. For tests with a clock.
  absl::Status ComputeRollups();

  // Seals all open hours: every point is in a cell. The hours open again with their next point.
  // kCancelled: by `control`; hours sealed by then stay sealed, and the points of the others are in
  // the journal as before.
  absl::Status Seal(const SealControl& control = {});

  // Seals, writes all memory to files, and deletes the journal's blocks up to then.
  // kCancelled: as for Seal; the journal still has everything.
  absl::Status Flush(const SealControl& control = {});

  // Flushes, merges all files of each table, and returns when nothing is left to be merged: the
  // store at rest, as a backup or a measurement needs it. kCancelled: by `control`; hours and files
  // sealed and merged by then stay so.
  absl::Status Compact(const CompactControl& control = {});

  // The administration of one part each. The objects live as long as the Tsdb; none is null.
  RegionAdmin* regions();     // engine/region_admin.h
  SaltAdmin* salt();          // engine/salt_admin.h
  BackupAdmin* backups();     // engine/backup_admin.h
  FsckAdmin* fsck();          // engine/fsck_admin.h
  AdoptionAdmin* adoption();  // engine/adoption_admin.h

  // Whether the store can store and keep points now. Cheap, except for one query of the file
  // system's free space.
  StoreHealth Health();

  // The processes that share the store, in their last known state, without a read.
  ClusterView Cluster();

 private:
  StoreGates* const gates_;
};

}  // namespace hourcell
