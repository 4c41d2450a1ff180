// RocksStorage: a store in a directory of this machine, which one process has at a time.
//
//   LOCK      held from Open until the tables are closed (files/store_lock.h)
//   db/       the tables (rocks_table_store.h)
//   journal/  the journal (engine/journal/file_journal.h), opened once the tables are read

#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>

#include "engine/options.h"
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

}  // namespace hourcell
