// QueryExecutor: drives a query through its stages:
//
//   plan -> read rows -> span -> downsample -> rate -> group -> aggregate -> trim
//
// All reads of one query see one snapshot of the tables, and open hours as they are. Thread-safe.

#pragma once

#include <cstddef>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/row_key.h"
#include "engine/ingest/open_hours.h"
#include "engine/options.h"
#include "engine/query.h"
#include "engine/query/columns.h"
#include "engine/query/group_by.h"
#include "engine/query_planner.h"
#include "engine/row_reader.h"
#include "engine/series_table.h"
#include "engine/table.h"
#include "uid/uid_directory.h"

namespace hourcell {

class QueryExecutor {
 public:
  // What it works on; borrowed, outlives it.
  struct Parts {
    TableStore* tables = nullptr;
    UidDirectory* uids = nullptr;
    const SeriesTable* series = nullptr;
    OpenHours* open_hours = nullptr;
    const RowExpiry* expiry = nullptr;  // null: nothing expires
    Clock* clock = nullptr;
  };
  QueryExecutor(const Options& options, const RowKeyCodec& row_keys, const Parts& parts)
      : options_(options),
        parts_(parts),
        planner_(options, row_keys, parts.uids, parts.series, parts.expiry),
        row_keys_(row_keys) {}

  // Tsdb::Query.
  absl::Status Run(const QuerySpec& spec, QuerySink* sink, QueryControl* control) const;

 private:
  absl::Status RunSubQuery(const QuerySpec& spec,
                           size_t index,
                           TableView* view,
                           RowReader* reader,
                           QuerySink* sink) const;
  absl::StatusOr<ResultSeries> MakeResult(const SubQuery& query,
                                          const std::vector<SeriesUids>& series,
                                          const SeriesGroup& group,
                                          const SubQueryPlan& plan) const;
  std::string NameOrHex(UidKind kind, Uid uid) const;

  const Options& options_;
  const Parts parts_;
  const QueryPlanner planner_;
  const RowKeyCodec& row_keys_;
};

}  // namespace hourcell
