#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/text/number.h"
#include "tests/fuzz/fuzz_input.h"

// Any text is refused with a reason, or is a number that prints to text of the same number.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view text = InputText(data, size);
  if (const auto integer = ParseInteger(text); integer.ok()) {
    const auto again = ParseInteger(std::to_string(*integer));
    HOURCELL_CHECK(again.ok() && *again == *integer);
  } else {
    HOURCELL_CHECK(!integer.error().text.empty());
  }
  if (const auto number = ParseDouble(text); number.ok()) {
    const auto again = ParseDouble(JavaDouble(*number));
    HOURCELL_CHECK(again.ok());
    HOURCELL_CHECK(std::bit_cast<uint64_t>(*again) == std::bit_cast<uint64_t>(*number));
  } else {
    HOURCELL_CHECK(number.error().kind == PointErrorKind::kInvalidValue);
  }
  if (const auto value = ParseValueText(text); value.ok()) {
    HOURCELL_CHECK(value->is_integer() || std::isfinite(value->floating()));
  }
  return 0;
}
