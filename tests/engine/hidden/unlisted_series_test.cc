#include "engine/hidden/unlisted_series.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::unlisted_series_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Numbers = std::vector<SeriesNumber>;

const std::vector<Uid> kMetrics = {7};

Numbers Left(const UnlistedSeries& unlisted) {
  return SeriesSet::Difference(unlisted.Now(), nullptr);
}

TEST(UnlistedSeriesTest, OnlyAnnouncedSeriesAreLeftOut) {
  UnlistedSeries unlisted;
  EXPECT_FALSE(unlisted.is_any());
  EXPECT_EQ(unlisted.Now(), nullptr);
  unlisted.Announce(Numbers{1, 2, uint64_t{5} << 40});
  EXPECT_EQ(unlisted.Now(), nullptr) << "they are listed until then";
  unlisted.Show(Numbers{2, 7});
  unlisted.Leave(kMetrics, Numbers{1, 2, 3, uint64_t{5} << 40});
  EXPECT_THAT(Left(unlisted), ElementsAre(1, uint64_t{5} << 40)) << "2 got a point meanwhile";

  unlisted.Announce(Numbers{3});
  unlisted.Leave(kMetrics, Numbers{1, 3, 4});
  EXPECT_THAT(Left(unlisted), ElementsAre(1, 3, uint64_t{5} << 40));
  unlisted.Announce({});
  unlisted.Leave(kMetrics, Numbers{4});
  EXPECT_THAT(Left(unlisted), ElementsAre(1, 3, uint64_t{5} << 40));
}

TEST(UnlistedSeriesTest, AListThatWasTakenStaysAsItIs) {
  UnlistedSeries unlisted;
  unlisted.Announce(Numbers{1, 2});
  unlisted.Leave(kMetrics, Numbers{1, 2});
  const SeriesSet::Pointer before = unlisted.Now();
  unlisted.Show(Numbers{1});
  EXPECT_TRUE(before->Contains(1));
  EXPECT_THAT(Left(unlisted), ElementsAre(2));
  EXPECT_THAT(SeriesSet::Difference(before, unlisted.Now()), ElementsAre(1));
  EXPECT_THAT(SeriesSet::Difference(SeriesSet::Intersection(before, unlisted.Now()), nullptr),
              ElementsAre(2));

  unlisted.Announce({});
  unlisted.Show(Numbers{2});
  EXPECT_EQ(unlisted.Now(), nullptr);
  EXPECT_FALSE(unlisted.is_any());
  EXPECT_THAT(SeriesSet::Difference(nullptr, before), IsEmpty());
  EXPECT_EQ(SeriesSet::Intersection(before, nullptr), nullptr);
}

TEST(UnlistedSeriesTest, KnowsTheMetricsThatMayHaveSome) {
  UnlistedSeries unlisted;
  unlisted.Announce(Numbers{1, 2});
  unlisted.Leave(std::vector<Uid>{7}, Numbers{1});
  unlisted.Leave(std::vector<Uid>{8, 9}, Numbers{2, 3});
  EXPECT_TRUE(unlisted.Now()->MayContainOf(7));
  EXPECT_TRUE(unlisted.Now()->MayContainOf(8));
  EXPECT_FALSE(unlisted.Now()->MayContainOf(6));
  unlisted.Show(Numbers{2});
  EXPECT_TRUE(unlisted.Now()->MayContainOf(7)) << "1 is left out";
}

}  // namespace
}  // namespace hourcell::unlisted_series_test
