#include <algorithm>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "engine/rows/deletion_row.h"
#include "tests/fuzz/fuzz_input.h"

// Any bytes are refused with kDataLoss, or hold a record that is stored and read as itself. The
// first part is the key.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  const std::string_view key = TakePart(&input);
  const Layout layout;
  const auto row = ParseDeletionRow(layout, key, input);
  if (!row.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(row.status()));
  } else {
    HOURCELL_CHECK(std::ranges::is_sorted(row->series));
    HOURCELL_CHECK(DeletionKey(layout, row->id, row->metric) == key);
    const auto again = ParseDeletionRow(layout, key, DeletionValue(*row));
    HOURCELL_CHECK(again.ok() && *again == *row);
  }
  const auto hidden = ParseHiddenRowKey(key);
  if (hidden.ok()) HOURCELL_CHECK(HiddenRowKey(hidden->row_key, hidden->id) == key);
  const auto next = ParseDeletionCounter(input);
  if (next.ok()) HOURCELL_CHECK(DeletionCounterValue(*next) == input);
  return 0;
}
