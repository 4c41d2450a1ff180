// SharedStorage: the part of a storage engine whose store several processes share. One of them
// writes; the others wait for the writer role, and follow the writer meanwhile.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/storage/journal_tail.h"
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

// Secrets known only to the processes on a store: kept in the store, and replaced from time to
// time.
struct SharedSecrets {
  std::string current = {};                // for new proofs
  std::vector<std::string> accepted = {};  // proofs with any of these are valid
  friend bool operator==(const SharedSecrets&, const SharedSecrets&) = default;
};

struct FollowedStorage {
  std::unique_ptr<TableStore> tables;  // read only; outlives the journal
  std::unique_ptr<JournalTail> journal;
};

class SharedStorage {
 public:
  virtual ~SharedStorage() = default;

  // Called before StorageEngine::Open, by a process that serves clients: `address` is where clients
  // reach it. Returns the secrets that the processes on the store share. Errors: as Open.
  virtual absl::StatusOr<SharedSecrets> Join(const std::string& address, StorageEvents events) = 0;

  // The secrets as they are now. A process that has joined calls it every kSecretsMs, on one
  // thread; the engine makes a new secret when the newest one is old. Errors: as Open.
  static constexpr int64_t kSecretsMs = 30'000;
  virtual absl::StatusOr<SharedSecrets> RefreshSecrets() = 0;

  // Opens the tables and the journal for reading, with or without a writer. Returns without waiting
  // for other processes, and may be called while another thread waits in Open. kNotFound: the store
  // does not exist yet. Other errors: as Open.
  virtual absl::StatusOr<FollowedStorage> Follow(
      const std::function<void(std::string_view message)>& warn) = 0;
};

}  // namespace hourcell
