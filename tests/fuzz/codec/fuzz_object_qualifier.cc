#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/object_qualifier.h"
#include "tests/fuzz/fuzz_input.h"

// Any bytes are refused with kDataLoss, or are those their qualifier is stored as.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view input = InputText(data, size);
  const auto qualifier = ParseObjectQualifier(input);
  if (!qualifier.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(qualifier.status()));
    return 0;
  }
  std::string again;
  AppendObjectQualifier(*qualifier, &again);
  HOURCELL_CHECK(again == input);
  return 0;
}
