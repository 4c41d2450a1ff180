// QueryTree: the inner nodes of a query's plan while the query runs. A sub query whose result is a
// result of the query keeps the query's sink; the series of another one pass through its functions:
//
//   sub query -> sink of the leaf -> function -> ... -> sink of the query
//
// All functions draw on one memory account, and one watch ends them. Thread-compatible: the
// pipelines of sub queries give their series one after another.

#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include <absl/status/status.h>

#include "engine/query/functions/series_function.h"
#include "engine/query/query_plan.h"
#include "engine/query/query_watch.h"

namespace hourcell {

class QueryTree {
 public:
  // All are borrowed. REQUIRES: the leaves of the plan are `sub_queries` different ones.
  QueryTree(const QueryPlan& plan,
            size_t sub_queries,
            QuerySink* sink,
            MemoryAccount* memory,
            const QueryWatch* watch);
  QueryTree(const QueryTree&) = delete;
  QueryTree& operator=(const QueryTree&) = delete;

  // The sink for the series of a sub query.
  QuerySink* SinkOf(size_t sub_query) const { return leaves_[sub_query].sink; }

  // After the last series of a sub query: finishes the functions whose inputs are complete. Errors:
  // as SeriesFunction, QueryWatch.
  absl::Status EndOf(size_t sub_query);

 private:
  struct Node {
    std::unique_ptr<SeriesFunction> function;
    QuerySink* out = nullptr;
    Node* parent = nullptr;  // null: a root
    size_t inputs_left = 0;
  };
  struct Leaf {
    QuerySink* sink = nullptr;
    Node* parent = nullptr;
  };

  // The sink of one input of a node.
  class Input : public QuerySink {
   public:
    Input(Node* node, size_t index, const QueryWatch* watch)
        : node_(*node), index_(index), watch_(*watch) {}
    absl::Status OnSeries(const SeriesView& series) override;

   private:
    Node& node_;
    const size_t index_;
    const QueryWatch& watch_;
  };

  // The query's sink, for roots that are functions: their results may be many.
  class Output : public QuerySink {
   public:
    Output(QuerySink* sink, const QueryWatch* watch) : sink_(*sink), watch_(*watch) {}
    absl::Status OnSeries(const SeriesView& series) override;

   private:
    QuerySink& sink_;
    const QueryWatch& watch_;
  };

  void Build(const QueryNode& node, Node* parent, QuerySink* out);

  MemoryAccount* const memory_;
  const QueryWatch& watch_;
  Output output_;
  std::vector<Leaf> leaves_;  // by sub query
  std::deque<Node> nodes_;
  std::deque<Input> inputs_;
};

}  // namespace hourcell
