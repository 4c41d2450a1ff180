#include "engine/append.h"

#include <gtest/gtest.h>

#include "tests/support/late_commits.h"
#include "tests/support/status_matchers.h"

namespace hourcell::append_test {
namespace {

TEST(CommitTicketTest, CoversEveryTicketWhateverTheirOrder) {
  LateCommits commits;
  CommitTicket all;
  // A leader that takes the logs one by one promises the later block first.
  all.Cover(commits.TakeInto(2, 10));
  all.Cover(commits.TakeInto(1, 20));
  all.Cover(CommitTicket());  // nothing was placed
  EXPECT_EQ(commits.written_points(), 0U);

  EXPECT_OK(all.Wait());
  EXPECT_EQ(commits.written_points(), 30U);
}

TEST(CommitTicketTest, IsSyncedIfOneIs) {
  LateCommits commits;
  CommitTicket all = commits.Take(1, /*sync=*/true);
  all.Cover(commits.Take(2));

  EXPECT_OK(all.WaitFor(1));
  EXPECT_EQ(commits.synced_points(), 3U);
}

TEST(CommitTicketTest, KeepsTheFirstFailure) {
  LateCommits commits;
  CommitTicket all = commits.Take(1);
  EXPECT_FALSE(all.took_nothing());
  all.Cover(CommitTicket(absl::UnavailableError("full")));
  all.Cover(CommitTicket(absl::PermissionDeniedError("not yours")));
  all.Cover(commits.Take(1));

  EXPECT_THAT(all.Wait(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(all.WaitFor(1), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(all.took_nothing());
  CommitTicket none;
  none.Cover(CommitTicket(absl::UnavailableError("full")));
  EXPECT_TRUE(none.took_nothing());
}

TEST(CommitTicketTest, TellsOfAnOlderBlockThatCannotBeWritten) {
  LateCommits commits;
  commits.FailNext(absl::UnavailableError("disk full"));
  CommitTicket all = commits.Take(1);
  all.Cover(commits.Take(1));

  EXPECT_THAT(all.Wait(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_OK(all.Wait()) << "it is tried again";
  EXPECT_EQ(commits.written_points(), 2U);
}

}  // namespace
}  // namespace hourcell::append_test
