#include "server/access/authenticator.h"

#include <sys/stat.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::authenticator_test {
namespace {

using testing::HasSubstr;

constexpr SecretHash::Cost kCheap{.log2_n = 10, .block = 1, .parallel = 1};

std::string LineOf(std::string_view user, AccessRights rights, std::string_view secret) {
  return CredentialsLine(user, rights, SecretHash::Make(secret, kCheap));
}

class AuthenticatorTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteUsers(LineOf("reader", AccessRights::Read(), "r") +
               LineOf("writer", AccessRights::Write(), "w"));
    auto opened = Authenticator::Open(path_, &stats_);
    ASSERT_OK(opened);
    authenticator_ = *std::move(opened);
  }

  void WriteUsers(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  LoginAnswer Recall(const std::string& user, const std::string& secret) {
    return authenticator_->Recall({.user = user, .secret = secret});
  }
  LoginAnswer Check(const std::string& user, const std::string& secret) {
    return authenticator_->Check({.user = user, .secret = secret}, "test");
  }
  uint64_t Counted(const std::string& name, const std::string& type) {
    return stats_.counter(name, {{"type", type}})->value();
  }

  TempDir dir_;
  const std::string path_ = dir_.file("users");
  Stats stats_;
  std::unique_ptr<Authenticator> authenticator_;
};

const LoginAnswer kReader = LoginAnswer::Granted(AccessRights::Read());

TEST_F(AuthenticatorTest, ChecksOnceAndKnowsFromThenOn) {
  EXPECT_EQ(Recall("reader", "r"), LoginAnswer::Unknown());
  EXPECT_EQ(Check("reader", "r"), kReader);
  EXPECT_EQ(Recall("reader", "r"), kReader);

  EXPECT_EQ(Recall("reader", "R"), LoginAnswer::Unknown());
  EXPECT_EQ(Check("reader", "R"), LoginAnswer::Refused());
  EXPECT_EQ(Recall("reader", "R"), LoginAnswer::Refused());
  EXPECT_EQ(Recall("reader", "r"), kReader) << "a wrong guess costs the right user nothing";
  EXPECT_EQ(Counted("auth.logins", "granted"), 1u);
  EXPECT_EQ(Counted("auth.logins", "refused"), 1u);
}

TEST_F(AuthenticatorTest, OneUsersSecretIsNotAnothers) {
  EXPECT_EQ(Check("reader", "w"), LoginAnswer::Refused());
  EXPECT_EQ(Check("writer", "w"), LoginAnswer::Granted(AccessRights::Write()));
  EXPECT_EQ(Recall("reader", "w"), LoginAnswer::Refused());
}

// Otherwise the time of a second try would reveal which users exist.
TEST_F(AuthenticatorTest, StrangersAreKnownAsWellAsUsersAre) {
  for (const char* const user : {"reader", "nobody"}) {
    EXPECT_EQ(Recall(user, "x"), LoginAnswer::Unknown()) << user;
    EXPECT_EQ(Check(user, "x"), LoginAnswer::Refused()) << user;
    EXPECT_EQ(Recall(user, "x"), LoginAnswer::Refused()) << user;
    EXPECT_EQ(Check(user, "y"), LoginAnswer::Refused()) << user;
    EXPECT_EQ(Recall(user, "x"), LoginAnswer::Refused()) << user << ": two wrong ones, too";
  }
}

TEST_F(AuthenticatorTest, TheOldestOfManyWrongLoginsIsForgottenWhoeverItWasOf) {
  const auto guess = [this](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
      EXPECT_EQ(Check(i % 2 == 0 ? "reader" : "nobody", std::to_string(i)), LoginAnswer::Refused());
  };
  guess(0, kRefusedKept);
  EXPECT_EQ(Recall("reader", "0"), LoginAnswer::Refused());
  EXPECT_EQ(Recall("nobody", "1"), LoginAnswer::Refused());

  guess(kRefusedKept, kRefusedKept + 2);

  EXPECT_EQ(Recall("reader", "0"), LoginAnswer::Unknown());
  EXPECT_EQ(Recall("nobody", "1"), LoginAnswer::Unknown());
  EXPECT_EQ(Recall("reader", "2"), LoginAnswer::Refused());
}

TEST_F(AuthenticatorTest, ASecondCheckOfTheSameCostsNothing) {
  Check("reader", "r");
  Check("reader", "r");
  Check("nobody", "r");
  Check("nobody", "r");
  EXPECT_EQ(Counted("auth.logins", "granted"), 1u);
  EXPECT_EQ(Counted("auth.logins", "refused"), 1u);
}

TEST_F(AuthenticatorTest, AFileThatAnybodyMayWriteIsRefused) {
  ASSERT_EQ(chmod(path_.c_str(), 0606), 0);
  EXPECT_THAT(authenticator_->Reload(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("anybody may write it")));
  EXPECT_EQ(Check("reader", "r"), kReader) << "the users of before stay";
  ASSERT_EQ(chmod(path_.c_str(), 0604), 0);
  EXPECT_OK(authenticator_->Reload()) << "but warned of";
}

TEST_F(AuthenticatorTest, AReloadForgetsWhatWasChecked) {
  EXPECT_EQ(Check("reader", "r"), kReader);
  EXPECT_EQ(Check("writer", "w"), LoginAnswer::Granted(AccessRights::Write()));
  WriteUsers(LineOf("reader", AccessRights::Read(), "new"));

  ASSERT_OK(authenticator_->Reload());

  EXPECT_EQ(Recall("reader", "r"), LoginAnswer::Unknown());
  EXPECT_EQ(Check("reader", "r"), LoginAnswer::Refused());
  EXPECT_EQ(Check("reader", "new"), kReader);
  EXPECT_EQ(Check("writer", "w"), LoginAnswer::Refused());
}

TEST_F(AuthenticatorTest, ADamagedFileLeavesTheUsersAsTheyWere) {
  WriteUsers("reader read scrypt:\n");

  EXPECT_THAT(authenticator_->Reload(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("users:1: hash")));
  EXPECT_EQ(Check("reader", "r"), kReader);
  std::remove(path_.c_str());
  EXPECT_THAT(authenticator_->Reload(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot be read")));
  EXPECT_EQ(Recall("reader", "r"), kReader);
  EXPECT_EQ(Counted("auth.reloads", "failed"), 2u);
}

TEST_F(AuthenticatorTest, AFileIsReadAgainOnceWhenItChanged) {
  authenticator_->ReloadIfChanged();
  EXPECT_EQ(Counted("auth.reloads", "done"), 1u) << "Open's only";

  WriteUsers(LineOf("other", AccessRights::Read(), "o"));
  authenticator_->ReloadIfChanged();
  authenticator_->ReloadIfChanged();
  EXPECT_EQ(Counted("auth.reloads", "done"), 2u);
  EXPECT_EQ(Check("other", "o"), kReader);

  WriteUsers("damaged\n");
  authenticator_->ReloadIfChanged();
  authenticator_->ReloadIfChanged();
  EXPECT_EQ(Counted("auth.reloads", "failed"), 1u) << "said once, not every second";
}

TEST(AuthenticatorOpenTest, WithoutAFileThereIsNoServer) {
  TempDir dir;
  Stats stats;
  EXPECT_THAT(Authenticator::Open(dir.file("none"), &stats),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.auth.file: ")));
}

}  // namespace
}  // namespace hourcell::authenticator_test
