#include <atomic>
#include <latch>
#include <map>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"
#include "tests/uid/uid_fixture.h"
#include "uid/uid_directory.h"

namespace hourcell::uid_assignment_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using What = UidChange::What;

constexpr UidKind kMetric = UidKind::kMetric;
constexpr UidKind kTagk = UidKind::kTagk;
constexpr UidKind kTagv = UidKind::kTagv;

UidOptions MetricWidth(size_t width) {
  UidOptions options;
  options.layout.metric_width = width;
  return options;
}

UidOptions RandomMetrics(size_t width) {
  UidOptions options = MetricWidth(width);
  options.random_metrics = true;
  options.random_seed = 42;
  return options;
}

// --- As OpenTSDB ---

TEST(UidAssignmentTest, AssignsAndOrdersWritesAsOpenTsdb) {
  for (const TestVector& vector : LoadVectors("storage.json", "uid.assign")) {
    SCOPED_TRACE(vector.from);
    const auto width = static_cast<size_t>(IntOf(vector.given, "width"));
    const Uid next = static_cast<Uid>(IntOf(vector.given, "counter_after_increment"));
    const std::string name = TextOf(vector.given, "name");
    MemUidStore store;
    store.SetCounter(kMetric, next - 1);
    auto directory = UidDirectory::Open(MetricWidth(width), &store);
    ASSERT_OK(directory);

    const auto uid = (*directory)->GetOrAssign(kMetric, name);

    if (vector.wants_error()) {
      EXPECT_THAT(uid, StatusIs(StatusCode::kFailedPrecondition));
      continue;
    }
    EXPECT_THAT(uid, IsOkAndHolds(*UidFromBytes(BytesOf(vector.expect, "uid"), width)));
    const std::vector<UidChange> changes = store.last_commit();
    ASSERT_THAT(changes, SizeIs(3));
    EXPECT_EQ(changes[0].what, What::kSetCounter);
    EXPECT_EQ(changes[1].what, What::kSetReverse);
    EXPECT_EQ(changes[2].what, What::kSetForward);
    EXPECT_EQ(changes[2].name, name);
  }
}

// OpenTSDB's loser of a race between processes gets the winner's UID and leaks its own with an
// orphan. One process owns a store of ours, so the race is between threads: the loser waits, leaks
// nothing.
TEST(UidAssignmentTest, LoserOfARaceGetsTheWinnersUidAndLeaksNothing) {
  for (const TestVector& vector : LoadVectors("storage.json", "uid.assign_race_lost")) {
    SCOPED_TRACE(vector.from);
    const std::string name = TextOf(vector.given, "name");
    const Uid winner = *UidFromBytes(BytesOf(vector.given, "winner_uid"), 3);
    UidFixture uids;
    uids.store().SetCounter(kMetric, winner - 1);
    uids.Reopen();
    uids.store().OnRead([&] {  // between the loser's first look and its turn to assign
      uids.store().OnRead(nullptr);
      ASSERT_OK(uids.directory().GetOrAssign(kMetric, name));
      uids.directory().DropCaches();
    });

    EXPECT_THAT(uids.directory().GetOrAssign(kMetric, name), IsOkAndHolds(winner));

    EXPECT_EQ(uids.store().commits(), 1U);
    EXPECT_THAT(uids.store().Reverse(kMetric), ElementsAre(UidMapping{name, winner}));
    EXPECT_EQ(uids.directory().stats(kMetric).ids_used, winner);
  }
}

TEST(UidAssignmentTest, RandomWidthsAsOpenTsdb) {
  for (const TestVector& vector : LoadVectors("storage.json", "uid.random")) {
    SCOPED_TRACE(vector.from);
    const auto width = static_cast<size_t>(IntOf(vector.given, "width"));
    if (width == 0) continue;  // no layout has it
    MemUidStore store;

    const absl::Status opened = UidDirectory::Open(RandomMetrics(width), &store).status();

    EXPECT_EQ(opened.code(), vector.wants_error() ? StatusCode::kInvalidArgument : StatusCode::kOk);
  }
}

// --- Sequential UIDs ---

TEST(UidAssignmentTest, EveryWidthCountsFromOneToItsLast) {
  for (size_t width = kUidWidthMin; width <= kUidWidthMax; ++width) {
    SCOPED_TRACE(width);
    const Uid last = width == 8 ? Uid{INT64_MAX} : (Uid{1} << (8 * width)) - 1;
    UidFixture uids(MetricWidth(width));
    EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "first"), IsOkAndHolds(Uid{1}));
    uids.store().SetCounter(kMetric, last - 1);
    uids.Reopen();

    EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "last"), IsOkAndHolds(last));
    EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "more"),
                StatusIs(StatusCode::kFailedPrecondition,
                         fmt::format("All Unique IDs for metrics on {} bytes are already assigned!",
                                     width)));
    EXPECT_THAT(uids.directory().NameOf(kMetric, last), IsOkAndHolds("last"));
  }
}

TEST(UidAssignmentTest, ExhaustedWidthStaysExhausted) {
  UidFixture uids(MetricWidth(1));
  for (Uid uid = 1; uid <= 255; ++uid) {
    ASSERT_THAT(uids.directory().GetOrAssign(kMetric, fmt::format("m{}", uid)), IsOkAndHolds(uid));
  }

  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "more"),
                StatusIs(StatusCode::kFailedPrecondition));
  }

  EXPECT_THAT(uids.store().GetCounter(kMetric), IsOkAndHolds(Uid{255}));
  EXPECT_EQ(uids.directory().stats(kMetric).ids_available, 0U);
  EXPECT_THAT(uids.directory().Get(kMetric, "m255"), IsOkAndHolds(Uid{255}));
  EXPECT_THAT(uids.directory().GetOrAssign(kTagk, "host"), IsOkAndHolds(Uid{1}));
}

TEST(UidAssignmentTest, ReopenContinuesTheCounter) {
  UidFixture uids;
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "a"));
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "b"));

  uids.Reopen();

  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "c"), IsOkAndHolds(Uid{3}));
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "a"), IsOkAndHolds(Uid{1}));
}

TEST(UidAssignmentTest, NumbersThatHaveANameAreSkipped) {
  UidFixture uids;
  for (const Uid taken : {Uid{1}, Uid{2}, Uid{4}})
    uids.store().SetReverse(kMetric, taken, "x");

  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "a"), IsOkAndHolds(Uid{3}));
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "b"), IsOkAndHolds(Uid{5}));
  EXPECT_THAT(uids.store().GetCounter(kMetric), IsOkAndHolds(Uid{5}));
}

TEST(UidAssignmentTest, CounterFarAfterIsDataLoss) {
  UidFixture uids;
  for (Uid taken = 1; taken <= 1000; ++taken)
    uids.store().SetReverse(kMetric, taken, "x");

  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "a"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("uid fsck")));

  uids.store().SetCounter(kMetric, 1);
  uids.Reopen();
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "a"), IsOkAndHolds(Uid{1001}));
}

// One search for all names, however many there are.
TEST(UidAssignmentTest, NamesAfterAFailedSearchAreRefusedWithoutAnother) {
  UidFixture uids;
  for (Uid taken = 1; taken <= 2000; ++taken)
    uids.store().SetReverse(kMetric, taken, "x");

  UidAssignment assignment(&uids.directory());
  for (int i = 0; i < 500; ++i) {
    EXPECT_THAT(assignment.GetOrAssign(kMetric, fmt::format("m{}", i)),
                StatusIs(StatusCode::kDataLoss, HasSubstr("uid fsck")));
  }
  EXPECT_LE(uids.store().seeks(), 1000U);
  EXPECT_OK(assignment.GetOrAssign(kTagk, "host")) << "of another kind";
}

TEST(UidAssignmentTest, AFailedSearchIsMadeAgainFromAnotherNumber) {
  UidOptions options;
  options.layout.tagk_width = 1;
  UidFixture uids(options);
  for (int i = 1; i < 255; ++i)
    ASSERT_OK(uids.directory().GetOrAssign(kTagk, fmt::format("k{}", i)));

  UidAssignment assignment(&uids.directory());
  const size_t mark = assignment.Mark();
  EXPECT_OK(assignment.GetOrAssign(kTagk, "last"));
  EXPECT_THAT(assignment.GetOrAssign(kTagk, "none"), StatusIs(StatusCode::kFailedPrecondition));
  assignment.RollBackTo(mark);
  EXPECT_THAT(assignment.GetOrAssign(kTagk, "other"), IsOkAndHolds(Uid{255}));
}

// --- The transaction ---

TEST(UidAssignmentTest, NothingIsVisibleBeforeCommitAndPublish) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();
  {
    UidAssignment assignment(&directory);
    EXPECT_THAT(assignment.GetOrAssign(kMetric, "cpu"), IsOkAndHolds(Uid{1}));
    EXPECT_THAT(assignment.GetOrAssign(kTagk, "host"), IsOkAndHolds(Uid{1}));
    EXPECT_THAT(assignment.GetOrAssign(kMetric, "cpu"), IsOkAndHolds(Uid{1}));
    EXPECT_THAT(assignment.changes(), SizeIs(6));
    EXPECT_THAT(directory.Find(kMetric, "cpu"), IsOkAndHolds(std::nullopt));
    EXPECT_EQ(directory.stats(kMetric).ids_used, 0U);

    ASSERT_OK(uids.store().Commit(assignment.changes()));
    assignment.Publish();
    EXPECT_THAT(assignment.changes(), IsEmpty());
    EXPECT_THAT(assignment.GetOrAssign(kMetric, "mem"), IsOkAndHolds(Uid{2}));
  }
  EXPECT_THAT(directory.Get(kMetric, "cpu"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(directory.Get(kTagk, "host"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(directory.Find(kMetric, "mem"), IsOkAndHolds(std::nullopt));  // abandoned
  EXPECT_EQ(directory.stats(kMetric).ids_used, 1U);
}

TEST(UidAssignmentTest, FailedCommitPublishesNothingAndItsNumberIsUsedAgain) {
  UidFixture uids;
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "a"));
  uids.store().FailCommit(1);

  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "b"), StatusIs(StatusCode::kUnavailable));

  EXPECT_THAT(uids.directory().Find(kMetric, "b"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(uids.directory().NameOf(kMetric, 2), StatusIs(StatusCode::kNotFound));
  EXPECT_EQ(uids.directory().stats(kMetric).assigned, 1U);
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "c"), IsOkAndHolds(Uid{2}));
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "b"), IsOkAndHolds(Uid{3}));
}

// RocksDB may have the group in memory though its writer got an error.
TEST(UidAssignmentTest, NewNamesFollowAFailedCommitOfMoreThanASearchSkips) {
  UidFixture uids;
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "a"));
  {
    UidAssignment assignment(&uids.directory());
    for (int i = 0; i < 2000; ++i)
      ASSERT_OK(assignment.GetOrAssign(kMetric, fmt::format("m{}", i)));
    uids.store().FailCommitThatIsThere(1);
    EXPECT_THAT(uids.store().Commit(assignment.changes()), StatusIs(StatusCode::kUnavailable));
  }
  const size_t seeks = uids.store().seeks();

  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "b"), IsOkAndHolds(Uid{2002}));
  EXPECT_EQ(uids.store().seeks() - seeks, 2U);
  EXPECT_THAT(uids.directory().Get(kMetric, "m1999"), IsOkAndHolds(Uid{2001}));
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "c"), IsOkAndHolds(Uid{2003}));
  EXPECT_THAT(uids.store().GetCounter(kMetric), IsOkAndHolds(Uid{2003}));
}

TEST(UidAssignmentTest, WhereAFailedCommitMayBeThereItsUidStaysWithItsName) {
  UidFixture uids;
  uids.store().SayFailedCommitsMayBeThere();
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "a"));
  uids.store().FailCommit(1);
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "b"), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(uids.directory().Find(kMetric, "b"), IsOkAndHolds(std::nullopt));

  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "c"), IsOkAndHolds(Uid{3}));
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "b"), IsOkAndHolds(Uid{2}));
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "d"), IsOkAndHolds(Uid{4}));
}

TEST(UidAssignmentTest, TheCounterOfACommitThatMayBeThereIsStoredAgain) {
  UidFixture uids;
  uids.store().SayFailedCommitsMayBeThere();
  uids.store().FailCommit(1);
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "a"), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(uids.store().GetCounter(kMetric), IsOkAndHolds(Uid{0}));

  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "a"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(uids.store().GetCounter(kMetric), IsOkAndHolds(Uid{1}));
}

TEST(UidAssignmentTest, RollBackGivesUidsAndNamesBack) {
  UidFixture uids;
  uids.store().SetReverse(kMetric, 2, "taken");
  UidAssignment assignment(&uids.directory());
  ASSERT_THAT(assignment.GetOrAssign(kMetric, "good"), IsOkAndHolds(Uid{1}));
  const size_t mark = assignment.Mark();
  ASSERT_THAT(assignment.GetOrAssign(kMetric, "bad"), IsOkAndHolds(Uid{3}));
  ASSERT_THAT(assignment.GetOrAssign(kMetric, "worse"), IsOkAndHolds(Uid{4}));
  ASSERT_THAT(assignment.GetOrAssign(kTagk, "bad"), IsOkAndHolds(Uid{1}));

  assignment.RollBackTo(mark);

  EXPECT_THAT(assignment.changes(), SizeIs(3));
  EXPECT_THAT(assignment.GetOrAssign(kMetric, "good"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(assignment.GetOrAssign(kMetric, "next"), IsOkAndHolds(Uid{3}));
  EXPECT_THAT(assignment.GetOrAssign(kMetric, "bad"), IsOkAndHolds(Uid{4}));
  EXPECT_THAT(assignment.GetOrAssign(kTagk, "host"), IsOkAndHolds(Uid{1}));
  assignment.RollBackTo(0);
  EXPECT_THAT(assignment.changes(), IsEmpty());
  EXPECT_THAT(assignment.GetOrAssign(kMetric, "first"), IsOkAndHolds(Uid{1}));
}

TEST(UidAssignmentTest, CommittedAfterRollBackIsWhatWasKept) {
  UidFixture uids;
  {
    UidAssignment assignment(&uids.directory());
    ASSERT_OK(assignment.GetOrAssign(kMetric, "good"));
    const size_t mark = assignment.Mark();
    ASSERT_OK(assignment.GetOrAssign(kTagv, "bad"));
    assignment.RollBackTo(mark);
    ASSERT_OK(assignment.GetOrAssign(kTagv, "fine"));
    ASSERT_OK(uids.store().Commit(assignment.changes()));
    assignment.Publish();
  }

  uids.Reopen();

  EXPECT_THAT(uids.store().Forward(kMetric), ElementsAre(UidMapping{"good", 1}));
  EXPECT_THAT(uids.store().Forward(kTagv), ElementsAre(UidMapping{"fine", 1}));
  EXPECT_EQ(uids.directory().stats(kTagv).ids_used, 1U);
}

TEST(UidAssignmentTest, AFailureReservesNothing) {
  UidFixture uids;
  UidAssignment assignment(&uids.directory());
  ASSERT_OK(assignment.GetOrAssign(kMetric, "a"));

  EXPECT_THAT(assignment.GetOrAssign(kMetric, "b!"),
              StatusIs(StatusCode::kInvalidArgument, "illegal character: !"));
  EXPECT_THAT(assignment.GetOrAssign(kMetric, "\u6e29"), StatusIs(StatusCode::kInvalidArgument));
  uids.store().FailReads(true);
  EXPECT_THAT(assignment.GetOrAssign(kMetric, "b"), StatusIs(StatusCode::kUnavailable));

  EXPECT_THAT(assignment.changes(), SizeIs(3));
  EXPECT_EQ(uids.directory().stats(kMetric).refused, 2U);
}

TEST(UidAssignmentTest, AutoCreateIsAskedPerKind) {
  for (const UidKind closed : kUidKinds) {
    SCOPED_TRACE(std::string(KindName(closed)));
    UidFixture uids({.auto_create_metrics = closed != kMetric,
                     .auto_create_tagks = closed != kTagk,
                     .auto_create_tagvs = closed != kTagv});
    ASSERT_THAT(uids.directory().GetOrAssign(closed, "known"), IsOkAndHolds(Uid{1}));
    UidAssignment assignment(&uids.directory());

    for (const UidKind kind : kUidKinds) {
      const auto uid = assignment.GetOrAssign(kind, "new");
      EXPECT_EQ(uid.status().code(), kind == closed ? StatusCode::kNotFound : StatusCode::kOk);
    }

    EXPECT_THAT(assignment.GetOrAssign(closed, "known"), IsOkAndHolds(Uid{1}));
    EXPECT_EQ(uids.directory().stats(closed).refused, 1U);
    EXPECT_THAT(assignment.GetOrAssign(closed, "new", /*force=*/true), IsOkAndHolds(Uid{2}));
  }
}

// --- Threads ---

TEST(UidAssignmentTest, TwoThreadsThatWantTheSameNamesGetTheSameUids) {
  constexpr int kNames = 200;
  UidFixture uids;
  std::map<std::string, Uid> got[2];
  std::latch start(2);
  const auto work = [&](int thread) {
    start.arrive_and_wait();
    for (int i = 0; i < kNames; ++i) {
      const std::string name = fmt::format("m{}", i);
      const auto uid = uids.directory().GetOrAssign(kMetric, name);
      if (uid.ok()) got[thread][name] = *uid;
    }
  };

  std::thread other(work, 1);
  work(0);
  other.join();

  EXPECT_THAT(got[0], SizeIs(kNames));
  EXPECT_EQ(got[0], got[1]);
  std::set<Uid> distinct;
  for (const auto& [name, uid] : got[0])
    distinct.insert(uid);
  EXPECT_THAT(distinct, SizeIs(kNames));
  EXPECT_EQ(*distinct.rbegin(), Uid{kNames});  // no number was lost
  EXPECT_EQ(uids.store().commits(), size_t{kNames});
}

TEST(UidAssignmentTest, WaiterTriesItselfWhenTheFirstFails) {
  UidFixture uids;
  std::latch in_commit(1);
  std::thread waiter;
  absl::StatusOr<Uid> waited = absl::UnknownError("did not run");
  uids.store().FailCommit(1);
  uids.store().OnCommit([&] {
    uids.store().OnCommit(nullptr);
    waiter = std::thread([&] {
      in_commit.count_down();
      waited = uids.directory().GetOrAssign(kMetric, "cpu");
    });
    in_commit.wait();
  });

  const auto first = uids.directory().GetOrAssign(kMetric, "cpu");
  waiter.join();

  EXPECT_THAT(first, StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(waited, IsOkAndHolds(Uid{1}));
  EXPECT_THAT(uids.store().Reverse(kMetric), ElementsAre(UidMapping{"cpu", 1}));
}

TEST(UidAssignmentTest, LookupsAndStatsDoNotWaitForAnAssignment) {
  UidFixture uids;
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "cpu"));
  UidAssignment assignment(&uids.directory());
  ASSERT_OK(assignment.GetOrAssign(kMetric, "mem"));
  std::atomic<bool> found = false;

  std::thread reader([&] {
    found = uids.directory().Get(kMetric, "cpu").ok() && uids.directory().NameOf(kMetric, 1).ok() &&
            uids.directory().stats(kMetric).ids_used == 1;
  });
  reader.join();

  EXPECT_TRUE(found);
}

// --- Random metric UIDs ---

TEST(UidAssignmentTest, RandomMetricsLeaveTheCounterAlone) {
  UidFixture uids(RandomMetrics(3));

  for (int i = 0; i < 100; ++i) {
    const auto uid = uids.directory().GetOrAssign(kMetric, fmt::format("m{}", i));
    ASSERT_OK(uid);
    EXPECT_GE(*uid, Uid{1});
    EXPECT_LE(*uid, Uid{0xFFFFFF});
  }

  EXPECT_THAT(uids.store().Reverse(kMetric), SizeIs(100));
  EXPECT_THAT(uids.store().GetCounter(kMetric), IsOkAndHolds(Uid{0}));
  EXPECT_EQ(uids.directory().stats(kMetric).ids_used, 0U);
  EXPECT_EQ(uids.directory().stats(kMetric).ids_available, 0U);
  EXPECT_THAT(uids.directory().GetOrAssign(kTagk, "host"), IsOkAndHolds(Uid{1}));
}

TEST(UidAssignmentTest, RandomUidsDoNotCollideWithEachOtherOrWithReservedOnes) {
  UidFixture uids(RandomMetrics(1));
  std::set<Uid> distinct;
  UidAssignment assignment(&uids.directory());

  for (int i = 0; i < 100; ++i) {
    const auto uid = assignment.GetOrAssign(kMetric, fmt::format("m{}", i));
    ASSERT_OK(uid);
    EXPECT_TRUE(distinct.insert(*uid).second);
    if (i == 50) {
      ASSERT_OK(uids.store().Commit(assignment.changes()));
      assignment.Publish();
    }
  }

  EXPECT_FALSE(distinct.contains(kNoUid));
  EXPECT_GT(uids.directory().stats(kMetric).random_collisions, 0U);
}

TEST(UidAssignmentTest, RandomUidsGiveUpAfterTenTries) {
  UidFixture uids(RandomMetrics(1));
  for (Uid uid = 1; uid <= 255; ++uid)
    uids.store().SetReverse(kMetric, uid, "x");

  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "a"),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("10 random UIDs")));

  EXPECT_EQ(uids.directory().stats(kMetric).random_collisions, 10U);
}

TEST(UidAssignmentTest, RolledBackRandomUidsAreFree) {
  UidFixture uids(RandomMetrics(1));
  UidAssignment assignment(&uids.directory());

  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 50; ++i) {
      ASSERT_OK(assignment.GetOrAssign(kMetric, fmt::format("m{}", i)));
    }
    assignment.RollBackTo(0);
  }

  EXPECT_THAT(assignment.changes(), IsEmpty());
}

}  // namespace
}  // namespace hourcell::uid_assignment_test
