// BigtableTableStore: TableStore on the Cloud Bigtable data API. Each table is a Bigtable table
// "<prefix>-<name>" with the family "h" (stored_row.h); "<prefix>-system" has the format,
// and what the processes that open a store agree on (system_rows.h).
//
// It promises ordered scans, merge operands, snapshots and durable rows; it does not promise atomic
// groups, changes of regions, byte counts or pinned files (engine/table/table_capabilities.h). One
// process writes to a store at a time: bigtable_storage.h keeps others out, and this function does
// not.
//
// The data table may be one of OpenTSDB (BigtableOptions::data_table): then the store adds its
// family to it, reads OpenTSDB's columns beside its own, and never writes or deletes them. It is
// opened only after the rows were taken over (engine/opentsdb/adoption.h), but for that.

#pragma once

#include <memory>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/bigtable_options.h"
#include "engine/table/table_store.h"

namespace hourcell {

// Opens the store, and makes its tables if there are none. kFailedPrecondition: the tables have
// another format; kInvalidArgument, kUnauthenticated: the options; kUnavailable: try again.
absl::StatusOr<std::unique_ptr<TableStore>> OpenBigtableTableStore(const BigtableOptions& options);

}  // namespace hourcell
