#include <vector>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "engine/expressions/formula.h"
#include "tests/fuzz/fuzz_input.h"

// Any text is refused, or is a formula with a value for each row.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto formula = Formula::Parse(InputText(data, size));
  if (!formula.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(formula.status()));
    return 0;
  }
  const std::vector<std::vector<double>> columns(formula->variables().size(), {0, -1.5, 3});
  HOURCELL_CHECK(formula->Evaluate(columns, 3).size() == 3);
  return 0;
}
