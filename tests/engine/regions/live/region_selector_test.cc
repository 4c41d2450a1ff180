#include "engine/regions/live/region_selector.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/regions/region_name.h"
#include "tests/support/status_matchers.h"

namespace hourcell::region_selector_test {
namespace {

using testing::HasSubstr;

// [, \x00\x01)  [\x00\x01, 5)  [5, x)  [x, ), of the ids 7 to 10.
std::vector<RegionInfo> Regions() {
  const std::vector<std::string> starts = {"", std::string("\x00\x01", 2), "5", "x"};
  std::vector<RegionInfo> regions;
  for (size_t i = 0; i < starts.size(); ++i) {
    regions.push_back({.table = "data",
                       .range = {.start = starts[i], .end = i < 3 ? starts[i + 1] : ""},
                       .id = {7 + i},
                       .state = RegionState::kOpen});
  }
  return regions;
}

absl::StatusOr<size_t> Find(std::string_view selector) {
  return FindRegion(Regions(), selector);
}

TEST(RegionSelectorTest, FindsByIdNameAndKey) {
  const std::vector<RegionInfo> regions = Regions();
  for (size_t i = 0; i < regions.size(); ++i) {
    const RegionInfo& region = regions[i];
    EXPECT_THAT(Find(std::to_string(region.id.value)), IsOkAndHolds(i));
    EXPECT_THAT(Find(EncodedRegionName("data", region.range.start, region.id)), IsOkAndHolds(i));
    EXPECT_THAT(Find(PrintableRegionName("data", region.range.start, region.id)), IsOkAndHolds(i));
  }
  EXPECT_THAT(Find("\\x00\\x00"), IsOkAndHolds(0u));
  EXPECT_THAT(Find("\\x00\\x01"), IsOkAndHolds(1u));
  EXPECT_THAT(Find("abc"), IsOkAndHolds(2u));
  EXPECT_THAT(Find("\\xFF"), IsOkAndHolds(3u));
}

// "7" is the region of that id; as a key it is in another one.
TEST(RegionSelectorTest, AKeyThatLooksLikeAnIdIsSaidToBeOne) {
  EXPECT_THAT(Find("7"), IsOkAndHolds(0u));
  EXPECT_THAT(Find("key:7"), IsOkAndHolds(2u));
  EXPECT_THAT(Find("key:"), IsOkAndHolds(0u));
  EXPECT_THAT(Find("key:00000000000000000000000000000000"), IsOkAndHolds(1u));
}

TEST(RegionSelectorTest, ARegionThatIsNoMoreIsNotTakenForAnother) {
  const auto is_gone = StatusIs(absl::StatusCode::kNotFound, HasSubstr("split or merged"));
  EXPECT_THAT(Find("11"), is_gone);
  EXPECT_THAT(Find("99999999999999999999999"), is_gone);
  EXPECT_THAT(Find("00000000000000000000000000000000"), is_gone);
  EXPECT_THAT(Find(EncodedRegionName("data", "x", {11})), is_gone);
  EXPECT_THAT(Find(PrintableRegionName("data", "x", {9})), is_gone);
  EXPECT_THAT(Find(PrintableRegionName("annotation", "x", {10})), is_gone);
}

TEST(RegionSelectorTest, SaysWhatIsWanted) {
  EXPECT_THAT(Find(""),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("missing; expected")));
  for (const char* const wrong : {"\\x0", "a\\b", "key:\\", "\x01"}) {
    EXPECT_THAT(Find(wrong),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected an id")))
        << wrong;
  }
}

}  // namespace
}  // namespace hourcell::region_selector_test
