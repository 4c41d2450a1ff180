#include <array>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/names/search_terms.h"
#include "tests/fuzz/fuzz_input.h"

// Any query is refused, or matches as if a term for everything were added.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string text(InputText(data, size));
  const auto terms = SearchTerms::Parse(text);
  if (!terms.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(terms.status()));
    return 0;
  }
  const auto more = SearchTerms::Parse(text + " *");
  HOURCELL_CHECK(more.ok());
  const std::array fields = {SearchField{"name", text}, SearchField{"notes", "the second rack"}};
  HOURCELL_CHECK(terms->Matches(fields) == more->Matches(fields));
  return 0;
}
