#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "engine/query/query_time.h"
#include "server/documents/saved_view.h"
#include "tests/fuzz/fuzz_input.h"

// Any document is refused with a place in it, or is within its limits.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  constexpr int64_t kNowMs = 1'357'300'800'000;
  const std::string_view text = InputText(data, size);
  const auto view = ParseSavedView(text, kNowMs);
  if (!view.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(view.status()));
    HOURCELL_CHECK(!IsUtf8(text) || MessageOf(view.status()).starts_with("view: line "));
    return 0;
  }
  HOURCELL_CHECK(view->graphs <= kSavedGraphsMax);
  HOURCELL_CHECK(IsUtf8(view->title) && view->title.size() <= 200);
  HOURCELL_CHECK(ParseQueryTime(view->start, "", kNowMs).ok());
  HOURCELL_CHECK(ParseQueryTime(view->end, "", kNowMs).ok());
  HOURCELL_CHECK(ParseTimezone(view->tz).ok());
  return 0;
}
