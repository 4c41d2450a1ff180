// BigtableTableStore: TableStore on the Cloud Bigtable data API. Each table is a Bigtable table
// "<prefix>-<name>" with the family "h" (stored_row.h). "<prefix>-system" holds the format and the
// state that the nodes of a store share (system_rows.h).
//
// It has ordered scans, merge operands, snapshots and durable rows. It lacks atomic groups, region
// changes, byte counts and pinned files (engine/table/table_capabilities.h). Only one process may
// write to a store at a time: bigtable_storage.h enforces that, this function does not.
//
// The data table may belong to OpenTSDB (BigtableOptions::data_table). Then the store adds its
// family to that table, also reads OpenTSDB's columns, and never writes or deletes them. It opens
// only after the rows were adopted (engine/opentsdb/adoption.h), except to adopt them.

#pragma once

#include <memory>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/bigtable_options.h"
#include "engine/table/table_store.h"

namespace hourcell {

// Opens the store and creates its tables if they do not exist. kFailedPrecondition: the tables have
// another format. kInvalidArgument, kUnauthenticated: the options are invalid. kUnavailable: retry.
absl::StatusOr<std::unique_ptr<TableStore>> OpenBigtableTableStore(const BigtableOptions& options);

}  // namespace hourcell
