#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <simdjson.h>

#include "codec/base/check.h"
#include "server/query/query_echo.h"
#include "server/query/query_json.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is refused, or is a request whose times ascend, whose sub queries differ and whose echo
// is JSON.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto request = ParseQueryJson(std::string(InputText(data, size)), 1'356'998'400'000);
  if (!request.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(request.status()) ||
                   absl::IsUnimplemented(request.status()));
    return 0;
  }
  const QuerySpec& spec = request->spec;
  HOURCELL_CHECK(spec.start_ms < spec.end_ms);
  HOURCELL_CHECK(!spec.queries.empty() && spec.queries.size() <= kSubQueriesMax);
  std::string text = "[";
  for (size_t i = 0; i < spec.queries.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      HOURCELL_CHECK(!(spec.queries[i] == spec.queries[j]));
    if (i > 0) text.push_back(',');
    AppendSubQueryJson(spec.queries[i], i, &text);
  }
  text.push_back(']');
  simdjson::dom::parser parser;
  HOURCELL_CHECK(parser.parse(text).error() == simdjson::SUCCESS);
  return 0;
}
