// StorageEngine: where a store has its tables and its journal, if they are not in a directory of
// this machine. engine/bigtable has one.

#pragma once

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
};

struct OpenedStorage {
  std::unique_ptr<TableStore> tables;  // outlives the journal
  std::unique_ptr<Journal> journal;
  // OK: when the call began, no other process had acknowledged a point since this one opened the
  // store. It is asked after a query has begun and before it reads. kFailedPrecondition: another
  // process is the writer now. kUnavailable: it is not known. Thread-safe.
  std::function<absl::Status()> check_is_writer;
  // The processes on the store as this one saw them a moment ago, itself first. Thread-safe.
  std::function<std::vector<ClusterNode>()> nodes;
};

class StorageEngine {
 public:
  virtual ~StorageEngine() = default;

  // "bigtable": as errors name it.
  virtual std::string_view name() const = 0;

  // Before Open, by a process that serves clients: `address` is where they find it. Returns a
  // secret that the processes on the store share, and nobody else: it is kept in the store.
  // Errors: as Open.
  virtual absl::StatusOr<std::string> Join(const std::string& address, StorageEvents events) = 0;

  // Opens the tables and the journal for this process alone; may wait for another process to end.
  // kFailedPrecondition: another process is the writer. kCancelled: the events gave up.
  virtual absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) = 0;
};

}  // namespace hourcell
