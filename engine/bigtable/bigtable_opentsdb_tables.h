// OpenTsdbTables on Bigtable, in the layout of OpenTSDB's own Bigtable client. A column may have
// several versions until the service collects them; only the newest is read.

#pragma once

#include <memory>
#include <string>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/bigtable_options.h"
#include "engine/opentsdb/opentsdb_tables.h"

namespace hourcell {

// `options.data_table` is OpenTSDB's data table. Makes no call. kInvalidArgument, kUnauthenticated:
// the options are invalid.
absl::StatusOr<std::unique_ptr<OpenTsdbTables>> OpenBigtableOpenTsdbTables(
    const BigtableOptions& options, const std::string& uid_table);

}  // namespace hourcell
