#include "bench/lab/simulate/design_source.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/simulate/design_text.h"
#include "tests/support/status_matchers.h"

namespace hourcell::design_source_test {
namespace {

using testing::ElementsAre;

uint64_t StepsOf(const PutSourceFactory& factory) {
  const auto source = factory();
  EXPECT_OK(source);
  uint64_t steps = 0;
  SourcePut put;
  while (*(*source)->Next(&put))
    ++steps;
  return steps;
}

TEST(DesignSourceTest, AFleetComesAsTheDesignsEngineWritesIt) {
  const FleetSpec fleet = *ParseFleet("tags=host:3,interval=1m,duration=2h");
  const SimulationDesign hourcell = *ParseDesign("a: engine=hourcell", {});
  const SimulationDesign hbase = *ParseDesign("b: engine=hbase", {});

  EXPECT_EQ(StepsOf(FleetSource(fleet, hourcell)), 6u);  // rows
  EXPECT_EQ(StepsOf(FleetSource(fleet, hbase)), 360u);   // points
}

TEST(DesignSourceTest, IdsComeInTurn) {
  EXPECT_EQ(StepsOf(IdsSource({.ids = 17})), 17u);
}

TEST(DesignSourceTest, TagsOfAFleetHaveNames) {
  const KeyNames names = KeyNamesOf(*ParseFleet("tags=host:3/cpu:2,uid=4"));
  EXPECT_EQ(names.uid_bytes, 4u);
  EXPECT_THAT(names.tags, ElementsAre("host", "cpu"));
}

}  // namespace
}  // namespace hourcell::design_source_test
