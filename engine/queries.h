// Queries: reads points, series and stored rows. Of `Tsdb::queries`, and lives as long as its Tsdb.
//
//   hourcell::QuerySpec query = {.start_ms = 1356998400000, .end_ms = 1357002000000};
//   query.queries = {{.aggregator = hourcell::Aggregator::kAvg, .metric = "cpu.user"}};
//   const absl::StatusOr<hourcell::QueryResult> result = tsdb->queries().Query(query);
//
// An answer has every point that was acknowledged before the call. Times are Unix milliseconds.
// Thread-safe. kFailedPrecondition: the store is closed. kAborted or kUnavailable: another process
// may write the store now, or the storage that knows it cannot be reached.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/append.h"
#include "engine/parallel_scan.h"
#include "engine/query.h"

namespace hourcell {

class StoreGates;

// Aggregates of the rows of a scan.
struct RowAggregates {
  RowTotals total = {};
  std::vector<RowGroup> groups = {};        // ascending; empty without RowAggregateSpec::group_by
  std::vector<ScannedRegion> regions = {};  // read; their counts are of selected rows, whole hours
  size_t workers = 0;                       // threads that read them
};

class Queries final {
 public:
  explicit Queries(StoreGates* gates) : gates_(gates) {}  // for Tsdb; borrowed

  // Answers a query; see query_spec.h and query_result.h.
  // kInvalidArgument: the query is wrong; kNotFound: a name is unknown; kResourceExhausted: a
  // limit; kDeadlineExceeded: the timeout; kDataLoss: a cell it needs is damaged; kAborted:
  // QuerySpec.quick.
  absl::StatusOr<QueryResult> Query(const QuerySpec& spec);

  // Query, series by series, so that only a part of the result is in memory. `control` may be null.
  // kCancelled: by it; else as above. On an error the sink may have got a part.
  absl::Status Query(const QuerySpec& spec, QuerySink* sink, QueryControl* control);

  // Visits the last point at or before now, and not expired, of each series of any sub query,
  // ascending by tsuid, each once. Skips series without such a point, and tsuids of unknown series.
  // `control` may be null.
  // kInvalidArgument: an invalid tsuid; kNotFound: a name is unknown; kCancelled: by `control`,
  // which `visit` may do; kResourceExhausted: the memory of queries; kDeadlineExceeded: the
  // timeout; kDataLoss: a cell it needs is damaged.
  absl::Status LastPoints(const LastQuery& query,
                          const std::function<void(const LastPoint&)>& visit,
                          QueryControl* control = nullptr);

  // Visits series by their metric and tags, ascending by tsuid, until `visit` returns false or the
  // query's limit is reached; returns how many there are in all (fewer if `visit` ended it).
  // `control` may be null. kNotFound: a name is unknown; kCancelled, kResourceExhausted,
  // kDeadlineExceeded as above.
  absl::StatusOr<uint64_t> LookupSeries(const LookupQuery& query,
                                        const std::function<bool(const FoundSeries&)>& visit,
                                        QueryControl* control = nullptr);

  // Budget for memory that a caller builds from results, out of Options::query_memory_bytes: Take
  // fails with kResourceExhausted when queries have used it all. Destroy the account before the
  // store is closed; that returns the memory. `control` is borrowed. Null: the store is closed.
  std::unique_ptr<MemoryAccount> LeaseQueryMemory(QueryControl* control);

  // Visits stored rows in key order until `visit` returns false, or `should_stop` returns true.
  // `should_stop` may be null; it is called at every stored row, also at rows that are not visited.
  absl::Status Scan(const ScanSpec& spec,
                    const std::function<bool(const ScannedRow&)>& visit,
                    const std::function<bool()>& should_stop = {});

  // Visits the histograms of the selected series that have not expired, with times in [start, end],
  // in batches, in the order of their keys. A name that was deleted is the hex of its UID. The
  // first error of `visit` ends it and is returned. kNotFound: a name of `spec` is unknown;
  // kDataLoss: damage.
  absl::Status VisitHistograms(
      const ScanSpec& spec,
      const std::function<absl::Status(std::span<const HistogramPoint>)>& visit);

  // The rows of this moment as work for several threads: engine/parallel_scan.h. Destroy the scan
  // before the store is closed. kNotFound: a name is unknown.
  absl::StatusOr<std::unique_ptr<ParallelScan>> PlanScan(const ScanSpec& spec,
                                                         const ParallelScanOptions& options = {});

  // Calculates totals in each region, in several threads; only the totals leave them. Rows are as
  // in Scan, but only points in [start, end] count. Rollups of a metric are rows of other metrics;
  // histograms are not rows. `control` may be null.
  // kInvalidArgument: `spec`; kNotFound: a name is unknown; kResourceExhausted: more groups than
  // `spec` allows, or the memory of queries; kCancelled: by `control`; kDeadlineExceeded: the
  // timeout; kDataLoss: a cell is damaged.
  absl::StatusOr<RowAggregates> AggregateRows(const ScanSpec& rows,
                                              const RowAggregateSpec& spec,
                                              QueryControl* control = nullptr);

 private:
  StoreGates* const gates_;
};

}  // namespace hourcell
