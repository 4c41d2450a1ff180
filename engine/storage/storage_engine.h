// StorageEngine: opens a store's tables and its journal. engine/rocks has one for a directory of
// this machine, engine/bigtable one for Cloud Bigtable. README.md lists the files of a new one.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/journal/journal.h"
#include "engine/storage/shared_storage.h"
#include "engine/storage/writer_role.h"
#include "engine/table/table_store.h"

namespace hourcell {

// The journal of an engine that opens it after the tables, because it needs their low mark.
class JournalPlace {
 public:
  virtual ~JournalPlace() = default;
  JournalPlace(const JournalPlace&) = delete;
  JournalPlace& operator=(const JournalPlace&) = delete;

  // Makes the place of a new store's journal, durably, before the store's format is written: a
  // store with a format but without that place has lost its journal.
  virtual absl::Status Make() = 0;

  // All blocks below `low_mark` are in cells. kDataLoss: the journal is missing or damaged.
  virtual absl::StatusOr<std::unique_ptr<Journal>> Open(uint64_t low_mark) = 0;

 protected:
  JournalPlace() = default;
};

struct OpenedStorage {
  std::unique_ptr<TableStore> tables;           // outlives the other members
  std::unique_ptr<Journal> journal;             // null: `journal_place` opens it
  std::unique_ptr<JournalPlace> journal_place;  // null: `journal` is open
  // Null: until the tables are closed, no other process can open the store.
  std::unique_ptr<WriterRole> role;
};

class StorageEngine {
 public:
  virtual ~StorageEngine() = default;

  // "bigtable": the name in errors.
  virtual std::string_view name() const = 0;

  // Opens the tables and the journal for this process alone; may wait for another process to end.
  // kFailedPrecondition: another process is the writer. kCancelled: the events gave up.
  virtual absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) = 0;

  // Null: one process has the store, without standbys and followers.
  virtual SharedStorage* shared() { return nullptr; }
};

}  // namespace hourcell
