#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "engine/regions/region_name.h"
#include "tests/fuzz/fuzz_input.h"

// Any text is refused with kInvalidArgument, or it is the name of the region it is read as. Any
// bytes are the start of a region whose printed name reads back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view input = InputText(data, size);

  const auto parts = ParsePrintableRegionName(input);
  if (parts.ok()) {
    const auto raw = FromStringBinary(input);
    HOURCELL_CHECK(raw.ok());
    HOURCELL_CHECK(RegionName(parts->table, parts->start, parts->id) == *raw);
  } else {
    HOURCELL_CHECK(absl::IsInvalidArgument(parts.status()));
  }

  const auto bytes = FromStringBinary(ToStringBinary(input));
  HOURCELL_CHECK(bytes.ok() && *bytes == input);
  const auto again = ParsePrintableRegionName(PrintableRegionName("t", input, {.value = size}));
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(again->start == input && again->id.value == size);
  return 0;
}
