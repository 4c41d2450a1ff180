#include <string>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/admin/region_json.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is refused or is a request, and the JSON that a client sends for it is the same request.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string body(InputText(data, size));
  if (const auto request = ParseSplitJson(body); request.ok()) {
    const auto again = ParseSplitJson(SplitJson(*request));
    HOURCELL_CHECK(again.ok());
    const SplitRequest& split = request->split;
    HOURCELL_CHECK(again->is_dry_run == request->is_dry_run);
    HOURCELL_CHECK(again->split.region == split.region && again->split.table == split.table);
    HOURCELL_CHECK(again->split.at == split.at && again->split.into == split.into);
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(request.status()));
  }
  if (const auto request = ParseMergeJson(body); request.ok()) {
    const auto again = ParseMergeJson(MergeJson(*request));
    HOURCELL_CHECK(again.ok());
    HOURCELL_CHECK(again->regions == request->regions && again->table == request->table);
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(request.status()));
  }
  if (const auto request = ParseRollingJson(body); request.ok()) {
    const auto again = ParseRollingJson(RollingJson(*request));
    HOURCELL_CHECK(again.ok());
    HOURCELL_CHECK(again->split == request->split && again->abandon == request->abandon);
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(request.status()));
  }
  return 0;
}
