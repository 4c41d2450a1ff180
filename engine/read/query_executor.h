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
#include <cstdint>
#include <functional>
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

// Answers sub queries of virtual metrics (engine/virtuals). Thread-safe.
class VirtualAnswers {
 public:
  virtual ~VirtualAnswers() = default;
  // Whether the metric is virtual.
  virtual bool Takes(Uid metric) const = 0;
  // Passes the results of a sub query between two times to a sink. It reads in the snapshot of the
  // query.
  using RunInput = std::function<absl::Status(
      const SubQuery& input, int64_t start_ms, int64_t end_ms, QuerySink* sink)>;
  // A sub query of such a metric. All are borrowed.
  struct Request {
    SubQueryPipeline::Parts parts;  // parts.read has a meter and a memory
    const QuerySpec* spec = nullptr;
    size_t index = 0;
    const QueryPlanner::ResolvedQuery* resolved = nullptr;
    const QueryWatch* watch = nullptr;
    RunInput run_input;
  };
  // Answers it to parts.sink. Errors: as Queries::Query. REQUIRES: Takes.
  virtual absl::Status Run(const Request& request) const = 0;
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
    const RollupAnswers* rollups = nullptr;    // null: the store lacks rollups
    const VirtualAnswers* virtuals = nullptr;  // null: the store lacks virtual metrics
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
  // The parts of a query that a sub query of a virtual metric hands on to its inputs.
  struct Running {
    QueryMeter::Deadline deadline;
    QueryControl* control = nullptr;
    const QuerySpec* asked = nullptr;  // the query
    size_t level = 0;                  // virtual metrics above
  };
  bool IsVirtual(Uid metric) const {
    return parts_.virtuals != nullptr && parts_.virtuals->Takes(metric);
  }
  // Whether its series are not those of the points of its metric.
  bool IsDerived(const QuerySpec& spec, size_t index, Uid metric) const {
    return IsVirtual(metric) || HasRollups(spec, index);
  }
  absl::Status RunDerived(const SubQueryPipeline::Parts& parts,
                          const QuerySpec& spec,
                          size_t index,
                          const QueryPlanner::ResolvedQuery& resolved,
                          const Running& running) const;
  absl::Status RunVirtual(SubQueryPipeline::Parts parts,
                          const QuerySpec& spec,
                          size_t index,
                          const QueryPlanner::ResolvedQuery& resolved,
                          const Running& running) const;
  // Runs queries[index] of `spec`, an input of a virtual metric.
  absl::Status RunInput(SubQueryPipeline::Parts parts,
                        const QuerySpec& spec,
                        size_t index,
                        const Running& running) const;
  QueryLimits LimitsOf(const SubQuery& query, const QuerySpec& spec) const;
  absl::Status CheckRange(const SubQuery& query, const QuerySpec& spec) const;

  const Options& options_;
  const RowKeyCodec& row_keys_;
  const Parts parts_;
  std::vector<std::pair<std::unique_ptr<re2::RE2>, QueryLimits>> limits_of_metrics_;
  mutable TaskPool pool_;
  mutable TaskPool alone_{1};  // no thread but the caller's
  mutable QueryMemory memory_;
};

}  // namespace hourcell
