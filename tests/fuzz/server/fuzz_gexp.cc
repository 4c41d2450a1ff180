#include <cstddef>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "engine/expressions/function_call.h"
#include "engine/query/query_plan.h"
#include "server/expressions/gexp_handler.h"
#include "server/http/http_message.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

// Counts the leaves from left to right.
void CheckLeaves(const hourcell::QueryNode& node, size_t depth, size_t* next) {
  HOURCELL_CHECK(depth <= hourcell::kExpressionDepthMax);
  if (node.is_leaf()) HOURCELL_CHECK(node.sub_query == (*next)++);
  for (const hourcell::QueryNode& input : node.inputs)
    CheckLeaves(input, depth + 1, next);
}

}  // namespace

// Any exp= is refused, or is a tree whose leaves are its sub queries in turn.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  HttpRequest request;
  request.params = {{"start", "1h-ago"}, {"exp", std::string(InputText(data, size))}};
  const auto query = ParseGexpString(request, /*now_ms=*/1'357'300'800'000);
  if (!query.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(query.status()) ||
                   absl::IsUnimplemented(query.status()));
    return 0;
  }
  HOURCELL_CHECK(query->spec.expressions.size() == 1);
  size_t leaves = 0;
  CheckLeaves(query->spec.expressions[0], 0, &leaves);
  HOURCELL_CHECK(leaves == query->spec.queries.size());
  return 0;
}
