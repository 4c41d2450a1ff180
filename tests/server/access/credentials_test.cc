#include "server/access/credentials.h"

#include <string>
#include <string_view>

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::credentials_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHash =
    "scrypt:10:1:1:00112233445566778899aabbccddeeff:"
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

std::string Line(std::string_view user, std::string_view role) {
  return std::string(user) + " " + std::string(role) + " " + std::string(kHash) + "\n";
}

std::string Basic(std::string_view text) {
  return "Basic " + absl::Base64Escape({text.data(), text.size()});
}

TEST(CredentialsTest, ReadsUsersBetweenCommentsAndBlanks) {
  const auto credentials =
      Credentials::Parse("# users\n\n" + Line("grafana", "read") + "  \t\r\n\ttcollector\twrite " +
                             std::string(kHash) + "\r\n  # end\n" + Line("root-1_X", "admin"),
                         "users");

  ASSERT_OK(credentials);
  EXPECT_EQ(credentials->size(), 3u);
  EXPECT_EQ(credentials->Find("grafana")->rights, AccessRights::Read());
  EXPECT_EQ(credentials->Find("tcollector")->rights, AccessRights::Write());
  EXPECT_EQ(credentials->Find("root-1_X")->hash.text(), kHash);
  EXPECT_EQ(credentials->Find("Grafana"), nullptr);
}

TEST(CredentialsTest, SaysWhichLineIsWrongAndNotItsHash) {
  const std::string good = Line("a", "read");
  for (const std::string& bad :
       {std::string("b\n"), std::string("b read\n"), Line("b", "root"), Line("b", "read x"),
        Line("b.c", "read"), Line(std::string(65, 'b'), "read"), Line("a", "write"),
        Line("b", "read").substr(0, 60)}) {
    SCOPED_TRACE(bad);
    const auto credentials = Credentials::Parse(good + "\n" + bad, "users");
    EXPECT_THAT(credentials, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("users:3: ")));
    EXPECT_THAT(std::string(credentials.status().message()), Not(HasSubstr("00112233")));
  }
}

TEST(CredentialsTest, LinesPrintAsTheyRead) {
  const auto hash = SecretHash::Parse(kHash);
  ASSERT_OK(hash);
  EXPECT_EQ(CredentialsLine("u", AccessRights::Read() | AccessRights::Write(), *hash),
            Line("u", "read+write"));
}

TEST(CredentialsTest, AuthorizationIsBasicBearerOrToken) {
  for (const std::string& header :
       {Basic("grafana:se.cr:et"), std::string("bearer grafana.se.cr:et"),
        std::string("Token grafana.se.cr:et"), std::string("Token grafana:se.cr:et"),
        "  bAsIc   " + Basic("grafana:se.cr:et").substr(6) + " "}) {
    SCOPED_TRACE(header);
    const auto login = ParseAuthorization(header);
    ASSERT_TRUE(login.has_value());
    EXPECT_EQ(login->user, "grafana");
    EXPECT_EQ(login->secret, "se.cr:et");
  }
}

TEST(CredentialsTest, AllElseIsNoAuthorization) {
  for (const std::string& header :
       {std::string(), std::string("Basic"), std::string("Basic !!"), Basic("grafana"),
        Basic("grafana:"), Basic(":secret"), Basic("gra fana:s"), std::string("Bearer grafana"),
        std::string("Bearer grafana:s"), std::string("Token :s"), std::string("Token a:"),
        std::string("Bearer .s"), std::string("Bearer a."), std::string("Bearer a.b c"),
        std::string("Digest a.b"), std::string("Token x"), std::string("a.b"),
        "Bearer a." + std::string(kSecretBytesMax + 1, 's')}) {
    EXPECT_FALSE(ParseAuthorization(header).has_value()) << header;
  }
}

TEST(CredentialsTest, AUserIsPickedByADigest) {
  EXPECT_EQ(Credentials().Like("x"), nullptr);
  const std::string hash = SecretHash::Make("s", {.log2_n = 10, .block = 1, .parallel = 1}).text();
  const auto users = Credentials::Parse("a read " + hash + "\nb write " + hash + "\n", "test");
  ASSERT_OK(users);
  const User* const picked = users->Like("digest");
  EXPECT_TRUE(picked == users->Find("a") || picked == users->Find("b"));
  EXPECT_EQ(users->Like("digest"), picked);
}

}  // namespace
}  // namespace hourcell::credentials_test
