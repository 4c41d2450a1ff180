#include "engine/names/level_metrics.h"

#include <gmock/gmock.h>

#include "tests/support/mem_uid_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::level_metrics_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LevelMetricsTest, TheLevelsOfAMetricAndOfNoOther) {
  MemUidStore store;
  const auto uids = UidDirectory::Open({.layout = Layout()}, &store);
  ASSERT_OK(uids);
  for (const char* const name :
       {"cpu", "_rollup/agg/cpu", "_rollup/1h-sum/cpu", "_rollup/1h-sum/cpu.user", "_rollup/cpu",
        "_rollup/1h-sum/x/cpu"}) {
    ASSERT_OK((*uids)->GetOrAssign(UidKind::kMetric, name));
  }

  EXPECT_THAT(LevelMetricsOf("cpu", uids->get()),
              IsOkAndHolds(ElementsAre("_rollup/1h-sum/cpu", "_rollup/agg/cpu")));
  EXPECT_THAT(LevelMetricsOf("x/cpu", uids->get()),
              IsOkAndHolds(ElementsAre("_rollup/1h-sum/x/cpu")));
  EXPECT_THAT(LevelMetricsOf("mem", uids->get()), IsOkAndHolds(IsEmpty()));
}

}  // namespace
}  // namespace hourcell::level_metrics_test
