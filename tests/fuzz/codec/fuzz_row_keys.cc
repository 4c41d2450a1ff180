#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "bench/lab/layouts/row_keys.h"
#include "codec/base/check.h"
#include "tests/fuzz/fuzz_input.h"

// A part as template, the rest as a stored key: a template is refused or made again from its text,
// and a key that decodes is encoded to a key that decodes to the same row.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  const std::string_view text = TakePart(&input);
  const auto keys = layouts::RowKeys::Parse(text);
  if (!keys.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(keys.status()));
    return 0;
  }
  HOURCELL_CHECK(keys->text() == text && layouts::RowKeys::Parse(keys->text()).ok());
  const auto row = keys->Decode(input);
  if (!row.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(row.status()));
    return 0;
  }
  std::string stored;
  HOURCELL_CHECK(keys->Encode(*row, &stored).ok());
  const auto again = keys->Decode(stored);
  HOURCELL_CHECK(again.ok() && *again == *row);
  return 0;
}
