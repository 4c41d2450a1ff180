// /api/tree/branch, test, collisions and notmatched: the places of the series of the
// store by the rules of a tree. Each request but test reads all series.
//
//   branch      branch=<id in hex>, or treeid=1 for ROOT: its leaves and branches. 404: no such
//               branch or tree
//   test        treeid=1&tsuids=...: for each series the place that the rules give it, with a
//               message for each step, also if the tree is not enabled
//   collisions  treeid=1[&tsuids=...]: {"<tsuid>":"<tsuid that has its place>"}
//   notmatched  the same: {"<tsuid>":"[1:0:0:TAGK]"}, the rules that gave no name
//
// The last two are empty unless the tree has enabled and storeFailures. POST takes the same as
// JSON. The responses have producers, which borrow both. Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

HttpResponse HandleTreeBranch(const HttpRequest& request, const QueryService& service);
HttpResponse HandleTreeTest(const HttpRequest& request, const QueryService& service);
HttpResponse HandleTreeCollisions(const HttpRequest& request, const QueryService& service);
HttpResponse HandleTreeNotMatched(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
