#include "engine/store_meta.h"

#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(StoreMetaTest, ANewStoreGetsTheLayoutAskedFor) {
  MemTableStore tables;
  Options options = TinyOptions("x");
  options.layout.salt_width = 1;

  EXPECT_THAT(ReadOrCreateMeta(options, &tables), IsOkAndHolds(options.layout));
  EXPECT_THAT(ReadOrCreateMeta(options, &tables), IsOkAndHolds(options.layout));
}

TEST(StoreMetaTest, NamesEveryDifferenceOfAnotherLayout) {
  MemTableStore tables;
  ASSERT_OK(ReadOrCreateMeta(TinyOptions("x"), &tables));

  Options other = TinyOptions("x");
  other.layout.salt_width = 1;
  other.layout.tagv_width = 4;

  EXPECT_THAT(ReadOrCreateMeta(other, &tables),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("tsd.storage.salt.width"),
                             HasSubstr("tsd.storage.uid.width.tagv"))));
  other.check_layout = false;
  EXPECT_THAT(ReadOrCreateMeta(other, &tables), IsOkAndHolds(Layout()));
}

TEST(StoreMetaTest, RefusesANewerFormat) {
  MemTableStore tables;
  const Mutation set{TableId::kMeta, Mutation::Kind::kSet, "format", "2"};
  ASSERT_OK(tables.Apply({&set, 1}, false));

  EXPECT_THAT(ReadOrCreateMeta(TinyOptions("x"), &tables),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("store format \"2\"")));
}

TEST(StoreMetaTest, RowsWithoutAFormatRecordAreDataLoss) {
  MemTableStore tables;
  const Mutation set{TableId::kUid, Mutation::Kind::kSet, "k", "v"};
  ASSERT_OK(tables.Apply({&set, 1}, false));

  EXPECT_THAT(ReadOrCreateMeta(TinyOptions("x"), &tables),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("rows in uid")));
}

}  // namespace
}  // namespace hourcell
