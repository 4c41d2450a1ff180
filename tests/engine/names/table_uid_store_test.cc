#include "engine/names/table_uid_store.h"

#include "codec/base/bytes.h"
#include "engine/rows/uid_key.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::table_uid_store_test {
namespace {

using testing::Optional;

class TableUidStoreTest : public testing::Test {
 protected:
  const Layout layout_;
  MemTableStore tables_;
  TableUidStore store_{layout_, &tables_};
};

TEST_F(TableUidStoreTest, KeysAreAsDrawn) {
  EXPECT_EQ(UidForwardKey(UidKind::kMetric, "cpu"), "imcpu");
  EXPECT_EQ(ToHex(UidReverseKey(layout_, UidKind::kTagk, 258)), "6e6b000102");
  EXPECT_EQ(UidCounterKey(UidKind::kTagv), "cv");
}

TEST_F(TableUidStoreTest, ReadsBackWhatWasCommitted) {
  const UidChange changes[] = {{UidChange::What::kSetCounter, UidKind::kMetric, 7, ""},
                               {UidChange::What::kSetReverse, UidKind::kMetric, 7, "cpu"},
                               {UidChange::What::kSetForward, UidKind::kMetric, 7, "cpu"}};
  ASSERT_OK(store_.Commit(changes));

  EXPECT_THAT(store_.GetCounter(UidKind::kMetric), IsOkAndHolds(7u));
  EXPECT_THAT(store_.GetForward(UidKind::kMetric, "cpu"), IsOkAndHolds(Optional(Uid{7})));
  EXPECT_THAT(store_.GetReverse(UidKind::kMetric, 7), IsOkAndHolds(Optional(std::string("cpu"))));
  EXPECT_THAT(store_.GetForward(UidKind::kTagk, "cpu"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(store_.GetCounter(UidKind::kTagk), IsOkAndHolds(0u));
}

TEST_F(TableUidStoreTest, ScansNamesByPrefixWithinAKind) {
  const UidChange changes[] = {{UidChange::What::kSetForward, UidKind::kMetric, 1, "sys.cpu"},
                               {UidChange::What::kSetForward, UidKind::kMetric, 2, "sys.mem"},
                               {UidChange::What::kSetForward, UidKind::kMetric, 3, "tcp"},
                               {UidChange::What::kSetForward, UidKind::kTagv, 4, "sys.x"}};
  ASSERT_OK(store_.Commit(changes));

  std::vector<std::string> names;
  ASSERT_OK(store_.ScanForward(UidKind::kMetric, "sys.", [&](const UidMapping& mapping) {
    names.push_back(mapping.name);
    return true;
  }));

  EXPECT_THAT(names, testing::ElementsAre("sys.cpu", "sys.mem"));
}

TEST_F(TableUidStoreTest, AUidOfAnotherWidthIsDataLoss) {
  const Mutation set{TableId::kUid, Mutation::Kind::kSet, UidForwardKey(UidKind::kTagk, "host"),
                     "\x01"};
  ASSERT_OK(tables_.Apply({&set, 1}, false));

  EXPECT_THAT(store_.GetForward(UidKind::kTagk, "host"), StatusIs(absl::StatusCode::kDataLoss));
}

// No name has the UID 0: points would go where no name leads back from.
TEST_F(TableUidStoreTest, AUidOfZeroIsDataLoss) {
  const Mutation set{TableId::kUid, Mutation::Kind::kSet, UidForwardKey(UidKind::kTagk, "host"),
                     std::string(3, '\0')};
  ASSERT_OK(tables_.Apply({&set, 1}, false));

  EXPECT_THAT(store_.GetForward(UidKind::kTagk, "host"),
              StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("UID 0")));
}

}  // namespace
}  // namespace hourcell::table_uid_store_test
