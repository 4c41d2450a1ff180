#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "server/translate/grafana/dashboard.h"
#include "tests/fuzz/fuzz_input.h"

// Any text is refused with a reason, or is a dashboard. Translating the translation again changes
// nothing, and refuses the same parts.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view text = InputText(data, size);
  const absl::StatusOr<DashboardTranslation> once = TranslateDashboard(text, "uid");
  if (!once.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(once.status()));
    HOURCELL_CHECK(!MessageOf(once.status()).empty());
    return 0;
  }
  size_t refused = 0;
  for (const DashboardPart& part : once->parts) {
    HOURCELL_CHECK(part.translation.empty() != part.error.empty());
    if (!part.error.empty()) ++refused;
  }
  const absl::StatusOr<DashboardTranslation> twice = TranslateDashboard(once->text, "uid");
  HOURCELL_CHECK(twice.ok());
  HOURCELL_CHECK(twice->text == once->text);
  HOURCELL_CHECK(twice->parts.size() == refused);
  return 0;
}
