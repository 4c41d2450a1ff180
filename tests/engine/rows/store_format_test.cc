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
}

TEST(StoreFormatTest, RefusesANewerOneAndSaysWhatToDo) {
  EXPECT_THAT(
      CheckStoreFormat("d", "9"),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr(NewerFormatMessage("open d: store format 9", "1, 2, 4, 7 and 8"))));
  EXPECT_THAT(CheckStoreFormat("d", "12"), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(StoreFormatTest, WhatNeverWasAFormatIsDamage) {
  for (const std::string_view format :
       {"", "0", "3", "5", "6", "1 ", "-1", "x", "99999999999999999999"}) {
    EXPECT_THAT(CheckStoreFormat("d", format),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected 1, 2, 4, 7 or 8")))
        << format;
  }
}

}  // namespace
}  // namespace hourcell::store_format_test
