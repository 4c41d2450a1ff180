#include <algorithm>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/text/point_text.h"
#include "server/put/put_json.h"
#include "server/put/put_json_fast.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

void CheckSamePoint(const PointView& a, const PointView& b) {
  HOURCELL_CHECK(a.metric == b.metric);
  HOURCELL_CHECK(a.timestamp == b.timestamp);
  HOURCELL_CHECK(a.value == b.value);
  HOURCELL_CHECK(std::equal(a.tags.begin(), a.tags.end(), b.tags.begin(), b.tags.end()));
}

// PutJson accepts each body that PutJsonFast accepts, as the same points.
void CheckScan(const std::string& body, const PutJson* json) {
  PutJsonFast scan;
  if (!scan.Scan(body, PutRules{}.tags_max)) return;
  HOURCELL_CHECK(json != nullptr);
  HOURCELL_CHECK(json->errors().empty());
  HOURCELL_CHECK(json->points().size() == scan.points().size());
  for (size_t i = 0; i < scan.points().size(); ++i) {
    const LinePoint& line = scan.points()[i];
    PointText text;
    HOURCELL_CHECK(!text.ParseSeries(line.metric, line.tags, PointLimits{}));
    CheckSamePoint({.metric = text.point().metric,
                    .tags = text.point().tags,
                    .timestamp = line.timestamp,
                    .value = line.value},
                   json->points()[i]);
  }
}

}  // namespace
}  // namespace hourcell

// Any body is refused as a whole, or each of its objects is a point or has an error. The echo of a
// good point reads as the same point.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string body(InputText(data, size));
  PutJson json;
  if (const auto error = json.Parse(body, PutRules{})) {
    HOURCELL_CHECK(!error->message.empty());
    HOURCELL_CHECK(json.points().empty());
    CheckScan(body, nullptr);
    return 0;
  }
  CheckScan(body, &json);
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
