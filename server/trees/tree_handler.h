// /api/tree, /api/tree/rule and /api/tree/rules: the definitions of trees and their rules, as in
// OpenTSDB (docs/trees.md).
//
//   tree    GET     treeid=1: one; else an array of all. 404: no such tree
//           POST    without a treeid a new tree, which needs a name; else changes the given fields;
//                   PUT resets the others. The tree; 304: no field is given
//           DELETE  204; with definition=true removes the tree and its rules
//   rule    GET, POST, PUT, DELETE of one rule, by treeid, level and order
//   rules   POST an array of rules of one tree, PUT removes the others; DELETE all. 204
//
// 400: a field is not valid; 409: the store has its maximum number of trees. Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

HttpResponse HandleTree(const HttpRequest& request, const QueryService& service);
HttpResponse HandleTreeRule(const HttpRequest& request, const QueryService& service);
HttpResponse HandleTreeRules(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
