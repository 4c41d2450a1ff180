#include "bench/lab/simulate/design_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::design_text_test {
namespace {

using testing::HasSubstr;

TEST(DesignTextTest, WordsChangeTheDefaults) {
  const auto design = ParseDesign(
      "by hash: layout=hash:2+metric+hour+tags  presplit=uniform:8 distributor=xxh3:4 seed=7 "
      "tsd.region.split.policy=ConstantSize tsd.simulate.ttl_s=60",
      {.presplit = "salt", .settings = {{"tsd.region.flush_bytes", "1MiB"}}});
  ASSERT_OK(design);

  EXPECT_EQ(design->name, "by hash");
  EXPECT_EQ(design->layout, "hash:2+metric+hour+tags");
  EXPECT_EQ(design->presplit, "uniform:8");
  EXPECT_EQ(design->distributor, "xxh3:4");
  EXPECT_EQ(design->settings.seed, 7U);
  EXPECT_EQ(design->settings.regions.split.policy, SplitPolicyKind::kConstantSize);
  EXPECT_EQ(design->settings.regions.split.flush_bytes, uint64_t{1} << 20);
  EXPECT_EQ(design->settings.ttl_ms, 60'000U);
}

TEST(DesignTextTest, AnEngineIsItsDefaults) {
  const auto hbase = ParseDesign("old: engine=hbase", {});
  ASSERT_OK(hbase);

  EXPECT_EQ(hbase->settings.regions.split.policy, SplitPolicyKind::kStepping);
  EXPECT_EQ(hbase->settings.cells.model, CellModel::kHBase);
  EXPECT_EQ(hbase->layout, "opentsdb");
}

TEST(DesignTextTest, RefusesWhatIsNoDesign) {
  for (const auto& [text, why] : std::initializer_list<std::pair<std::string_view, const char*>>{
           {"layout=opentsdb", "a name, a colon"},
           {": layout=opentsdb", "a name, a colon"},
           {"a: layout", "key=value"},
           {"a: seed=x", "seed=NUMBER"},
           {"a: engine=oracle", "hourcell or hbase"},
           {"a: tsd.region.split.policy=Best", "SPLIT_POLICY"},
           {"a: tsd.simulate.colour=red", "colour"}}) {
    const auto design = ParseDesign(text, {});
    EXPECT_EQ(design.status().code(), absl::StatusCode::kInvalidArgument) << text;
    if (std::string_view(why) != "SPLIT_POLICY") {
      EXPECT_THAT(design, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why))) << text;
    }
  }
}

}  // namespace
}  // namespace hourcell::design_text_test
