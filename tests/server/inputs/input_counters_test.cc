#include "server/inputs/input_counters.h"

#include <gtest/gtest.h>

namespace hourcell::input_counters_test {
namespace {

TEST(InputCountersTest, CountsWhatBecameOfPoints) {
  Stats stats;
  const InputCounters counters(&stats, "pigeon");
  InputWriter out(nullptr, /*may_wait=*/true);
  out.Refuse(1, "bad");
  out.Refuse(2, "bad");
  counters.Count(out);
  counters.Dropped("wet")->Add(3);

  EXPECT_EQ(stats.counter("rpc.inputs.points", {{"type", "pigeon"}})->value(), 0U);
  EXPECT_EQ(stats.counter("rpc.inputs.refused", {{"type", "pigeon"}})->value(), 2U);
  EXPECT_EQ(stats.counter("rpc.inputs.dropped", {{"type", "pigeon"}, {"reason", "wet"}})->value(),
            3U);
}

}  // namespace
}  // namespace hourcell::input_counters_test
