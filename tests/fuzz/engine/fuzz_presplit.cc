#include <algorithm>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "engine/regions/presplit/presplit.h"
#include "engine/regions/presplit/split_algorithm.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace hourcell;

// Split keys ascend, without an empty one or one twice, so that they make one region more.
void CheckKeys(const absl::StatusOr<std::vector<std::string>>& keys) {
  if (!keys.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(keys.status()));
    return;
  }
  HOURCELL_CHECK(keys->size() < kPresplitRegionsMax);
  HOURCELL_CHECK(keys->empty() || !keys->front().empty());
  HOURCELL_CHECK(std::is_sorted(keys->begin(), keys->end()));
  HOURCELL_CHECK(std::adjacent_find(keys->begin(), keys->end()) == keys->end());
}

}  // namespace

// Any text is refused, or a specification that is written, read back the same and gives split keys.
// The same text as a file of split keys.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = InputText(data, size);
  CheckKeys(ParseSplitsFile(text));
  const auto spec = ParsePresplit(text);
  if (!spec.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(spec.status()));
    return 0;
  }
  const auto again = ParsePresplit(FormatPresplit(*spec));
  HOURCELL_CHECK(again.ok() && *again == *spec);
  Layout layout;
  layout.salt_width = 1;
  // Thousands of keys cost time and find the same faults as hundreds.
  if (spec->regions <= 1000) CheckKeys(PresplitKeys(*spec, layout, text));
  return 0;
}
