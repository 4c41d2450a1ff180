#include "server/access/access_rights.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::access_rights_test {
namespace {

using testing::HasSubstr;

constexpr AccessRights kNone;
constexpr AccessRights kRead = AccessRights::Read();
constexpr AccessRights kWrite = AccessRights::Write();
constexpr AccessRights kAdmin = AccessRights::Admin();

TEST(AccessRightsTest, RolesReadAsTheyPrint) {
  for (const char* const role : {"none", "read", "write", "read+write", "admin"}) {
    const auto rights = AccessRights::Parse(role);
    ASSERT_OK(rights);
    EXPECT_EQ(rights->role(), role);
  }
  for (const char* const bad : {"", "Read", "read,write", "root"}) {
    EXPECT_THAT(AccessRights::Parse(bad),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected none, read")));
  }
}

TEST(AccessRightsTest, ReadingAndWritingAreApartAndAdminIsAll) {
  EXPECT_FALSE(kRead.Covers(kWrite));
  EXPECT_FALSE(kWrite.Covers(kRead));
  EXPECT_FALSE((kRead | kWrite).Covers(kAdmin));
  for (const AccessRights wanted : {kNone, kRead, kWrite, kRead | kWrite, kAdmin}) {
    EXPECT_TRUE(kAdmin.Covers(wanted));
    EXPECT_EQ(kNone.Covers(wanted), wanted.is_none());
  }
}

}  // namespace
}  // namespace hourcell::access_rights_test
