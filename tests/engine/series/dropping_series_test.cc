#include "engine/series/dropping_series.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace hourcell::dropping_series_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DroppingSeriesTest, WhatIsUsedIsNotDropped) {
  DroppingSeries dropping;
  EXPECT_EQ(dropping.Use(7), 7u) << "nothing was announced";
  const std::vector<SeriesNumber> numbers = {5, 6, 7};
  dropping.Announce(numbers);
  EXPECT_EQ(dropping.Use(6), 6u);
  EXPECT_FALSE(dropping.WasDropped(5)) << "announced only";

  EXPECT_THAT(dropping.Take(numbers), ElementsAre(5, 7));

  EXPECT_EQ(dropping.Use(5), 0u);
  EXPECT_EQ(dropping.Use(6), 6u);
  EXPECT_EQ(dropping.Use(8), 8u);
  EXPECT_EQ(dropping.Use(0), 0u);
  EXPECT_TRUE(dropping.WasDropped(7));
  EXPECT_FALSE(dropping.WasDropped(6));
  EXPECT_THAT(dropping.Take(numbers), IsEmpty()) << "each once";
}

TEST(DroppingSeriesTest, WhatCouldNotBeRemovedIsThereAgain) {
  DroppingSeries dropping;
  const std::vector<SeriesNumber> numbers = {5, 6};
  dropping.Announce(numbers);
  dropping.Undo(dropping.Take(numbers));
  EXPECT_EQ(dropping.Use(5), 5u);
  EXPECT_FALSE(dropping.WasDropped(6));
}

TEST(DroppingSeriesTest, ACancelledListIsEmpty) {
  DroppingSeries dropping;
  const std::vector<SeriesNumber> numbers = {5, 6};
  dropping.Announce(numbers);
  dropping.Cancel();
  EXPECT_THAT(dropping.Take(numbers), IsEmpty());
}

// Who looked for a series before any of these looks again before it makes one.
TEST(DroppingSeriesTest, CountsWhatChanges) {
  DroppingSeries dropping;
  const std::vector<SeriesNumber> numbers = {5};
  uint64_t before = dropping.changes();
  const auto has_changed = [&] {
    const uint64_t now = dropping.changes();
    return std::exchange(before, now) != now;
  };
  dropping.Announce(numbers);
  EXPECT_FALSE(has_changed());
  dropping.Take(numbers);
  EXPECT_TRUE(has_changed());
  EXPECT_EQ(dropping.DropsOf(1), 0u);
  dropping.Finish(1);
  EXPECT_TRUE(has_changed());
  EXPECT_EQ(dropping.DropsOf(1), 1u);
  EXPECT_EQ(dropping.DropsOf(2), 0u);
  dropping.Undo(numbers);
  EXPECT_TRUE(has_changed());
}

}  // namespace
}  // namespace hourcell::dropping_series_test
