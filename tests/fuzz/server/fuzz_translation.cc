#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "promql/text/parser.h"
#include "server/translate/promql_translation.h"
#include "tests/fuzz/fuzz_input.h"

// Any m= is refused with a reason, or has a translation that parses and prints as itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const absl::StatusOr<Translation> translation = TranslateToPromql(InputText(data, size));
  if (!translation.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(translation.status()) ||
                   absl::IsUnimplemented(translation.status()));
    HOURCELL_CHECK(!MessageOf(translation.status()).empty());
    return 0;
  }
  const auto expression = promql::ParseQuery(translation->text);
  HOURCELL_CHECK(expression.ok());
  HOURCELL_CHECK(promql::ExpressionText(**expression) == translation->text);
  HOURCELL_CHECK((*expression)->type == promql::ValueType::kVector);
  HOURCELL_CHECK(translation->step_ms >= 0);
  for (const std::string& condition : translation->conditions)
    HOURCELL_CHECK(!condition.empty());
  return 0;
}
