#include <string>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/admin/region_json.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is refused, or wants something, and what a client would send for it wants the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string body(InputText(data, size));
  if (const auto wish = ParseSplitJson(body); wish.ok()) {
    const auto again = ParseSplitJson(SplitJson(*wish));
    HOURCELL_CHECK(again.ok());
    HOURCELL_CHECK(again->region == wish->region && again->table == wish->table);
    HOURCELL_CHECK(again->at == wish->at && again->into == wish->into);
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(wish.status()));
  }
  if (const auto wish = ParseMergeJson(body); wish.ok()) {
    const auto again = ParseMergeJson(MergeJson(*wish));
    HOURCELL_CHECK(again.ok());
    HOURCELL_CHECK(again->regions == wish->regions && again->table == wish->table);
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(wish.status()));
  }
  if (const auto wish = ParseRollingJson(body); wish.ok()) {
    const auto again = ParseRollingJson(RollingJson(*wish));
    HOURCELL_CHECK(again.ok());
    HOURCELL_CHECK(again->split == wish->split && again->abandon == wish->abandon);
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(wish.status()));
  }
  return 0;
}
