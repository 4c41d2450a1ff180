#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/text/quoted_name.h"
#include "server/query/query_echo.h"
#include "server/query/query_string.h"
#include "tests/fuzz/fuzz_input.h"

// Any m= is refused, or is a sub query with a metric, whole filters, and functions and a downsample
// that print and parse back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto query = ParseSubQueryText(InputText(data, size));
  if (!query.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(query.status()) ||
                   absl::IsUnimplemented(query.status()));
    return 0;
  }
  HOURCELL_CHECK(!query->metric.empty());
  std::string quoted = "sum:";
  AppendQuoted(query->metric, &quoted);
  const auto of_name = ParseSubQueryText(quoted);
  HOURCELL_CHECK(of_name.ok() && of_name->metric == query->metric && of_name->filters.empty());
  for (const TagFilterSpec& filter : query->filters) {
    HOURCELL_CHECK(!filter.tagk.empty());
    HOURCELL_CHECK(!filter.filter.empty() || filter.type == FilterType::kNotKey);
  }
  HOURCELL_CHECK(query->functions.size() <= kQueryFunctionsMax);
  for (const FunctionSpec& function : query->functions) {
    const auto again = ParseFunctionSpec(FunctionText(function));
    HOURCELL_CHECK(again.ok() && *again == function);
  }
  if (query->downsample) {
    const auto again = ParseDownsampleSpec(DownsampleText(*query->downsample));
    HOURCELL_CHECK(again.ok());
    HOURCELL_CHECK(*again == *query->downsample);
  }
  return 0;
}
