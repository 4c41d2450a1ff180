#include <string>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/crc32c.h"
#include "engine/names/expression_cell.h"
#include "tests/fuzz/fuzz_input.h"

// Any bytes are refused with kDataLoss, or hold an expression that is stored and read as itself.
// The bytes get their checksum here: otherwise no input would pass it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const Layout layout;
  std::string bytes(InputText(data, size));
  AppendBigEndian(Crc32c(bytes), 4, &bytes);
  const auto stored = DecodeExpression(layout, bytes);
  if (!stored.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(stored.status()));
    return 0;
  }
  const auto again = DecodeExpression(layout, EncodeExpression(layout, *stored));
  HOURCELL_CHECK(again.ok() && *again == *stored);
  return 0;
}
