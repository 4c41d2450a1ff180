#include "uid/name_batch.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/uid/uid_fixture.h"
#include "uid/uid_directory.h"

namespace hourcell::name_batch_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using What = UidChange::What;

constexpr UidKind kMetric = UidKind::kMetric;
constexpr UidKind kTagk = UidKind::kTagk;
constexpr UidKind kTagv = UidKind::kTagv;

std::vector<std::string> Names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i)
    names.push_back(fmt::format("h{}", i));
  return names;
}

TEST(NameBatchTest, FindsInTheCacheAndReadsTheOthers) {
  UidFixture uids;
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "stored"));
  uids.Reopen();
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "cached"));
  NameBatch names(&uids.directory());

  EXPECT_EQ(names.Find(kMetric, "cached"), Uid{2});
  EXPECT_EQ(names.Find(kMetric, "stored"), kNoUid);
  EXPECT_EQ(names.Find(kMetric, "none"), kNoUid);
  EXPECT_EQ(names.Find(kTagk, "cached"), kNoUid);
  ASSERT_OK(names.Read());

  EXPECT_THAT(names.Get(kMetric, "cached"), IsOkAndHolds(Uid{2}));
  EXPECT_THAT(names.Get(kMetric, "stored"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(names.Get(kMetric, "none"), IsOkAndHolds(kNoUid));
  EXPECT_THAT(names.Get(kTagk, "cached"), IsOkAndHolds(kNoUid));
}

TEST(NameBatchTest, AnIllegalNameIsToldByGet) {
  UidFixture uids;
  NameBatch names(&uids.directory());
  for (const std::string_view name : {"", "b!", "\u6e29"})
    EXPECT_EQ(names.Find(kMetric, name), kNoUid);

  ASSERT_OK(names.Read());

  EXPECT_THAT(names.Get(kMetric, "b!"),
              StatusIs(StatusCode::kInvalidArgument, "illegal character: !"));
  EXPECT_THAT(names.Get(kMetric, ""), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(names.Get(kMetric, "\u6e29"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(uids.directory().stats(kMetric).refused, 3U);
}

TEST(NameBatchTest, AFailedReadIsAnError) {
  UidFixture uids;
  NameBatch names(&uids.directory());
  names.Find(kMetric, "m");
  uids.store().FailReads(true);

  EXPECT_THAT(names.Read(), StatusIs(StatusCode::kUnavailable));
}

TEST(NameBatchTest, ManyNewNamesTakeAsManyReadsAsOne) {
  size_t reads[2];
  int at = 0;
  for (const int count : {1, 1000}) {
    UidFixture uids;
    const std::vector<std::string> values = Names(count);
    const size_t before = uids.store().reads();
    NameBatch names(&uids.directory());
    for (const std::string& value : values)
      names.Find(kTagv, value);
    ASSERT_OK(names.Read());
    UidAssignment assignment(&uids.directory());
    ASSERT_OK(assignment.Use(&names));

    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_THAT(assignment.GetOrAssign(kTagv, values[i]), IsOkAndHolds(Uid{i + 1}));

    reads[at++] = uids.store().reads() - before;
  }
  EXPECT_EQ(reads[0], 2U);  // the names; the next number that is taken
  EXPECT_EQ(reads[1], reads[0]);
}

// Between the batch's read and the turn to assign, another assignment makes the name.
TEST(NameBatchTest, ANameThatCameSinceIsFound) {
  UidFixture uids;
  NameBatch names(&uids.directory());
  names.Find(kMetric, "cpu");
  names.Find(kMetric, "mem");
  ASSERT_OK(names.Read());
  ASSERT_THAT(uids.directory().GetOrAssign(kMetric, "mem"), IsOkAndHolds(Uid{1}));
  uids.directory().DropCaches();

  UidAssignment assignment(&uids.directory());
  ASSERT_OK(assignment.Use(&names));

  EXPECT_THAT(assignment.GetOrAssign(kMetric, "mem"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(assignment.GetOrAssign(kMetric, "cpu"), IsOkAndHolds(Uid{2}));
  EXPECT_THAT(assignment.GetOrAssign(kMetric, "disk"), IsOkAndHolds(Uid{3}));  // not of the batch
}

TEST(NameBatchTest, ANameThatWasRenamedSinceIsFound) {
  UidFixture uids;
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "old"));
  NameBatch names(&uids.directory());
  names.Find(kMetric, "new");
  ASSERT_OK(names.Read());
  ASSERT_OK(uids.directory().Rename(kMetric, "old", "new"));

  UidAssignment assignment(&uids.directory());
  ASSERT_OK(assignment.Use(&names));

  EXPECT_THAT(assignment.GetOrAssign(kMetric, "new"), IsOkAndHolds(Uid{1}));
}

TEST(NameBatchTest, ChangesAreCountersThenReverseThenForwardRows) {
  UidFixture uids;
  UidAssignment assignment(&uids.directory());
  ASSERT_OK(assignment.GetOrAssign(kMetric, "m"));
  ASSERT_OK(assignment.GetOrAssign(kTagv, "a"));
  ASSERT_OK(assignment.GetOrAssign(kTagv, "b"));

  std::vector<What> order;
  for (const UidChange& change : assignment.changes())
    order.push_back(change.what);

  EXPECT_THAT(order, ElementsAre(What::kSetCounter, What::kSetCounter, What::kSetReverse,
                                 What::kSetReverse, What::kSetReverse, What::kSetForward,
                                 What::kSetForward, What::kSetForward));
  EXPECT_EQ(assignment.changes()[1].uid, Uid{2});
}

}  // namespace
}  // namespace hourcell::name_batch_test
