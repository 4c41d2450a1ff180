#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <simdjson.h>

#include "codec/base/check.h"
#include "server/names/search_json.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is refused or is a request, and its echo is JSON of the same request, except for fields
// without a rule.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const auto query = ParseLookupJson(std::string(InputText(data, size)));
  if (!query.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(query.status()));
    return 0;
  }
  HOURCELL_CHECK(CheckLookup(*query).ok());
  std::string echo;
  JsonWriter json(&echo);
  json.OpenObject();
  AddLookupQuery(*query, &json);
  json.CloseObject();
  const auto again = ParseLookupJson(echo);
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(again->limit == query->limit);
  HOURCELL_CHECK(again->tags.size() == query->tags.size());
  for (size_t i = 0; i < query->tags.size(); ++i) {
    HOURCELL_CHECK(query->tags[i].tagk.empty() || again->tags[i].tagk == query->tags[i].tagk);
    HOURCELL_CHECK(query->tags[i].tagv.empty() || again->tags[i].tagv == query->tags[i].tagv);
  }
  return 0;
}
