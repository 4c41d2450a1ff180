// `hourcell scan --aggregate`: totals of stored rows, of the store of a directory or of a running
// server. Thread-compatible.

#pragma once

#include <string>

#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/cli/data/scan/row_source.h"
#include "server/text/row_aggregate_json.h"

namespace hourcell {

// The answer, as JSON (row_aggregate_json.h). kInvalidArgument: `texts`, which are checked first,
// or the URL; kUnavailable: the server refuses or does not answer; else the errors of OpenStore and
// of Queries::AggregateRows.
absl::StatusOr<std::string> AggregateOf(const ScanSpec& rows,
                                        const RowAggregateTexts& texts,
                                        const RowSourceOptions& options);

}  // namespace hourcell
