#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "engine/rows/annotation_cell.h"
#include "tests/fuzz/fuzz_input.h"

// Any bytes are refused with kDataLoss, or hold an annotation that is stored and read as itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto annotation = ParseAnnotationCell(InputText(data, size));
  if (!annotation.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(annotation.status()));
    return 0;
  }
  std::string cell;
  AppendAnnotationCell(*annotation, &cell);
  const auto again = ParseAnnotationCell(cell);
  HOURCELL_CHECK(again.ok() && *again == *annotation);
  return 0;
}
