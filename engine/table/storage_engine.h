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

// What a storage engine tells a process of its place among others, and asks it. All are called on
// threads of the engine, may be null, and must return soon.
struct StorageEvents {
  // Another process writes, and its clients find it at `address`, which may be empty. Called again
  // when another one does.
  std::function<void(const std::string& address)> on_waiting;
  // This process was the writer, and is not any more: `why` is kFailedPrecondition. Once.
  std::function<void(const absl::Status& why)> on_lost;
  // Asked while the process waits: true ends the wait with kCancelled.
  std::function<bool()> gives_up;
  // Whether nothing listens at `address`, which belongs to a writer that has missed some beats. It
  // is then not waited for as long as for one that may be cut off.
  std::function<bool(const std::string& address)> is_gone;
  // Waits for `ms`, or until it is seen that the process at a writer's address has died: returns
  // that address then, once; else nothing. That writer is not waited for any longer. Null: the
  // process just waits.
  std::function<std::string(int64_t ms)> await_death;
};

struct OpenedStorage {
  std::unique_ptr<TableStore> tables;  // outlives the journal
  std::unique_ptr<Journal> journal;
  // OK: when the call began, no other process had acknowledged anything since this one opened the
  // store; and whatever this one wrote before the call, a later writer reads. A read asks it after
  // it has begun and before it reads, a write after it has written and before it is acknowledged.
  // kFailedPrecondition: another process is the writer now. kUnavailable: it is not known.
  // Thread-safe.
  std::function<absl::Status()> check_is_writer;
  // kFailedPrecondition: it is known already that another process is the writer. Asks nobody.
  // Thread-safe.
  std::function<absl::Status()> known_loss;
  // The processes on the store as this one saw them a moment ago, itself first. Thread-safe.
  std::function<std::vector<ClusterNode>()> nodes;
  // Tells processes that follow the store that something was changed which is no new point, name or
  // series: they read anew what they have in memory. It is called after the change and before it is
  // acknowledged. kUnavailable: perhaps they were not told. Thread-safe.
  std::function<absl::Status()> note_change;
};

// What the writer of a store and those that read it know of each other, as one read sees it.
struct StoreMoment {
  uint64_t front = 0;    // blocks of the journal below it may be deleted
  uint64_t changes = 0;  // how often something was changed that is no new point, name or series
};

// The journal of a store that another process writes to. Thread-safe.
class JournalTail {
 public:
  virtual ~JournalTail() = default;
  JournalTail(const JournalTail&) = delete;
  JournalTail& operator=(const JournalTail&) = delete;

  // Visits the blocks from `from` on, in order, up to the first that is not there, and returns the
  // number of that one. All blocks that were acknowledged before the call are visited, unless some
  // were deleted: then the front is above the number that is returned, if it is read afterwards.
  // An error of `visit` ends it and is returned. kUnavailable: try again.
  virtual absl::StatusOr<uint64_t> Read(uint64_t from, const Journal::Visit& visit) = 0;

  // What is so at some moment after the call began. kUnavailable: try again.
  virtual absl::StatusOr<StoreMoment> Look() = 0;

 protected:
  JournalTail() = default;
};

struct FollowedStorage {
  std::unique_ptr<TableStore> tables;  // read only; outlives the journal
  std::unique_ptr<JournalTail> journal;
};

// What the processes on a store know, and nobody else: it is kept in the store, and replaced from
// time to time.
struct SharedSecrets {
  std::string current = {};                // proofs are made with it
  std::vector<std::string> accepted = {};  // and taken that are made with any of these
  friend bool operator==(const SharedSecrets&, const SharedSecrets&) = default;
};

class StorageEngine {
 public:
  virtual ~StorageEngine() = default;

  // "bigtable": as errors name it.
  virtual std::string_view name() const = 0;

  // Before Open, by a process that serves clients: `address` is where they find it. Returns the
  // secrets that the processes on the store share. Errors: as Open.
  virtual absl::StatusOr<SharedSecrets> Join(const std::string& address, StorageEvents events) = 0;

  // The secrets as they are now. A process that has joined calls it every kSecretsMs, on one
  // thread; the engine makes a new secret when the newest one is old. Errors: as Open.
  static constexpr int64_t kSecretsMs = 30'000;
  virtual absl::StatusOr<SharedSecrets> RefreshSecrets() = 0;

  // Opens the tables and the journal for this process alone; may wait for another process to end.
  // kFailedPrecondition: another process is the writer. kCancelled: the events gave up.
  virtual absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) = 0;

  // Opens the tables and the journal to be read while another process writes, or none does. Waits
  // for nobody, and may be called while another thread waits in Open. kNotFound: there is no store
  // yet. Other errors: as Open.
  virtual absl::StatusOr<FollowedStorage> Follow(
      const std::function<void(std::string_view message)>& warn) = 0;
};

}  // namespace hourcell
