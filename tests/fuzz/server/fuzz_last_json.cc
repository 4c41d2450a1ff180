#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/query/last_json.h"
#include "server/query/query_request.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is refused, or is a request: by a metric, or by tsuids in hex.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto query = ParseLastJson(std::string(InputText(data, size)));
  if (!query.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(query.status()));
    return 0;
  }
  HOURCELL_CHECK(!query->queries.empty() && query->queries.size() <= kSubQueriesMax);
  for (const LastSubQuery& one : query->queries) {
    HOURCELL_CHECK(!one.metric.empty() || !one.tsuids.empty());
    for (const std::string& tsuid : one.tsuids)
      HOURCELL_CHECK(ParseQueryTsuid(tsuid).value_or("") == tsuid);
  }
  return 0;
}
