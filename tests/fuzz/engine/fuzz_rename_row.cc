#include <string_view>

#include "codec/base/check.h"
#include "engine/undo/rename_row.h"
#include "tests/fuzz/fuzz_input.h"

// Any bytes are refused with kDataLoss, or hold a record that is stored as the same bytes. The
// first part is the key.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  const std::string_view key = TakePart(&input);
  const auto row = ParseRenameRow(key, input);
  if (!row.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(row.status()));
    return 0;
  }
  HOURCELL_CHECK(RenameRowKey(row->id) == key);
  HOURCELL_CHECK(RenameRowValue(*row) == input);
  return 0;
}
