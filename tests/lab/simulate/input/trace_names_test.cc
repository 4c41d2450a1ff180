#include "bench/lab/simulate/input/trace_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"

namespace hourcell::trace_names_test {
namespace {

TEST(TraceNamesTest, UidsInTurn) {
  TraceNames names;
  const std::vector<TagView> a = {{.key = "host", .value = "web01"}, {.key = "dc", .value = "x"}};
  const std::vector<TagView> b = {{.key = "dc", .value = "x"}, {.key = "host", .value = "web02"}};

  const auto first = names.Find("cpu", a);
  ASSERT_OK(first);
  EXPECT_EQ(ToHex(first->tsuid),
            "000001"
            "000001000001"
            "000002000002");
  EXPECT_EQ(first->number, 0U);
  const auto second = names.Find("mem", b);
  ASSERT_OK(second);
  EXPECT_EQ(ToHex(second->tsuid),
            "000002"
            "000001000003"
            "000002000002");
  EXPECT_EQ(second->number, 1U);
  const auto again = names.Find("cpu", std::vector<TagView>{a[1], a[0]});
  ASSERT_OK(again);
  EXPECT_EQ(again->number, 0U);
}

}  // namespace
}  // namespace hourcell::trace_names_test
