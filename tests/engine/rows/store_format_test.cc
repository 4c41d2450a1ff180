#include "engine/rows/store_format.h"

#include "codec/base/strings.h"
#include "tests/support/status_matchers.h"

namespace hourcell::store_format_test {
namespace {

using testing::HasSubstr;

TEST(StoreFormatTest, ReadsItsOwnFormats) {
  EXPECT_OK(CheckStoreFormat("d", "1"));
  EXPECT_OK(CheckStoreFormat("d", "2"));
  EXPECT_OK(CheckStoreFormat("d", "4"));
  EXPECT_OK(CheckStoreFormat("d", "7"));
  EXPECT_OK(CheckStoreFormat("d", "8"));
  EXPECT_OK(CheckStoreFormat("d", "30"));
}

TEST(StoreFormatTest, RefusesANewerOneAndSaysWhatToDo) {
  EXPECT_THAT(
      CheckStoreFormat("d", "31"),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr(NewerFormatMessage("open d: store format 31", "1, 2, 4, 7, 8 and 30"))));
  EXPECT_THAT(CheckStoreFormat("d", "100"), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(StoreFormatTest, WhatNeverWasAFormatIsDamage) {
  for (const std::string_view format :
       {"", "0", "3", "5", "6", "9", "10", "29", "1 ", "-1", "x", "99999999999999999999"}) {
    EXPECT_THAT(CheckStoreFormat("d", format),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected 1, 2, 4, 7, 8 or 30")))
        << format;
  }
}

// The text "30" is before "4".
TEST(StoreFormatTest, FormatsAreComparedAsNumbers) {
  EXPECT_TRUE(IsFormatFrom(kStoreFormatOfDeletions, kStoreFormat));
  EXPECT_TRUE(IsFormatFrom(kStoreFormatOfDeletions, kStoreFormatOfDays));
  EXPECT_TRUE(IsFormatFrom("4", "4"));
  EXPECT_FALSE(IsFormatFrom("2", kStoreFormat));
  EXPECT_FALSE(IsFormatFrom(kStoreFormatOfHistograms, kStoreFormatOfDeletions));
}

}  // namespace
}  // namespace hourcell::store_format_test
