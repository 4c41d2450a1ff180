#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/rows/salt_epochs.h"
#include "tests/fuzz/fuzz_input.h"

// Any text is refused, or gives epochs that are written and read back the same, and tile all time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  const size_t width = TakeByte(&input) % 9;
  const auto epochs = SaltEpochs::Parse(input, width);
  if (!epochs.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(epochs.status()));
    return 0;
  }
  const auto again = SaltEpochs::Parse(epochs->ToText(), width);
  HOURCELL_CHECK(again.ok() && again->epochs() == epochs->epochs());
  uint64_t at = 0;
  for (const SaltSpan& span : epochs->SpansOf(0, UINT64_MAX)) {
    HOURCELL_CHECK(span.begin_s == at && span.buckets == epochs->BucketsAt(at));
    at = span.end_s;
  }
  HOURCELL_CHECK(at == UINT64_MAX);
  return 0;
}
