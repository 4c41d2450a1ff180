#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/names/meta_fields.h"
#include "tests/fuzz/fuzz_input.h"

// Any stored text is damage or is fields, which are printed and read again as the same text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto fields = ParseMetaDocument(InputText(data, size));
  if (!fields.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(fields.status()));
    return 0;
  }
  const std::string text = PrintMetaDocument(*fields, MetaOf::kSeries);
  const auto again = ParseMetaDocument(text);
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(PrintMetaDocument(*again, MetaOf::kSeries) == text);
  HOURCELL_CHECK(PrintMetaDocument(MergeMeta(*fields, *again, false), MetaOf::kSeries) == text);
  return 0;
}
