#include <string>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/changes/change_request.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is refused, or is a request: with tags, within its limits, and of two ranges of whole
// steps.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  HttpRequest request;
  request.method = "POST";
  request.body = std::string(InputText(data, size));
  const auto parsed = ParseChangeRequest(request, 1'357'300'800'000, "");
  if (!parsed.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(parsed.status()));
    return 0;
  }
  HOURCELL_CHECK(!parsed->tags.empty());
  HOURCELL_CHECK(parsed->limit >= 1 && parsed->limit <= 100);
  HOURCELL_CHECK(parsed->series >= 1 && parsed->series <= 50'000);
  HOURCELL_CHECK(parsed->seconds >= 1 && parsed->seconds <= 60);
  const ChangeTimes& times = parsed->times;
  HOURCELL_CHECK(times.start_ms < times.end_ms && times.step_ms > 0);
  HOURCELL_CHECK((times.end_ms - times.start_ms) / times.step_ms <= kChangeStepsMax);
  return 0;
}
