#include "engine/query/stages/rollup_buckets.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "engine/query/stages/scan_bounds.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::rollup_buckets_test {
namespace {

using simdjson::dom::element;

std::map<std::string, Span> SpansOf(element cells) {
  std::map<std::string, Span> spans;
  for (const auto of_aggregate : simdjson::dom::object(cells)) {
    Span& span = spans[std::string(of_aggregate.key)];
    for (const auto cell : simdjson::dom::object(of_aggregate.value)) {
      span.push_back(std::stoll(std::string(cell.key)) * 1000, Value::Integer(int64_t(cell.value)));
    }
  }
  return spans;
}

// OpenTSDB's tests read all rows: the range is whole days.
TEST(RollupBucketsTest, TheVectorsOfBucketsHold) {
  constexpr int64_t kDay = 1356998400;
  constexpr int64_t kDaySeconds = 86'400;
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "rollup-query")) {
    if (TextOf(vector.given, "kind") != "downsample") continue;
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const std::string function = TextOf(vector.given, "function");
    auto spec =
        ParseDownsampleSpec(std::to_string(IntOf(vector.given, "downsample_s")) + "s-" + function);
    ASSERT_OK(spec);
    const QueryRange range{.start_ms = kDay * 1000,
                           .end_ms = (kDay + 3 * kDaySeconds) * 1000,
                           .scan = {.begin_s = kDay, .end_s = kDay + 3 * kDaySeconds}};
    std::map<std::string, Span> spans = SpansOf(vector.given["cells"]);
    Span buckets;
    if (function == "avg") {
      buckets = RollupAverages(spans["sum"], spans["count"], *spec, range);
    } else {
      spec->function = FunctionOfLevel(spec->function);
      buckets = Downsample(spans[function], *spec, range);
    }
    const simdjson::dom::array want(vector.expect["points"]);
    ASSERT_EQ(buckets.size(), want.size());
    for (size_t i = 0; i < buckets.size(); ++i) {
      EXPECT_EQ(buckets.t[i], int64_t(want.at(i).at(0)));
      EXPECT_EQ(buckets.ToDouble(i), double(want.at(i).at(1)));
    }
    ++run;
  }
  EXPECT_EQ(run, 9);
}

}  // namespace
}  // namespace hourcell::rollup_buckets_test
