#include "engine/rows/region_catalogue.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::region_catalogue_test {
namespace {

using testing::HasSubstr;

RegionInfo FullRegion() {
  return {.table = "data",
          .range = {.start = std::string("\x00\x01", 2), .end = "\xFF\n="},
          .id = {1763780000123},
          .state = RegionState::kSplitting,
          .parents = {{7}, {1763780000000}},
          .pinned_until_ms = 99,
          .has_references = true,
          .column_family = "data.1763780000123"};
}

TEST(RegionCatalogueTest, RegionsComeBackAsTheyWere) {
  const RegionInfo all{.table = "data",
                       .range = {},
                       .id = {1},
                       .state = RegionState::kOpen,
                       .parents = {},
                       .pinned_until_ms = 0,
                       .has_references = false,
                       .column_family = "data.1"};
  for (const RegionInfo& region : {all, FullRegion()}) {
    const Mutation row = SetRegion(region);
    EXPECT_EQ(row.table, TableId::kSystem);
    EXPECT_THAT(DecodeRegion(row.key, row.value), IsOkAndHolds(region)) << row.value;
    EXPECT_EQ(DeleteRegion(region).key, row.key);
  }
}

TEST(RegionCatalogueTest, AFamilyWithoutANameIsTheDefaultOne) {
  const RegionInfo region{.table = "data", .id = {12}};

  const auto decoded = DecodeRegion(RegionKey("data", {12}), EncodeRegion(region));

  ASSERT_OK(decoded);
  EXPECT_EQ(decoded->column_family, "data.12");
}

TEST(RegionCatalogueTest, RowsAreTextInTheOrderOfIds) {
  EXPECT_EQ(RegionKey("data", {12}), "region/data/00000000000000000012");
  EXPECT_EQ(TransitionKey("data", {12}), "transition/data/00000000000000000012");
  EXPECT_LT(RegionKey("data", {9}), RegionKey("data", {10}));
  EXPECT_EQ(EncodeRegion(FullRegion()),
            "start=0001\n"
            "end=ff0a3d\n"
            "state=SPLITTING\n"
            "family=data.1763780000123\n"
            "parents=7,1763780000000\n"
            "pinned_until_ms=99\n"
            "references=1\n");
}

TEST(RegionCatalogueTest, DamageIsNamed) {
  const std::string key = RegionKey("data", {1});
  for (const char* const damaged :
       {"region/", "region/data", "region/data/1", "region//00000000000000000001",
        "region/data/0000000000000000000x", "ttl/01"}) {
    EXPECT_THAT(DecodeRegion(damaged, "family=data.1\n"), StatusIs(absl::StatusCode::kDataLoss))
        << damaged;
  }
  for (const char* const damaged :
       {"", "family=\n", "family=data.1\nstart=0\n", "family=data.1\nend=zz\n",
        "family=data.1\nstate=open\n", "family=data.1\nparents=\n", "family=data.1\nparents=1,\n",
        "family=data.1\npinned_until_ms=-1\n", "family=data.1\nreferences=2\n",
        "family=data.1\ncolour=red\n", "family=data.1\nnothing\n"}) {
    EXPECT_THAT(DecodeRegion(key, damaged), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(key)))
        << damaged;
  }
}

TEST(RegionCatalogueTest, TheLastIdIsADecimalNumber) {
  EXPECT_THAT(DecodeLastRegionId("1763780000123"), IsOkAndHolds(RegionId{1763780000123}));
  for (const char* const damaged : {"", "x", "1 ", "-1", "18446744073709551616"})
    EXPECT_THAT(DecodeLastRegionId(damaged), StatusIs(absl::StatusCode::kDataLoss)) << damaged;
}

}  // namespace
}  // namespace hourcell::region_catalogue_test
