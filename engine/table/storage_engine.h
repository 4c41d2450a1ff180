// StorageEngine: where a store has its tables and its journal, if they are not in a directory of
// this machine. engine/bigtable has one.

#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/journal/journal.h"
#include "engine/table/table_store.h"

namespace hourcell {

struct OpenedStorage {
  std::unique_ptr<TableStore> tables;  // outlives the journal
  std::unique_ptr<Journal> journal;
  // OK: when the call began, no other process had acknowledged a point since this one opened the
  // store. It is asked after a query has begun and before it reads. kFailedPrecondition: another
  // process is the writer now. kUnavailable: it is not known. Thread-safe.
  std::function<absl::Status()> check_is_writer;
};

class StorageEngine {
 public:
  virtual ~StorageEngine() = default;

  // "bigtable": as errors name it.
  virtual std::string_view name() const = 0;

  // Opens the tables and the journal for this process alone; may wait for another process to end.
  // kFailedPrecondition: another process is the writer.
  virtual absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) = 0;
};

}  // namespace hourcell
