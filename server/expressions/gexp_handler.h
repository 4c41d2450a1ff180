// /api/query/gexp: functions over sub queries, from the query string.
//
//   GET /api/query/gexp?start=1h-ago&exp=scale(sum:rate:1m-avg:tsd.rpc.received{host=*},0.1)
//
// Each parameter exp, or x, is a call of engine/expressions/function_tree.h; the other parameters
// and the answer are those of /api/query. Thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include <absl/status/statusor.h>

#include "server/http/http_message.h"
#include "server/query/query_handler.h"
#include "server/query/query_request.h"

namespace hourcell {

// kInvalidArgument: no expression; a parameter m or tsuid; as MakeFunctionTree, ReadQueryOptions.
absl::StatusOr<QueryRequest> ParseGexpString(const HttpRequest& request,
                                             int64_t now_ms,
                                             std::string_view default_timezone = {});

// Answers a GET. The response borrows as that of QueryHandler::Answer.
HttpResponse HandleGexp(const HttpRequest& request, QueryHandler* queries);

}  // namespace hourcell
