#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "engine/expressions/formula.h"
#include "server/expressions/expression_text.h"
#include "tests/fuzz/fuzz_input.h"

// The parser refuses a text or reads an expression. The expression is printed, read back, and
// printed again without a change.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto expression = ParseMetricExpression(InputText(data, size), {});
  if (!expression.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(expression.status()));
    return 0;
  }
  const auto formula = Formula::Parse(expression->formula);
  HOURCELL_CHECK(formula.ok() && formula->variables().size() == expression->inputs.size());
  const std::string text = MetricExpressionText(*expression);
  const auto again = ParseMetricExpression(text, {});
  HOURCELL_CHECK(again.ok() && MetricExpressionText(*again) == text);
  return 0;
}
