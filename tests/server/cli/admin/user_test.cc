#include "server/cli/admin/user.h"

#include <cstdio>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/access/credentials.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/status_matchers.h"

namespace hourcell::user_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class UserTest : public testing::Test {
 protected:
  int Run(UserOptions options, const std::string& input) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::tmpfile(), &std::fclose);
    std::fwrite(input.data(), 1, input.size(), in.get());
    std::rewind(in.get());
    options.in = in.get();
    return RunUser(options, terminal_.get());
  }

  CapturedTerminal terminal_;
};

TEST_F(UserTest, PrintsALineThatKnowsTheSecret) {
  ASSERT_EQ(Run({.words = {"add", "grafana"}, .role = "read+write"}, "two words\r\nmore\n"),
            kExitOk);

  const std::string line = terminal_.out();
  EXPECT_THAT(line, StartsWith("grafana read+write scrypt:15:8:1:"));
  const auto credentials = Credentials::Parse(line, "line");
  ASSERT_OK(credentials);
  EXPECT_TRUE(credentials->Find("grafana")->hash.Matches("two words"));
}

TEST_F(UserTest, GeneratesASecretAndSaysItsToken) {
  ASSERT_EQ(Run({.words = {"add", "grafana"}, .generate = true}, ""), kExitOk);

  std::string token = terminal_.err();
  ASSERT_THAT(token, EndsWith("\n"));
  token.pop_back();
  const auto login = ParseToken(token);
  ASSERT_TRUE(login.has_value());
  const auto credentials = Credentials::Parse(terminal_.out(), "line");
  ASSERT_OK(credentials);
  EXPECT_TRUE(credentials->Find(login->user)->hash.Matches(login->secret));
}

TEST_F(UserTest, RefusesWhatMakesNoUser) {
  EXPECT_EQ(Run({.words = {}}, "s\n"), kExitUsage);
  EXPECT_EQ(Run({.words = {"add", "a.b"}}, "s\n"), kExitUsage);
  EXPECT_EQ(Run({.words = {"add", "a", "secret"}}, "s\n"), kExitUsage);
  EXPECT_EQ(Run({.words = {"add", "a"}, .role = "root"}, "s\n"), kExitUsage);
  for (const std::string& secret : {std::string("\n"), std::string(), std::string("a\tb\n"),
                                    std::string(kSecretBytesMax + 1, 's') + "\n"}) {
    EXPECT_EQ(Run({.words = {"add", "a"}}, secret), kExitUsage) << secret;
  }
  EXPECT_EQ(terminal_.out(), "");
  EXPECT_THAT(terminal_.err(), HasSubstr("expected add NAME, got no argument"));
}

}  // namespace
}  // namespace hourcell::user_test
