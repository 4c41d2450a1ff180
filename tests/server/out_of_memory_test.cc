// A request for which there is not enough memory is refused, and the server continues to serve.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codec/allocation_count.h"
#include "tests/server/api_fixture.h"
#include "tests/support/sanitizers.h"

namespace hourcell::out_of_memory_test {
namespace {

using testing::HasSubstr;

class OutOfMemoryTest : public ApiTest {
 protected:
  void SetUp() override {
    if (kIsSanitized) GTEST_SKIP() << "a sanitizer has its own allocations";
    for (int i = 0; i < 3000; ++i)
      Put(OwnedPoint("m", fmt::format("host=h{}", i), kStartS, i));
  }

  // A number of points of one known series.
  std::vector<LinePoint> Points(int64_t count) const {
    std::vector<LinePoint> points;
    for (int64_t i = 0; i < count; ++i) {
      points.push_back({.metric = "m",
                        .tags = "host=h1",
                        .timestamp = {.ms = (kStartS + i % 3600) * 1000},
                        .value = Value::Integer(i)});
    }
    return points;
  }
};

TEST_F(OutOfMemoryTest, AQueryIsRefusedAndTheNextIsAnswered) {
  const std::string query = "GET /api/query?start=1356998400&m=sum:m%7Bhost=*%7D";
  const HttpResponse good = Send(query);
  ASSERT_EQ(good.status, 200);
  tsdb().maintenance().DropCaches();
  HttpResponse refused;
  {
    const FailingAllocations large(16 << 10);
    refused = Send(query);
  }
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("out of memory"));
  EXPECT_EQ(Send(query).body, good.body);
}

TEST_F(OutOfMemoryTest, ABatchIsRefusedAsAWhole) {
  const std::vector<LinePoint> points = Points(200'000);
  std::vector<RefusedPoint> refused;
  {
    const FailingAllocations large(4 << 20);
    const CommitTicket ticket = tsdb().points().Append(points, &refused);
    EXPECT_TRUE(ticket.took_nothing());
    EXPECT_THAT(ticket.Wait(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("memory")));
  }
  const std::string query = "GET /api/query?start=1356998400&m=count:m%7Bhost=h1%7D";
  EXPECT_THAT(Send(query).body, HasSubstr(R"("dps":{"1356998400":1})")) << "nothing was taken";
  EXPECT_OK(tsdb().points().Append(points, &refused).Wait());
  EXPECT_THAT(Send(query).body, HasSubstr(R"("1357001999":1)"));
}

}  // namespace
}  // namespace hourcell::out_of_memory_test
