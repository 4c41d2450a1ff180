#include <string>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/cluster/service_account.h"
#include "tests/fuzz/fuzz_input.h"

// Any text is refused with the expected form, or is a key.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const absl::Status checked = CheckServiceAccount(InputText(data, size));
  if (checked.ok()) return 0;
  HOURCELL_CHECK(absl::IsInvalidArgument(checked));
  const std::string message(checked.message().data(), checked.message().size());
  HOURCELL_CHECK(message.find("expected ") != std::string::npos);
  return 0;
}
