// StorageChoice: where the settings say that a store keeps its tables and its journal.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/statusor.h>

#include "engine/table/opentsdb_tables.h"
#include "engine/table/storage_engine.h"
#include "server/config/config.h"

namespace hourcell {

// What a process does if another one writes to the same tables.
enum class OtherWriter : uint8_t {
  kWaitFor,  // until it stops, or does not answer for tsd.storage.bigtable.lease
  kRefuse,   // an error that names it
};

struct StorageChoice {
  // Null: a directory, tsd.storage.directory.
  std::shared_ptr<StorageEngine> engine;
  std::string name;  // of the store, as errors have it: the directory, or project/instance/tables
};

// kInvalidArgument: a setting is missing, or this build has no such engine.
absl::StatusOr<StorageChoice> StorageChoiceOf(const Config& config, OtherWriter other);

// The same, to take over the rows of the data table that it shares. Also kInvalidArgument: the
// settings name none.
absl::StatusOr<StorageChoice> AdoptingChoiceOf(const Config& config);

// The tables of an OpenTSDB that the settings name, whatever the store is kept in: without another
// name they are tsdb and tsdb-uid. Errors as above.
absl::StatusOr<std::unique_ptr<OpenTsdbTables>> OpenTsdbTablesOf(const Config& config);

// The settings of a store that is exported to those tables: tsd.storage.bigtable.data_table is the
// table that the store shares, or none, whatever table is written. kInvalidArgument: one of the
// tables that would be written is the store's own. kNotFound: no store in the tables.
absl::StatusOr<Config> ExportedStoreOf(const Config& config);

}  // namespace hourcell
