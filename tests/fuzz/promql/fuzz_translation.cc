#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "promql/text/parser.h"
#include "server/query/query_string.h"
#include "server/translate/m_translation.h"
#include "server/translate/promql_translation.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

// True unless the text is refused, with a reason.
bool IsTranslated(const absl::StatusOr<hourcell::Translation>& translation) {
  using namespace hourcell;
  if (!translation.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(translation.status()) ||
                   absl::IsUnimplemented(translation.status()));
    HOURCELL_CHECK(!MessageOf(translation.status()).empty());
    return false;
  }
  HOURCELL_CHECK(translation->step_ms >= 0);
  for (const std::string& condition : translation->conditions)
    HOURCELL_CHECK(!condition.empty());
  return true;
}

}  // namespace

// Any text of either language is refused with a reason, or has a translation that parses. That to
// PromQL prints as itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view text = InputText(data, size);
  const absl::StatusOr<Translation> promql = TranslateToPromql(text);
  if (IsTranslated(promql)) {
    const auto expression = promql::ParseQuery(promql->text);
    HOURCELL_CHECK(expression.ok());
    HOURCELL_CHECK(promql::ExpressionText(**expression) == promql->text);
    HOURCELL_CHECK((*expression)->type == promql::ValueType::kVector);
  }
  const absl::StatusOr<Translation> m = TranslateToM(text);
  if (IsTranslated(m)) HOURCELL_CHECK(ParseSubQueryText(m->text).ok());
  return 0;
}
