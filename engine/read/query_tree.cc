#include "engine/read/query_tree.h"

#include <algorithm>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

// Why functions are sinks and not steps on a finished QueryResult: sub queries give their groups
// one by one, and a function that keeps few groups, or none, needs no memory for the others. The
// path of a query without functions has no more steps than before
// (docs/decisions/0029-queries-are-trees.md).

namespace hourcell {

QueryTree::QueryTree(const QueryPlan& plan,
                     size_t sub_queries,
                     QuerySink* sink,
                     MemoryAccount* memory,
                     const QueryWatch* watch)
    : memory_(memory), watch_(*watch), output_(sink, watch), leaves_(sub_queries) {
  for (const QueryNode& root : plan.roots)
    Build(root, /*parent=*/nullptr, root.is_leaf() ? sink : &output_);
  HOURCELL_DCHECK(
      std::ranges::none_of(leaves_, [](const Leaf& leaf) { return leaf.sink == nullptr; }));
}

void QueryTree::Build(const QueryNode& node, Node* parent, QuerySink* out) {
  if (node.is_leaf()) {
    HOURCELL_CHECK(node.sub_query < leaves_.size() && leaves_[node.sub_query].sink == nullptr);
    leaves_[node.sub_query] = {.sink = out, .parent = parent};
    return;
  }
  Node& made = nodes_.emplace_back(
      Node{.function = MakeSeriesFunction(node.function, node.inputs.size(), memory_),
           .out = out,
           .parent = parent,
           .inputs_left = node.inputs.size()});
  for (size_t i = 0; i < node.inputs.size(); ++i)
    Build(node.inputs[i], &made, &inputs_.emplace_back(&made, i, &watch_));
}

absl::Status QueryTree::EndOf(size_t sub_query) {
  for (Node* node = leaves_[sub_query].parent; node != nullptr; node = node->parent) {
    HOURCELL_CHECK(node->inputs_left > 0);
    if (--node->inputs_left > 0) break;
    HOURCELL_RETURN_IF_ERROR(watch_.Check());
    HOURCELL_RETURN_IF_ERROR(node->function->Finish(node->out));
  }
  return absl::OkStatus();
}

absl::Status QueryTree::Input::OnSeries(const SeriesView& series) {
  HOURCELL_RETURN_IF_ERROR(watch_.Check());
  return node_.function->Add(index_, series, node_.out);
}

absl::Status QueryTree::Output::OnSeries(const SeriesView& series) {
  HOURCELL_RETURN_IF_ERROR(watch_.Check());
  return sink_.OnSeries(series);
}

}  // namespace hourcell
