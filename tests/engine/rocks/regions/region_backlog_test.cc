#include "engine/rocks/regions/region_backlog.h"

#include <gtest/gtest.h>

namespace hourcell::region_backlog_test {
namespace {

TEST(RegionBacklogTest, ItLagsFromTheLimitsOnUntilMuchIsMerged) {
  RegionBacklog backlog;
  EXPECT_FALSE(backlog.is_lagging());
  backlog.Note(35, 2);
  EXPECT_FALSE(backlog.is_lagging());
  backlog.Note(36, 0);
  EXPECT_TRUE(backlog.is_lagging());
  backlog.Note(24, 0);
  EXPECT_TRUE(backlog.is_lagging()) << "as it would be again at once";
  backlog.Note(23, 1);
  EXPECT_FALSE(backlog.is_lagging());
  backlog.Note(0, 3);
  EXPECT_TRUE(backlog.is_lagging());
  backlog.Note(0, 2);
  EXPECT_TRUE(backlog.is_lagging());
  backlog.Note(23, 1);
  EXPECT_FALSE(backlog.is_lagging());
}

TEST(RegionBacklogTest, CountsRows) {
  RegionBacklog backlog;
  backlog.CountWritten(5);
  backlog.CountWritten(7);
  backlog.CountBlocked(2);
  EXPECT_EQ(backlog.written(), 12u);
  EXPECT_EQ(backlog.blocked(), 2u);
}

}  // namespace
}  // namespace hourcell::region_backlog_test
