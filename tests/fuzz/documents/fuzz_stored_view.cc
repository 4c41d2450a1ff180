#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "server/documents/stored_view.h"
#include "tests/fuzz/fuzz_input.h"

// A text that parses is parsed the same after it was printed.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view text = InputText(data, size);
  if (!IsUtf8(text)) return 0;  // the engine stores no other
  const auto view = ParseStoredView(text);
  if (!view.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(view.status()));
    return 0;
  }
  const auto again = ParseStoredView(PrintStoredView(*view));
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(again->changed_ms == view->changed_ms && again->by == view->by);
  HOURCELL_CHECK(again->document == view->document && EntityTagOf(*again) == EntityTagOf(*view));
  return 0;
}
