#include "uid/uid_directory.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"
#include "tests/uid/uid_fixture.h"

namespace hourcell::uid_directory_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

constexpr UidKind kMetric = UidKind::kMetric;
constexpr UidKind kTagk = UidKind::kTagk;
constexpr UidKind kTagv = UidKind::kTagv;

UidOptions Utf8Options() {
  UidOptions options;
  options.layout.names = NameEncoding::kUtf8;
  return options;
}

void AssignAll(UidDirectory& directory, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    ASSERT_OK(directory.GetOrAssign(kMetric, name));
}

absl::StatusOr<std::vector<UidMapping>> Grep(UidDirectory& directory,
                                             std::string_view expression,
                                             bool ignore_case) {
  std::vector<UidMapping> found;
  const absl::Status status =
      directory.Grep(kMetric, expression, ignore_case, [&found](UidMapping mapping) {
        found.push_back(std::move(mapping));
        return true;
      });
  if (!status.ok()) return status;
  return found;
}

// --- Looking up ---

TEST(UidDirectoryTest, FindsWhatWasAssignedBothWays) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();
  ASSERT_THAT(directory.GetOrAssign(kMetric, "cpu"), IsOkAndHolds(Uid{1}));

  directory.DropCaches();

  EXPECT_THAT(directory.Find(kMetric, "cpu"), IsOkAndHolds(Optional(Uid{1})));
  EXPECT_THAT(directory.Get(kMetric, "cpu"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(directory.NameOf(kMetric, 1), IsOkAndHolds("cpu"));
}

TEST(UidDirectoryTest, KindsAreNameSpacesOfTheirOwn) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();
  ASSERT_THAT(directory.GetOrAssign(kTagv, "other"), IsOkAndHolds(Uid{1}));

  EXPECT_THAT(directory.GetOrAssign(kTagv, "same"), IsOkAndHolds(Uid{2}));
  EXPECT_THAT(directory.GetOrAssign(kMetric, "same"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(directory.Find(kTagk, "same"), IsOkAndHolds(std::nullopt));
}

TEST(UidDirectoryTest, UnknownNamesAndUidsAreToldInOpenTsdbsWords) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();

  EXPECT_THAT(directory.Find(kMetric, "x"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(directory.Get(kMetric, "x"),
              StatusIs(StatusCode::kNotFound, "No such name for 'metrics': 'x'"));
  EXPECT_THAT(directory.NameOf(kMetric, 1),
              StatusIs(StatusCode::kNotFound, "No such unique ID for 'metrics': 000001"));
  EXPECT_THAT(directory.NameOf(kTagv, 0xABC),
              StatusIs(StatusCode::kNotFound, "No such unique ID for 'tagv': 000ABC"));
  EXPECT_THAT(directory.NameOf(kTagk, kNoUid), StatusIs(StatusCode::kNotFound));
}

// As OpenTSDB, which asks what is legal of new names only.
TEST(UidDirectoryTest, NamesThatNothingCanHaveAreUnknownLikeOthers) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();

  EXPECT_THAT(directory.Get(kMetric, "a=b"),
              StatusIs(StatusCode::kNotFound, "No such name for 'metrics': 'a=b'"));
  EXPECT_THAT(directory.Get(kTagk, " "),
              StatusIs(StatusCode::kNotFound, "No such name for 'tagk': ' '"));
  EXPECT_THAT(directory.Get(kTagv, ""), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(directory.Get(kTagv, "\xff"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(directory.Get(kTagv, std::string(2000, 'a')), StatusIs(StatusCode::kNotFound));
  EXPECT_EQ(directory.stats(kMetric).refused, 0U);
}

TEST(UidDirectoryTest, IllegalNamesAreRefusedAndCounted) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();

  EXPECT_THAT(directory.Find(kMetric, "a!"),
              StatusIs(StatusCode::kInvalidArgument, "illegal character: !"));
  EXPECT_THAT(directory.GetOrAssign(kMetric, "a b"),
              StatusIs(StatusCode::kInvalidArgument, "illegal character:  "));
  EXPECT_THAT(directory.Find(kMetric, ""), StatusIs(StatusCode::kInvalidArgument, "empty string"));
  EXPECT_THAT(directory.Find(kMetric, std::string_view("\0", 1)),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(directory.Find(kMetric, std::string(2000, 'a')),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("1024")));
  EXPECT_EQ(directory.stats(kMetric).refused, 5U);
  EXPECT_EQ(uids.store().commits(), 0U);
}

TEST(UidDirectoryTest, RowOfTheCountersIsNoName) {
  const std::string_view counter_row("\0", 1);
  UidFixture uids;
  uids.store().SetForward(kMetric, counter_row, 5);

  EXPECT_THAT(uids.directory().Find(kMetric, counter_row), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(uids.directory().Delete(kMetric, counter_row), StatusIs(StatusCode::kNotFound));
}

TEST(UidDirectoryTest, StoredNamesAreFoundWhateverIsLegalToday) {
  UidFixture uids({.extra_chars = ":"});
  ASSERT_OK(uids.directory().GetOrAssign(kMetric, "a:b"));

  uids.options().extra_chars = "";
  uids.Reopen();

  EXPECT_THAT(uids.directory().Get(kMetric, "a:b"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(uids.directory().Get(kMetric, "a:c"), StatusIs(StatusCode::kNotFound));
  EXPECT_OK(uids.directory().Rename(kMetric, "a:b", "a.b"));
}

TEST(UidDirectoryTest, Latin1NamesAreStoredAsIsoBytes) {
  UidFixture uids;

  ASSERT_THAT(uids.directory().GetOrAssign(kMetric, "t\u00e4st"), IsOkAndHolds(Uid{1}));
  uids.Reopen();

  EXPECT_THAT(uids.store().Forward(kMetric), ElementsAre(UidMapping{"t\xe4st", 1}));
  EXPECT_THAT(uids.directory().Get(kMetric, "t\u00e4st"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(uids.directory().NameOf(kMetric, 1), IsOkAndHolds("t\u00e4st"));
  EXPECT_THAT(uids.directory().Suggest(kMetric, "t\u00e4", 9),
              IsOkAndHolds(ElementsAre("t\u00e4st")));
}

TEST(UidDirectoryTest, Latin1RefusesToMakeWhatItCannotHold) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();

  const absl::Status refused = directory.Find(kMetric, "\u6e29\u5ea6").status();

  EXPECT_THAT(refused, StatusIs(StatusCode::kInvalidArgument, HasSubstr("above U+00FF")));
  EXPECT_THAT(directory.Get(kMetric, "\u6e29\u5ea6"), StatusIs(StatusCode::kNotFound));
  EXPECT_EQ(directory.GetOrAssign(kMetric, "\u6e29\u5ea6").status(), refused);
  EXPECT_THAT(directory.Suggest(kMetric, "\u6e29", 9), IsOkAndHolds(IsEmpty()));
}

TEST(UidDirectoryTest, Utf8StoresHoldEveryLetter) {
  UidFixture uids(Utf8Options());

  ASSERT_OK(uids.directory().GetOrAssign(kTagv, "\u6e29\u5ea6"));
  uids.Reopen();

  EXPECT_THAT(uids.store().Forward(kTagv), ElementsAre(UidMapping{"\u6e29\u5ea6", 1}));
  EXPECT_THAT(uids.directory().NameOf(kTagv, 1), IsOkAndHolds("\u6e29\u5ea6"));
  EXPECT_THAT(uids.directory().Suggest(kTagv, "\u6e29", 9),
              IsOkAndHolds(ElementsAre("\u6e29\u5ea6")));
  EXPECT_THAT(uids.directory().Find(kTagv, "\xff"), StatusIs(StatusCode::kInvalidArgument));
}

TEST(UidDirectoryTest, StoredBytesThatAreNoUtf8AreDataLoss) {
  UidFixture uids(Utf8Options());
  uids.store().SetForward(kMetric, "a\xff", 1);
  uids.store().SetReverse(kMetric, 1, "a\xff");

  EXPECT_THAT(uids.directory().NameOf(kMetric, 1), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(uids.directory().Suggest(kMetric, "a", 9), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(Grep(uids.directory(), "a", false), StatusIs(StatusCode::kDataLoss));
}

TEST(UidDirectoryTest, ReadErrorsArePassedOnAndNotRemembered) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();
  ASSERT_OK(directory.GetOrAssign(kMetric, "cpu"));
  directory.DropCaches();
  uids.store().FailReads(true);

  EXPECT_THAT(directory.Find(kMetric, "cpu"), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(directory.NameOf(kMetric, 1), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(directory.GetOrAssign(kMetric, "new"), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(directory.Suggest(kMetric, "", 9), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(Grep(directory, "", false), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(directory.Rename(kMetric, "cpu", "b"), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(directory.Delete(kMetric, "cpu"), StatusIs(StatusCode::kUnavailable));

  uids.store().FailReads(false);
  EXPECT_THAT(directory.Get(kMetric, "cpu"), IsOkAndHolds(Uid{1}));
}

TEST(UidDirectoryTest, SecondLookupNeedsNoStore) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();
  ASSERT_OK(directory.GetOrAssign(kMetric, "cpu"));
  directory.DropCaches();
  ASSERT_OK(directory.Find(kMetric, "cpu"));
  ASSERT_OK(directory.NameOf(kMetric, 1));

  uids.store().FailReads(true);

  EXPECT_THAT(directory.Get(kMetric, "cpu"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(directory.NameOf(kMetric, 1), IsOkAndHolds("cpu"));
  EXPECT_EQ(directory.stats(kMetric).cache_hits, 2U);
}

TEST(UidDirectoryTest, CacheBoundIsRespected) {
  UidFixture uids({.cache_names_max = 10});
  UidDirectory& directory = uids.directory();

  for (int i = 1; i <= 100; ++i) {
    ASSERT_OK(directory.GetOrAssign(kMetric, fmt::format("m{}", i)));
    ASSERT_LE(directory.stats(kMetric).cache_names, 10U);
  }

  EXPECT_THAT(directory.Get(kMetric, "m1"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(directory.NameOf(kMetric, 1), IsOkAndHolds("m1"));
}

// --- Suggest and Grep ---

TEST(UidDirectoryTest, SuggestScansThePrefixOnly) {
  for (const TestVector& vector : LoadVectors("storage.json", "uid.suggest_range")) {
    SCOPED_TRACE(vector.from);
    const std::string start = BytesOf(vector.expect, "start");
    const std::string stop = BytesOf(vector.expect, "stop");
    UidFixture uids;
    AssignAll(uids.directory(), {stop, start + "Z", start, start.substr(0, start.size() - 1)});

    const auto names = uids.directory().Suggest(kMetric, TextOf(vector.given, "prefix"), 25);

    EXPECT_THAT(names, IsOkAndHolds(ElementsAre(start, start + "Z")));
  }
}

TEST(UidDirectoryTest, SuggestGivesTheFirstNamesInByteOrder) {
  UidFixture uids;
  AssignAll(uids.directory(), {"sys.mem", "sys.cpu", "app", "\u00e9t\u00e9", "Zoo"});

  EXPECT_THAT(uids.directory().Suggest(kMetric, "", 25),
              IsOkAndHolds(ElementsAre("Zoo", "app", "sys.cpu", "sys.mem", "\u00e9t\u00e9")));
  EXPECT_THAT(uids.directory().Suggest(kMetric, "", 2), IsOkAndHolds(ElementsAre("Zoo", "app")));
  EXPECT_THAT(uids.directory().Suggest(kMetric, "sys.", 1), IsOkAndHolds(ElementsAre("sys.cpu")));
  EXPECT_THAT(uids.directory().Suggest(kMetric, "sys.", 0), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(uids.directory().Suggest(kMetric, "!", 25), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(uids.directory().Suggest(kTagk, "", 25), IsOkAndHolds(IsEmpty()));
}

TEST(UidDirectoryTest, GrepFindsAnywhereInTheName) {
  UidFixture uids;
  AssignAll(uids.directory(), {"sys.cpu", "sys.mem", "App.Cpu", "t\u00e4st"});

  EXPECT_THAT(Grep(uids.directory(), "cpu", /*ignore_case=*/false),
              IsOkAndHolds(ElementsAre(UidMapping{"sys.cpu", 1})));
  EXPECT_THAT(Grep(uids.directory(), "cpu", /*ignore_case=*/true),
              IsOkAndHolds(ElementsAre(UidMapping{"App.Cpu", 3}, UidMapping{"sys.cpu", 1})));
  EXPECT_THAT(Grep(uids.directory(), "^t.st$", false),
              IsOkAndHolds(ElementsAre(UidMapping{"t\u00e4st", 4})));
  EXPECT_THAT(Grep(uids.directory(), "^cpu", false), IsOkAndHolds(IsEmpty()));
}

TEST(UidDirectoryTest, GrepEndsWhenItsVisitorHasEnough) {
  UidFixture uids;
  AssignAll(uids.directory(), {"a", "b", "c"});
  int visited = 0;

  EXPECT_OK(
      uids.directory().Grep(kMetric, "", false, [&](const UidMapping&) { return ++visited < 2; }));

  EXPECT_EQ(visited, 2);
}

TEST(UidDirectoryTest, GrepRefusesExpressionsItCannotRun) {
  UidFixture uids;

  for (const char* expression : {"(", "[a-z&&[^b]]", "(?=x)", "(a)\\1", "\xff"}) {
    SCOPED_TRACE(expression);
    EXPECT_THAT(Grep(uids.directory(), expression, false),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("regular expression")));
  }
}

// --- Rename and Delete ---

TEST(UidDirectoryTest, RenameKeepsTheUid) {
  UidFixture uids;
  AssignAll(uids.directory(), {"a", "b"});

  ASSERT_OK(uids.directory().Rename(kMetric, "a", "c"));

  for (int i = 0; i < 2; ++i) {  // from the caches, then from the store
    EXPECT_THAT(uids.directory().Find(kMetric, "a"), IsOkAndHolds(std::nullopt));
    EXPECT_THAT(uids.directory().Get(kMetric, "c"), IsOkAndHolds(Uid{1}));
    EXPECT_THAT(uids.directory().NameOf(kMetric, 1), IsOkAndHolds("c"));
    uids.Reopen();
  }
  EXPECT_EQ(uids.store().commits(), 3U);  // two assignments and one for both directions
}

TEST(UidDirectoryTest, RenameRefusesUnknownTakenAndIllegalNames) {
  UidFixture uids;
  AssignAll(uids.directory(), {"a", "b"});

  EXPECT_THAT(uids.directory().Rename(kMetric, "x", "y"),
              StatusIs(StatusCode::kNotFound, "No such name for 'metrics': 'x'"));
  EXPECT_THAT(uids.directory().Rename(kMetric, "a", "b"),
              StatusIs(StatusCode::kAlreadyExists, HasSubstr("000002")));
  EXPECT_THAT(uids.directory().Rename(kMetric, "a", "a"), StatusIs(StatusCode::kAlreadyExists));
  EXPECT_THAT(uids.directory().Rename(kMetric, "a", "b!"),
              StatusIs(StatusCode::kInvalidArgument, "illegal character: !"));
  EXPECT_THAT(uids.directory().Rename(kTagk, "a", "c"), StatusIs(StatusCode::kNotFound));
  EXPECT_EQ(uids.store().commits(), 2U);
}

TEST(UidDirectoryTest, ManyNamesAreRenamedAndDeletedInOneCommitOrNot) {
  UidFixture uids;
  AssignAll(uids.directory(), {"a", "b", "c"});
  using Renaming = UidDirectory::Renaming;
  const Renaming good[] = {{.name = "a", .new_name = "x"}, {.name = "b", .new_name = "y"}};
  const Renaming bad[] = {{.name = "x", .new_name = "z"}, {.name = "y", .new_name = "c"}};
  const std::string unknown[] = {"x", "a"};
  const std::string known[] = {"x", "y"};

  ASSERT_OK(uids.directory().RenameAll(kMetric, good));
  EXPECT_EQ(uids.store().commits(), 4U);
  EXPECT_THAT(uids.directory().RenameAll(kMetric, bad), StatusIs(StatusCode::kAlreadyExists));
  EXPECT_THAT(uids.directory().DeleteAll(kMetric, unknown), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(uids.directory().Get(kMetric, "x"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(uids.directory().Get(kMetric, "y"), IsOkAndHolds(Uid{2}));

  ASSERT_OK(uids.directory().DeleteAll(kMetric, known));
  EXPECT_EQ(uids.store().commits(), 5U);
  EXPECT_THAT(uids.directory().Find(kMetric, "y"), IsOkAndHolds(std::nullopt));
}

TEST(UidDirectoryTest, FailedRenameAndDeleteChangeNothing) {
  UidFixture uids;
  AssignAll(uids.directory(), {"a"});

  uids.store().FailCommit(1);
  EXPECT_THAT(uids.directory().Rename(kMetric, "a", "b"), StatusIs(StatusCode::kUnavailable));
  uids.store().FailCommit(1);
  EXPECT_THAT(uids.directory().Delete(kMetric, "a"), StatusIs(StatusCode::kUnavailable));

  EXPECT_THAT(uids.directory().Get(kMetric, "a"), IsOkAndHolds(Uid{1}));
  EXPECT_THAT(uids.directory().Find(kMetric, "b"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(uids.directory().NameOf(kMetric, 1), IsOkAndHolds("a"));
}

TEST(UidDirectoryTest, DeleteRemovesBothDirectionsAndNeverReusesTheUid) {
  UidFixture uids;
  AssignAll(uids.directory(), {"a", "b"});

  ASSERT_OK(uids.directory().Delete(kMetric, "b"));

  EXPECT_THAT(uids.directory().Find(kMetric, "b"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(uids.directory().NameOf(kMetric, 2), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(uids.directory().Delete(kMetric, "b"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(uids.store().Reverse(kMetric), ElementsAre(UidMapping{"a", 1}));
  EXPECT_THAT(uids.directory().GetOrAssign(kMetric, "b"), IsOkAndHolds(Uid{3}));
}

TEST(UidDirectoryTest, DeleteLeavesAnotherNamesReverse) {
  UidFixture uids;
  AssignAll(uids.directory(), {"a"});
  uids.store().SetForward(kMetric, "second", 1);  // damage: two names of one UID

  ASSERT_OK(uids.directory().Delete(kMetric, "second"));

  EXPECT_THAT(uids.directory().NameOf(kMetric, 1), IsOkAndHolds("a"));
  EXPECT_THAT(uids.directory().Find(kMetric, "second"), IsOkAndHolds(std::nullopt));
}

TEST(UidDirectoryTest, LookupThatADeleteOvertakesIsNotCached) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();
  AssignAll(directory, {"a"});
  directory.DropCaches();
  uids.store().OnRead([&] {  // between the read of Find and its fill of the cache
    uids.store().OnRead(nullptr);
    ASSERT_OK(directory.Delete(kMetric, "a"));
  });

  EXPECT_THAT(directory.Find(kMetric, "a"), IsOkAndHolds(Optional(Uid{1})));

  EXPECT_THAT(directory.Find(kMetric, "a"), IsOkAndHolds(std::nullopt));
}

// --- Open and stats ---

TEST(UidDirectoryTest, OpenRefusesDamagedCounters) {
  MemUidStore store;
  store.DamageCounter(kTagk);
  EXPECT_THAT(UidDirectory::Open({}, &store).status(), StatusIs(StatusCode::kDataLoss));

  store.SetCounter(kTagk, 0xFFFFFF);
  EXPECT_OK(UidDirectory::Open({}, &store).status());

  store.SetCounter(kTagk, 0x1000000);
  EXPECT_THAT(UidDirectory::Open({}, &store).status(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("tagk counter")));
}

TEST(UidDirectoryTest, OpenRefusesWidthsThatAreNone) {
  MemUidStore store;
  UidOptions options;
  options.layout.tagv_width = 9;

  EXPECT_THAT(UidDirectory::Open(options, &store).status(), StatusIs(StatusCode::kInvalidArgument));
}

TEST(UidDirectoryTest, StatsCountUsedAndAvailableIds) {
  UidOptions options;
  options.layout.tagk_width = 1;
  UidFixture uids(options);

  ASSERT_OK(uids.directory().GetOrAssign(kTagk, "host"));
  ASSERT_OK(uids.directory().GetOrAssign(kTagk, "rack"));

  const UidStats stats = uids.directory().stats(kTagk);
  EXPECT_EQ(stats.ids_used, 2U);
  EXPECT_EQ(stats.ids_available, 253U);
  EXPECT_EQ(stats.assigned, 2U);
  EXPECT_EQ(stats.cache_names, 2U);
  uids.Reopen();
  EXPECT_EQ(uids.directory().stats(kTagk).ids_used, 2U);
  EXPECT_EQ(uids.directory().stats(kTagk).assigned, 0U);
}

// --- UIDs from elsewhere ---

TEST(UidDirectoryTest, GivenUidsAreKeptAndTheNextOnesAreAbove) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();
  const std::vector<UidMapping> given = {{"cpu", 7}, {"mem", 2}, {"disk", 300}};

  ASSERT_OK(directory.AssignGiven(kMetric, given));
  ASSERT_OK(directory.AssignGiven(kMetric, given));  // the same again

  EXPECT_THAT(directory.Get(kMetric, "mem"), IsOkAndHolds(Uid{2}));
  EXPECT_THAT(directory.NameOf(kMetric, 300), IsOkAndHolds("disk"));
  EXPECT_THAT(directory.GetOrAssign(kMetric, "net"), IsOkAndHolds(Uid{301}));
  EXPECT_THAT(directory.GetOrAssign(kTagk, "host"), IsOkAndHolds(Uid{1}));
}

TEST(UidDirectoryTest, GivenUidsThatAreTakenAreRefusedAndNothingIsChanged) {
  UidFixture uids;
  UidDirectory& directory = uids.directory();
  AssignAll(directory, {"cpu"});
  const auto refused = [&](std::vector<UidMapping> given) {
    given.insert(given.begin(), {"mem", 9});
    return directory.AssignGiven(kMetric, given);
  };

  EXPECT_THAT(refused({{"cpu", 2}}),
              StatusIs(StatusCode::kAlreadyExists, "metrics 'cpu': has UID 1; expected 2"));
  EXPECT_THAT(refused({{"net", 1}}), StatusIs(StatusCode::kAlreadyExists,
                                              "metrics UID 1: has the name 'cpu'; expected 'net'"));
  EXPECT_THAT(refused({{"net", 9}}), StatusIs(StatusCode::kAlreadyExists));
  EXPECT_THAT(refused({{"mem", 8}}), StatusIs(StatusCode::kAlreadyExists));
  EXPECT_THAT(refused({{"a b", 3}}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(refused({{"net", 0}}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected 1 to 16777215")));
  EXPECT_THAT(refused({{"net", 1 << 24}}), StatusIs(StatusCode::kInvalidArgument));

  EXPECT_THAT(directory.Get(kMetric, "mem"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(directory.GetOrAssign(kMetric, "net"), IsOkAndHolds(Uid{2}));
}

}  // namespace
}  // namespace hourcell::uid_directory_test
