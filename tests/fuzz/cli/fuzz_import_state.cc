#include <optional>

#include "codec/base/check.h"
#include "server/cli/data/import_state.h"
#include "tests/fuzz/fuzz_input.h"

// Any line is refused, or is a slice whose line reads as the same slice.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::optional<FinishedSlice> slice = ParseFinishedSlice(InputText(data, size));
  if (!slice.has_value()) return 0;
  const std::optional<FinishedSlice> again = ParseFinishedSlice(FinishedSliceText(*slice));
  HOURCELL_CHECK(again.has_value() && again->metric == slice->metric);
  HOURCELL_CHECK(again->time == slice->time && again->points == slice->points);
  return 0;
}
