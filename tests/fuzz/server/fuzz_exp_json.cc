#include <cstddef>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/expressions/exp_request.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is refused, or is a request whose parts name each other and whose expressions come after
// those that they use.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto request = ParseExpJson(std::string(InputText(data, size)), 1'357'300'800'000);
  if (!request.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(request.status()));
    return 0;
  }
  for (const ExpRequest::Metric& metric : request->metrics)
    HOURCELL_CHECK(metric.sub_query < request->fetches[metric.fetch].spec.queries.size());
  HOURCELL_CHECK(request->order.size() == request->expressions.size());
  std::vector<bool> is_done(request->metrics.size() + request->expressions.size());
  for (const size_t i : request->order) {
    for (const size_t input : request->expressions[i].inputs)
      HOURCELL_CHECK(input < request->metrics.size() || is_done[input]);
    is_done[request->metrics.size() + i] = true;
  }
  for (const ExpRequest::Output& output : request->outputs)
    HOURCELL_CHECK(output.set < is_done.size());
  return 0;
}
