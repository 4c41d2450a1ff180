#include "server/access/access_policy.h"

#include <initializer_list>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/support/status_matchers.h"

namespace hourcell::access_policy_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using SettingList = std::initializer_list<std::pair<std::string_view, std::string_view>>;

absl::StatusOr<AccessPolicy> PolicyOf(SettingList settings) {
  Config config;
  for (const auto& [key, value] : settings)
    HOURCELL_CHECK(config.Set(key, value).ok());
  return AccessPolicy::Create(config);
}

constexpr AccessRights kRead = AccessRights::Read();
constexpr AccessRights kWrite = AccessRights::Write();
constexpr AccessRights kAdmin = AccessRights::Admin();

TEST(AccessPolicyTest, ByDefaultLoopbackIsOpenAndNothingElseIsListenedOn) {
  const auto policy = PolicyOf({});

  ASSERT_OK(policy);
  EXPECT_THAT(policy->listeners(),
              ElementsAre(ListenAddress{.bind = "127.0.0.1", .port = 4242, .rights = kAdmin}));
  EXPECT_TRUE(policy->RightsAt("127.0.0.1").is_none());
}

TEST(AccessPolicyTest, AnOpenAddressIsRefusedUnlessToldSoInWords) {
  for (const char* const bind : {"0.0.0.0", "::", "10.0.0.1", "myhost", "::ffff:1.2.3.4"}) {
    SCOPED_TRACE(bind);
    EXPECT_THAT(PolicyOf({{"tsd.network.bind", bind}}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("tsd.auth.file=FILE"), HasSubstr("tsd.network.role="),
                               HasSubstr("tsd.network.allow_open=true"))));
    EXPECT_OK(PolicyOf({{"tsd.network.bind", bind}, {"tsd.network.allow_open", "true"}}));
    EXPECT_OK(PolicyOf({{"tsd.network.bind", bind}, {"tsd.network.role", "read+write"}}));
    EXPECT_OK(PolicyOf({{"tsd.network.bind", bind}, {"tsd.auth.file", "users"}}));
    EXPECT_FALSE(
        PolicyOf(
            {{"tsd.network.bind", bind}, {"tsd.auth.file", "users"}, {"tsd.network.role", "admin"}})
            .ok());
  }
  for (const char* const bind : {"127.0.0.1", "127.1.2.3", "::1", "localhost"})
    EXPECT_OK(PolicyOf({{"tsd.network.bind", bind}}));
}

TEST(AccessPolicyTest, WithUsersStrangersMayNothingUnlessARoleIsNamed) {
  EXPECT_TRUE(PolicyOf({{"tsd.auth.file", "users"}})->listeners()[0].rights.is_none());
  EXPECT_EQ(
      PolicyOf({{"tsd.auth.file", "users"}, {"tsd.network.role", "read"}})->listeners()[0].rights,
      kRead);
}

TEST(AccessPolicyTest, MoreListenersHaveRolesOfTheirOwn) {
  const auto policy =
      PolicyOf({{"tsd.network.listeners", " 10.0.0.1:4243=write ,[::1]:0 = admin"}});

  ASSERT_OK(policy);
  EXPECT_THAT(policy->listeners(),
              ElementsAre(ListenAddress{.bind = "127.0.0.1", .port = 4242, .rights = kAdmin},
                          ListenAddress{.bind = "10.0.0.1", .port = 4243, .rights = kWrite},
                          ListenAddress{.bind = "::1", .port = 0, .rights = kAdmin}));
  EXPECT_THAT(PolicyOf({{"tsd.network.listeners", "10.0.0.1:4243=admin"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("10.0.0.1")));
}

TEST(AccessPolicyTest, BadListenersAndBlocksAreNamed) {
  for (const char* const bad :
       {"x", "10.0.0.1:1", "10.0.0.1=read", "10.0.0.1:x=read", ":1=read", "10.0.0.1:65536=read",
        "::1:1=read", "[10.0.0.1]:1=read", "10.0.0.1:1=root", "10.0.0.1:1=read,"}) {
    EXPECT_THAT(PolicyOf({{"tsd.network.listeners", bad}}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.network.listeners: ")))
        << bad;
  }
  for (const char* const bad : {"x", "10.0.0.0/8", "10.0.0.0/8=root", "10.0.0.1/8=read", ","}) {
    EXPECT_THAT(PolicyOf({{"tsd.auth.allow", bad}}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.auth.allow: ")))
        << bad;
  }
}

TEST(AccessPolicyTest, AnAddressHasWhatAllItsBlocksGive) {
  const auto policy =
      PolicyOf({{"tsd.auth.file", "users"},
                {"tsd.auth.allow", "10.0.0.0/8=write, 10.1.0.0/16=read,::1=admin"}});

  ASSERT_OK(policy);
  EXPECT_EQ(policy->RightsAt("10.2.0.1"), kWrite);
  EXPECT_EQ(policy->RightsAt("10.1.0.1"), kRead | kWrite);
  EXPECT_EQ(policy->RightsAt("::ffff:10.2.0.1"), kWrite);
  EXPECT_EQ(policy->RightsAt("::1"), kAdmin);
  EXPECT_TRUE(policy->RightsAt("11.0.0.1").is_none());
  EXPECT_TRUE(policy->RightsAt("").is_none());
}

TEST(AccessPolicyTest, EverybodyAsAdminIsOpenToo) {
  EXPECT_FALSE(PolicyOf({{"tsd.network.bind", "0.0.0.0"},
                         {"tsd.auth.file", "users"},
                         {"tsd.auth.allow", "0.0.0.0/0=admin"}})
                   .ok());
  EXPECT_OK(PolicyOf({{"tsd.network.bind", "0.0.0.0"},
                      {"tsd.auth.file", "users"},
                      {"tsd.auth.allow", "0.0.0.0/0=write"}}));
}

}  // namespace
}  // namespace hourcell::access_policy_test
