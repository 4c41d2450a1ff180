#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/config/query_limits_file.h"
#include "tests/fuzz/fuzz_input.h"

// Any text is refused, or is limits of metrics that have an expression.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto limits = ParseQueryLimits(InputText(data, size));
  if (!limits.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(limits.status()));
    return 0;
  }
  for (const MetricQueryLimits& entry : *limits) {
    HOURCELL_CHECK(!entry.metric.empty());
    HOURCELL_CHECK(entry.limits.range_ms >= 0);
  }
  return 0;
}
