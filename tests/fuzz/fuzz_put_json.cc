#include <algorithm>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "server/put_json.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

void CheckSamePoint(const PointView& a, const PointView& b) {
  HOURCELL_CHECK(a.metric == b.metric);
  HOURCELL_CHECK(a.timestamp == b.timestamp);
  HOURCELL_CHECK(a.value == b.value);
  HOURCELL_CHECK(std::equal(a.tags.begin(), a.tags.end(), b.tags.begin(), b.tags.end()));
}

}  // namespace
}  // namespace hourcell

// Any body is refused as a whole, or each of its objects is a point or has an error, and what is
// echoed of a good point reads as the same point.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string body(InputText(data, size));
  PutJson json;
  if (const auto error = json.Parse(body, PutRules{})) {
    HOURCELL_CHECK(!error->message.empty());
    HOURCELL_CHECK(json.points().empty());
    return 0;
  }
  HOURCELL_CHECK(json.size() == json.points().size() + json.errors().size());
  for (const PutPointError& error : json.errors()) {
    HOURCELL_CHECK(error.index < json.size());
    HOURCELL_CHECK(!error.text.empty());
  }
  for (size_t i = 0; i < json.points().size(); ++i) {
    std::string echo;
    json.AppendSent(json.IndexOf(i), &echo);
    HOURCELL_CHECK(IsUtf8(echo));
    PutJson again;
    HOURCELL_CHECK(!again.Parse(echo, PutRules{}));
    HOURCELL_CHECK(again.points().size() == 1);
    CheckSamePoint(again.points()[0], json.points()[i]);
  }
  return 0;
}
