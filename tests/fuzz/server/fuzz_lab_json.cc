#include <string>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/lab/layouts_request.h"
#include "server/lab/simulate_request.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is refused, or is within the server's limits.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string body(InputText(data, size));
  if (const auto request = ParseSimulateJson(body); request.ok()) {
    HOURCELL_CHECK(!request->designs.empty() && request->designs.size() <= kLabDesignsMax);
    HOURCELL_CHECK(request->ids.has_value() || request->fleet.series() <= kLabSeriesMax);
    HOURCELL_CHECK(request->heat_steps >= 2 && request->heat_steps % 2 == 0);
    HOURCELL_CHECK(request->heat_steps <= kLabHeatStepsMax);
    for (const SimulationDesign& design : request->designs)
      HOURCELL_CHECK(!design.presplit.starts_with("file:"));
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(request.status()));
  }
  if (const auto cases = ParseLayoutsJson(body); cases.ok()) {
    HOURCELL_CHECK(!cases->empty() && cases->size() <= kLabCasesMax);
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(cases.status()));
  }
  return 0;
}
