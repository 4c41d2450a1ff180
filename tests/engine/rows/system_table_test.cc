#include "engine/rows/system_table.h"

#include <optional>

#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::system_table_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(SystemTableTest, ANewStoreGetsTheLayoutAskedFor) {
  TempDir directory;
  MemTableStore tables;
  Options options = TinyOptions(directory.path());
  options.layout.salt_width = 1;

  EXPECT_THAT(ReadOrCreateLayout(options, &tables), IsOkAndHolds(options.layout));
  EXPECT_THAT(ReadOrCreateLayout(options, &tables), IsOkAndHolds(options.layout));
}

TEST(SystemTableTest, OnlyANewStoreGetsAPlaceForItsJournal) {
  TempDir directory;
  MemTableStore tables;
  const Options options = TinyOptions(directory.path());
  int made = 0;
  const auto make_journal = [&] {
    ++made;
    // The record comes after it.
    EXPECT_THAT(tables.Snapshot()->Get(TableId::kSystem, "format"), IsOkAndHolds(std::nullopt));
    return absl::OkStatus();
  };
  ASSERT_OK(ReadOrCreateLayout(options, &tables, make_journal));
  EXPECT_EQ(made, 1);

  ASSERT_OK(ReadOrCreateLayout(options, &tables, make_journal));
  EXPECT_EQ(made, 1);
}

TEST(SystemTableTest, AStoreWithoutAPlaceForItsJournalGetsNoLayout) {
  TempDir directory;
  MemTableStore tables;

  EXPECT_THAT(ReadOrCreateLayout(TinyOptions(directory.path()), &tables,
                                 [] { return absl::UnavailableError("full"); }),
              StatusIs(absl::StatusCode::kUnavailable));

  EXPECT_THAT(tables.Snapshot()->Get(TableId::kSystem, "format"), IsOkAndHolds(std::nullopt));
}

TEST(SystemTableTest, NamesEveryDifferenceOfAnotherLayout) {
  TempDir directory;
  MemTableStore tables;
  ASSERT_OK(ReadOrCreateLayout(TinyOptions(directory.path()), &tables));

  Options other = TinyOptions(directory.path());
  other.layout.salt_width = 1;
  other.layout.tagv_width = 4;

  EXPECT_THAT(ReadOrCreateLayout(other, &tables),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("tsd.storage.salt.width"),
                             HasSubstr("tsd.storage.uid.width.tagv"))));
  other.check_layout = false;
  EXPECT_THAT(ReadOrCreateLayout(other, &tables), IsOkAndHolds(Layout()));
}

TEST(SystemTableTest, AStoreKeepsItsNamesUnlessOthersAreAskedFor) {
  TempDir directory;
  MemTableStore tables;
  Options options = TinyOptions(directory.path());
  ASSERT_OK(ReadOrCreateLayout(options, &tables));

  options.layout.names = NameEncoding::kAny;
  EXPECT_THAT(ReadOrCreateLayout(options, &tables),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("names: store has latin1, asked for any")));
  options.names_of_store = true;
  EXPECT_THAT(ReadOrCreateLayout(options, &tables), IsOkAndHolds(Layout()));
  MemTableStore new_tables;
  EXPECT_EQ(ReadOrCreateLayout(options, &new_tables)->names, NameEncoding::kAny);
}

// A process died while it made the store, on storage without atomic groups.
TEST(SystemTableTest, AStoreThatIsHalfMadeIsMade) {
  TempDir directory;
  MemTableStore tables;
  const Mutation cut[] = {{TableId::kSystem, Mutation::Kind::kSet, "layout", "cut off"},
                          {TableId::kSystem, Mutation::Kind::kSet, "active_mark", "0"}};
  ASSERT_OK(tables.Apply(cut, false));

  EXPECT_OK(ReadOrCreateLayout(TinyOptions(directory.path()), &tables));
  EXPECT_OK(ReadOrCreateLayout(TinyOptions(directory.path()), &tables));
}

TEST(SystemTableTest, RowsWithoutAFormatAreRefused) {
  for (const Mutation& row : {Mutation{TableId::kSystem, Mutation::Kind::kSet, "low_mark", "1"},
                              Mutation{TableId::kUid, Mutation::Kind::kSet, "active_mark", "0"}}) {
    MemTableStore tables;
    ASSERT_OK(tables.Apply({&row, 1}, false));
    EXPECT_THAT(ReadOrCreateLayout(TinyOptions("x"), &tables),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no format record")));
  }
}

TEST(SystemTableTest, RefusesANewerFormat) {
  MemTableStore tables;
  const Mutation set{TableId::kSystem, Mutation::Kind::kSet, "format", "31"};
  ASSERT_OK(tables.Apply({&set, 1}, false));

  EXPECT_THAT(ReadOrCreateLayout(TinyOptions("x"), &tables),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("store format 31: this program reads 1, 2, 4, 7, 8 and 30")));
}

// Programs that do not know cells of format 3 must not open a store that may have some.
TEST(SystemTableTest, AnOlderFormatIsRaisedBeforeTheStoreIsWritten) {
  for (const char* const older : {"1", "2"}) {
    MemTableStore tables;
    ASSERT_OK(ReadOrCreateLayout(TinyOptions("x"), &tables));
    const Mutation set{TableId::kSystem, Mutation::Kind::kSet, "format", older};
    ASSERT_OK(tables.Apply({&set, 1}, false));
    const auto format = [&] { return tables.Snapshot()->Get(TableId::kSystem, "format"); };

    Options other = TinyOptions("x");
    other.layout.salt_width = 1;
    EXPECT_THAT(ReadOrCreateLayout(other, &tables),
                StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(format(), IsOkAndHolds(older));
    Options follower = TinyOptions("x");
    follower.follow = true;
    EXPECT_OK(ReadOrCreateLayout(follower, &tables));
    EXPECT_THAT(format(), IsOkAndHolds(older));

    EXPECT_OK(ReadOrCreateLayout(TinyOptions("x"), &tables));
    EXPECT_THAT(format(), IsOkAndHolds("4"));
  }
}

TEST(SystemTableTest, TheFormatOfDeletionsStays) {
  MemTableStore tables;
  ASSERT_OK(ReadOrCreateLayout(TinyOptions("x"), &tables));
  ASSERT_OK(RaiseFormatForDeletions(&tables));
  const auto format = [&] { return tables.Snapshot()->Get(TableId::kSystem, "format"); };
  EXPECT_THAT(format(), IsOkAndHolds("30"));

  EXPECT_OK(ReadOrCreateLayout(TinyOptions("x"), &tables));
  ASSERT_OK(RaiseFormatForHistograms(&tables));
  ASSERT_OK(WriteHasDayRows(&tables));
  EXPECT_THAT(format(), IsOkAndHolds("30"));
  EXPECT_THAT(ReadHasDayRows(&tables), IsOkAndHolds(true));
}

TEST(SystemTableTest, SaltEpochsAreReadAsWritten) {
  TempDir directory;
  MemTableStore tables;
  Options options = TinyOptions(directory.path());
  options.layout.salt_width = 1;
  ASSERT_OK(ReadOrCreateLayout(options, &tables));
  const auto text = [&] {
    const auto epochs = ReadSaltEpochs(options.layout, &tables);
    return epochs.ok() ? epochs->ToText() : std::string(epochs.status().message());
  };
  EXPECT_EQ(text(), "0=20");
  ASSERT_OK(WriteSaltEpochs(*SaltEpochs::Parse("0=20,3600=64", 1), &tables));
  EXPECT_EQ(text(), "0=20,3600=64");
  EXPECT_THAT(tables.Snapshot()->Get(TableId::kSystem, "format"), IsOkAndHolds("4"));
  EXPECT_OK(ReadOrCreateLayout(options, &tables));

  const Mutation damage{TableId::kSystem, Mutation::Kind::kSet, "salt_epochs", "0=20,3600"};
  ASSERT_OK(tables.Apply({&damage, 1}, false));
  EXPECT_THAT(ReadSaltEpochs(options.layout, &tables),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("meta salt_epochs")));
}

TEST(SystemTableTest, ALowMarkOfAnotherProgramEndsTrustInMarksAndSets) {
  MemTableStore tables;
  EXPECT_THAT(ReadRollupMarksAreKept(&tables), IsOkAndHolds(false)) << "a store without a low mark";
  ASSERT_OK(WriteLowMark(7, {.active_sets = true, .rollup_marks = true}, &tables));
  EXPECT_THAT(ReadRollupMarksAreKept(&tables), IsOkAndHolds(true));
  EXPECT_THAT(ReadActiveSetsAreKept(&tables), IsOkAndHolds(true));
  ASSERT_OK(WriteLowMark(8, {.active_sets = true}, &tables));
  EXPECT_THAT(ReadRollupMarksAreKept(&tables), IsOkAndHolds(false));
  EXPECT_THAT(ReadActiveSetsAreKept(&tables), IsOkAndHolds(true));
}

TEST(SystemTableTest, ATtlThatIsNoneIsDataLoss) {
  for (const std::string text : {"", "-1", "1d", "4294967296"}) {
    MemTableStore tables;
    const Mutation set{TableId::kSystem, Mutation::Kind::kSet, "ttl", text};
    ASSERT_OK(tables.Apply({&set, 1}, false));
    EXPECT_THAT(ReadStoreTtl(&tables),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("meta ttl: expected")));
  }
}

TEST(SystemTableTest, RowsWithoutAFormatRecordAreDataLoss) {
  MemTableStore tables;
  const Mutation set{TableId::kUid, Mutation::Kind::kSet, "k", "v"};
  ASSERT_OK(tables.Apply({&set, 1}, false));

  EXPECT_THAT(ReadOrCreateLayout(TinyOptions("x"), &tables),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("rows in uid")));
}

}  // namespace
}  // namespace hourcell::system_table_test
