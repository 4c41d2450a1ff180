// RocksStorage: a store in a directory of this machine, which one process has at a time.
//
//   LOCK      held from Open until the tables are closed (files/store_lock.h)
//   db/       the tables (rocks_table_store.h)
//   journal/  the journal (engine/journal/file_journal.h), opened once the tables are read

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>

#include "engine/options.h"
#include "engine/storage/shared_storage.h"
#include "engine/storage/storage_engine.h"

namespace hourcell {

class RocksStorage : public StorageEngine {
 public:
  // The directory is options.path.
  explicit RocksStorage(Options options) : options_(std::move(options)) {}

  std::string_view name() const override { return "rocksdb"; }

  // kNotFound: the store is missing and may not be created. kUnavailable: another process has it
  // open. kFailedPrecondition: it is not a Hourcell store, or the directory cannot be written.
  // kDataLoss: the tables are damaged, or there is a journal without tables.
  absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) override;

 private:
  const Options options_;
};

// Reads a store in a directory whose files it does not change; the directory may be read-only. No
// process writes to the store meanwhile: the lock is shared by readers.
class RocksReader : public StorageEngine, public SharedStorage {
 public:
  // The directory is options.path. REQUIRES: options.follow.
  explicit RocksReader(Options options);

  std::string_view name() const override { return "rocksdb"; }
  SharedStorage* shared() override { return this; }

  // kNotFound: the store is missing. kUnavailable: a process has it open to write. kDataLoss:
  // damage, or bytes of the journal that an open to write would take out.
  absl::StatusOr<FollowedStorage> Follow(
      const std::function<void(std::string_view message)>& warn) override;

  // kFailedPrecondition: for a process that writes.
  absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) override;
  absl::StatusOr<SharedSecrets> Join(const std::string& address, StorageEvents events) override;
  absl::StatusOr<SharedSecrets> RefreshSecrets() override;

 private:
  const Options options_;
};

}  // namespace hourcell
