// QueryExecutor: runs the sub queries of a query.
//
//   resolve the names of all -> one after another: plan (query_planner.h), read, aggregate, emit
//   (sub_query_pipeline.h)
//
// The series of a sub query with functions pass through them (query_tree.h).
//
// Errors in names and filters of all sub queries are found before the first result is emitted.
// Small sub queries are read several at once.
//
// All reads of one query see one snapshot of the tables, and open hours in their current state.
// Thread-safe.

#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/rows/row_key.h"
#include "engine/annotations/annotation_store.h"
#include "engine/hours/open_hours.h"
#include "engine/options.h"
#include "engine/query.h"
#include "engine/query/query_watch.h"
#include "engine/read/query_meter.h"
#include "engine/read/query_planner.h"
#include "engine/read/sub_query_pipeline.h"
#include "engine/table/tables.h"
#include "engine/threads/task_pool.h"
#include "uid/uid_directory.h"

namespace re2 {
class RE2;
}

namespace hourcell {

class QueryTree;

// Answers sub queries from rollups in place of the points (engine/rollups). Thread-safe.
class RollupAnswers {
 public:
  virtual ~RollupAnswers() = default;
  // Whether the sub query may be answered so.
  virtual bool Takes(const SubQuery& query) const = 0;
  // Answers it to parts.sink. REQUIRES: Takes; parts.read has a meter and a memory.
  virtual absl::Status Run(const SubQueryPipeline::Parts& parts,
                           const QuerySpec& spec,
                           size_t index,
                           const QueryWatch& watch,
                           QueryControl* control) const = 0;
};

class QueryExecutor {
 public:
  // Borrowed; they outlive the executor.
  struct Parts {
    Tables* tables = nullptr;
    UidDirectory* uids = nullptr;
    const QueryPlanner* planner = nullptr;
    const AnnotationStore* annotations = nullptr;
    MonotonicClock* clock = nullptr;
    const RollupAnswers* rollups = nullptr;  // null: the store lacks rollups
  };
  // REQUIRES: the overrides of options.query_limit_overrides compile.
  QueryExecutor(const Options& options, const RowKeyCodec& row_keys, const Parts& parts);
  ~QueryExecutor();

  // Queries::Query, over the points of `open_hours` and of the tables.
  absl::Status Run(const QuerySpec& spec,
                   OpenHours* open_hours,
                   QuerySink* sink,
                   QueryControl* control) const;

  // Bytes of memory that queries hold now.
  size_t memory_bytes() const { return memory_.used(); }

  // The memory of all queries, for queries that run elsewhere.
  QueryMemory* memory() const { return &memory_; }

 private:
  struct Step;
  struct Quick;
  using Steps = absl::InlinedVector<std::unique_ptr<Step>, 4>;
  using ResolvedQueries = absl::InlinedVector<QueryPlanner::ResolvedQuery, 1>;
  // Passes the global annotations to the sink.
  absl::Status BeginSink(const QuerySpec& spec,
                         TableView* view,
                         MemoryLease* lease,
                         QuerySink* sink) const;
  absl::Status RunAll(const QuerySpec& spec,
                      OpenHours* open_hours,
                      QuerySink* sink,
                      QueryControl* control) const;
  absl::StatusOr<ResolvedQueries> ResolveAll(const QuerySpec& spec,
                                             const QueryWatch& watch,
                                             QueryControl* control) const;
  absl::Status MakePlan(const QuerySpec& spec,
                        size_t index,
                        QueryPlanner::ResolvedQuery resolved,
                        const QueryWatch& watch,
                        Step* step) const;
  absl::Status RunSteps(Steps* steps, TaskPool* pool, QueryTree* tree, QueryControl* control) const;
  static absl::Status RunStep(Step* step, QueryTree* tree, QueryControl* control);
  // Whether the sub query reads rollups. Those of histograms do not.
  bool HasRollups(const QuerySpec& spec, size_t index) const {
    return spec.may_use_rollups && parts_.rollups != nullptr &&
           !spec.queries[index].is_of_histograms() && parts_.rollups->Takes(spec.queries[index]);
  }
  absl::Status RunRollups(SubQueryPipeline::Parts parts,
                          const QuerySpec& spec,
                          size_t index,
                          const QueryMeter::Deadline& deadline,
                          QueryControl* control) const;
  absl::StatusOr<QueryLimits> LimitsOf(const SubQuery& query, const QuerySpec& spec) const;

  const Options& options_;
  const RowKeyCodec& row_keys_;
  const Parts parts_;
  std::vector<std::pair<std::unique_ptr<re2::RE2>, QueryLimits>> limits_of_metrics_;
  mutable TaskPool pool_;
  mutable TaskPool alone_{1};  // no thread but the caller's
  mutable QueryMemory memory_;
};

}  // namespace hourcell
