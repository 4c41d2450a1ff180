// StorageEngine: where a store has its tables and its journal, if they are not in a directory of
// this machine. engine/bigtable has one.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/cluster_view.h"
#include "engine/journal/journal.h"
#include "engine/table/table_store.h"

namespace hourcell {

// Callbacks from a storage engine to a process about its role among the processes. All are called
// on threads of the engine, may be null, and must return soon.
struct StorageEvents {
  // Another process is the writer; clients reach it at `address`, which may be empty. Called again
  // when the writer changes.
  std::function<void(const std::string& address)> on_waiting;
  // This process lost the writer role: `why` is kFailedPrecondition. Called once.
  std::function<void(const absl::Status& why)> on_lost;
  // Asked while the process waits: true ends the wait with kCancelled.
  std::function<bool()> gives_up;
  // Whether nothing listens at `address` of a writer that has missed some heartbeats. The wait for
  // it is then shorter than for one that may be cut off.
  std::function<bool(const std::string& address)> is_gone;
  // Waits for `ms`, or until the process at a writer's address has died. Returns that address then,
  // once; else "". The engine then stops waiting for that writer. Null: the process just waits.
  std::function<std::string(int64_t ms)> await_death;
};

struct OpenedStorage {
  std::unique_ptr<TableStore> tables;  // outlives the journal
  std::unique_ptr<Journal> journal;
  // OK: when the call began, no other process had acknowledged anything since this one opened the
  // store; and a later writer reads everything that this one wrote before the call. A read calls it
  // after the read begins and before it reads data, a write after writing and before the
  // acknowledgement.
  // kFailedPrecondition: another process is the writer now. kUnavailable: unknown. Thread-safe.
  std::function<absl::Status()> check_is_writer;
  // kFailedPrecondition: it is already known that another process is the writer. Does not call the
  // storage. Thread-safe.
  std::function<absl::Status()> known_loss;
  // The processes on the store, in their last known state, this one first. Thread-safe.
  std::function<std::vector<ClusterNode>()> nodes;
  // Notifies followers of any change other than a new point, name or series, so that they reload.
  // Called after the change and before its acknowledgement. kUnavailable: they may have missed it.
  // Thread-safe.
  std::function<absl::Status()> note_change;
};

// The shared state of a writer and its followers, as one read sees it.
struct StoreMoment {
  uint64_t log_start = 0;  // blocks of the journal below it may be deleted
  uint64_t changes = 0;    // count of changes other than new points, names or series
};

// The journal of a store that another process writes to. Thread-safe.
class JournalTail {
 public:
  virtual ~JournalTail() = default;
  JournalTail(const JournalTail&) = delete;
  JournalTail& operator=(const JournalTail&) = delete;

  // Visits the blocks from `from` on, in order, up to the first missing one, and returns that one's
  // number. Visits all blocks that were acknowledged before the call, unless some were deleted:
  // then the log start, read afterwards, is above the number returned. An error of `visit` ends the
  // call and is returned. kUnavailable: retry.
  virtual absl::StatusOr<uint64_t> Read(uint64_t from, const Journal::Visit& visit) = 0;

  // The state at some moment after the call began. kUnavailable: retry.
  virtual absl::StatusOr<StoreMoment> Look() = 0;

 protected:
  JournalTail() = default;
};

struct FollowedStorage {
  std::unique_ptr<TableStore> tables;  // read only; outlives the journal
  std::unique_ptr<JournalTail> journal;
};

// Secrets known only to the processes on a store: kept in the store, and replaced from time to
// time.
struct SharedSecrets {
  std::string current = {};                // for new proofs
  std::vector<std::string> accepted = {};  // proofs with any of these are valid
  friend bool operator==(const SharedSecrets&, const SharedSecrets&) = default;
};

class StorageEngine {
 public:
  virtual ~StorageEngine() = default;

  // "bigtable": the name in errors.
  virtual std::string_view name() const = 0;

  // Called before Open, by a process that serves clients: `address` is where clients reach it.
  // Returns the secrets that the processes on the store share. Errors: as Open.
  virtual absl::StatusOr<SharedSecrets> Join(const std::string& address, StorageEvents events) = 0;

  // The secrets as they are now. A process that has joined calls it every kSecretsMs, on one
  // thread; the engine makes a new secret when the newest one is old. Errors: as Open.
  static constexpr int64_t kSecretsMs = 30'000;
  virtual absl::StatusOr<SharedSecrets> RefreshSecrets() = 0;

  // Opens the tables and the journal for this process alone; may wait for another process to end.
  // kFailedPrecondition: another process is the writer. kCancelled: the events gave up.
  virtual absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) = 0;

  // Opens the tables and the journal for reading, with or without a writer. Returns without waiting
  // for other processes, and may be called while another thread waits in Open. kNotFound: the store
  // does not exist yet. Other errors: as Open.
  virtual absl::StatusOr<FollowedStorage> Follow(
      const std::function<void(std::string_view message)>& warn) = 0;
};

}  // namespace hourcell
