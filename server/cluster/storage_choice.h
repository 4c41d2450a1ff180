// StorageChoice: the storage of a store's tables and journal, chosen by the settings.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/statusor.h>

#include "engine/opentsdb/opentsdb_tables.h"
#include "engine/options.h"
#include "engine/storage/storage_engine.h"
#include "server/config/config.h"

namespace hourcell {

// The behavior of a process if another process writes to the same tables.
enum class OtherWriter : uint8_t {
  kWaitFor,  // wait until it stops, or sends no heartbeat for tsd.storage.bigtable.lease
  kRefuse,   // fail with an error that names it
};

struct StorageChoice {
  // Null: a directory, tsd.storage.directory.
  std::shared_ptr<StorageEngine> engine;
  std::string name;  // of the store in errors: the directory, or project/instance/tables
};

// kInvalidArgument: a missing or invalid setting, or this build does not have the engine.
absl::StatusOr<StorageChoice> StorageChoiceOf(const Config& config, OtherWriter other);

// The options that open the store of the settings: EngineOptionsOf (server/config/engine_options.h)
// with the chosen storage. Errors: those of both.
absl::StatusOr<Options> OptionsOfStore(const Config& config,
                                       OtherWriter other = OtherWriter::kRefuse);

// As StorageChoiceOf, to adopt the rows of the shared data table. Also kInvalidArgument: the engine
// is not Bigtable, or the setting of the shared data table is empty.
absl::StatusOr<StorageChoice> AdoptingChoiceOf(const Config& config);

// The tables of an OpenTSDB on Bigtable, by default tsdb and tsdb-uid, independent of the store's
// engine. Errors as above.
absl::StatusOr<std::unique_ptr<OpenTsdbTables>> OpenTsdbTablesOf(const Config& config);

// The settings for opening a store that is exported to those tables: with
// tsd.storage.bigtable.data_table as the table that the store shares, or empty, instead of the
// table to write. kInvalidArgument: a table to write belongs to the store. kNotFound: no store in
// the tables.
absl::StatusOr<Config> ExportedStoreOf(const Config& config);

}  // namespace hourcell
