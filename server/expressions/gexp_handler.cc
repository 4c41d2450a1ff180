#include "server/expressions/gexp_handler.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/stop_watch.h"
#include "engine/expressions/function_call.h"
#include "engine/expressions/function_tree.h"
#include "server/http/http_error.h"
#include "server/query/query_string.h"
#include "server/query/query_trace.h"

namespace hourcell {
namespace {

// Adds the tree of one expression, and its sub queries, to `*spec`.
absl::Status AddExpression(std::string_view text, QuerySpec* spec) {
  HOURCELL_ASSIGN_OR_RETURN(const FunctionCall call, ParseFunctionCall(text));
  const auto add = [spec](std::string_view sub_query) -> absl::StatusOr<size_t> {
    HOURCELL_ASSIGN_OR_RETURN(SubQuery parsed, ParseSubQueryText(sub_query));
    spec->queries.push_back(std::move(parsed));
    return spec->queries.size() - 1;
  };
  HOURCELL_ASSIGN_OR_RETURN(QueryNode tree, MakeFunctionTree(call, add));
  spec->expressions.push_back(std::move(tree));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<QueryRequest> ParseGexpString(const HttpRequest& request,
                                             int64_t now_ms,
                                             std::string_view default_timezone) {
  HOURCELL_RETURN_IF_ERROR(CheckHasStart(request));
  QueryRequest parsed;
  for (const auto& [name, value] : request.params) {
    if (name == "m" || name == "tsuid" || name == "tsuids") {
      return absl::InvalidArgumentError(fmt::format(
          "parameter {}: not known here; expected sub queries in exp, or a query to /api/query",
          name));
    }
    if (name != "exp" && name != "x") continue;
    HOURCELL_RETURN_IF_ERROR(AddExpression(value, &parsed.spec));
  }
  if (parsed.spec.expressions.empty()) {
    return absl::InvalidArgumentError("Missing parameter <code>exp</code>");
  }
  HOURCELL_RETURN_IF_ERROR(ReadQueryOptions(request, now_ms, default_timezone, &parsed));
  return parsed;
}

HttpResponse HandleGexp(const HttpRequest& request, QueryHandler* queries) {
  QueryTrace trace(request);
  const QueryService& service = queries->service();
  absl::StatusOr<QueryRequest> query = absl::UnknownError("not parsed");
  {
    const StopWatch watch(&trace.parse_us);
    query = ParseGexpString(request, service.clock->NowMs(), service.timezone);
  }
  if (!query.ok()) return HttpError(400, query.status());
  return queries->Answer(request, *std::move(query), std::move(trace));
}

}  // namespace hourcell
