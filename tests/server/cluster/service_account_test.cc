#include "server/cluster/service_account.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::service_account_test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kKey =
    R"({"type":"service_account","project_id":"p","client_email":"a@b",)"
    R"("private_key":"-----BEGIN PRIVATE KEY-----\nsecret"})";

std::string With(std::string_view from, std::string_view to) {
  std::string text(kKey);
  return text.replace(text.find(from), from.size(), to);
}

TEST(ServiceAccountTest, ReadsTheKeyOfAServiceAccount) {
  const TempDir directory;
  const std::string path = directory.path() + "/key.json";
  std::ofstream(path) << kKey;

  EXPECT_THAT(LoadServiceAccount(path), IsOkAndHolds(std::string(kKey)));
}

TEST(ServiceAccountTest, SaysWhatIsWrongAndNothingOfTheSecret) {
  EXPECT_OK(CheckServiceAccount(kKey));
  EXPECT_THAT(CheckServiceAccount(With("service_account", "authorized_user")),
              StatusIs(StatusCode::kInvalidArgument,
                       "type: expected \"service_account\", got \"authorized_user\""));
  EXPECT_THAT(CheckServiceAccount(With("client_email", "email")),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("client_email: missing")));
  EXPECT_THAT(CheckServiceAccount(With("private_key", "key")),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("private_key: missing")));
  EXPECT_THAT(
      CheckServiceAccount(With("-----BEGIN", "")),
      StatusIs(StatusCode::kInvalidArgument,
               AllOf(HasSubstr("private_key: expected "),
                     HasSubstr("got text that does not begin with"), Not(HasSubstr("secret")))));
  for (const std::string_view text : {"", "[]", "-----BEGIN PRIVATE KEY-----secret"}) {
    EXPECT_THAT(
        CheckServiceAccount(text),
        StatusIs(StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("bytes that are no JSON object"), Not(HasSubstr("secret")))))
        << text;
  }
}

TEST(ServiceAccountTest, AFileThatIsNoneIsNamed) {
  const TempDir directory;
  const std::string path = directory.path() + "/key.json";
  EXPECT_THAT(LoadServiceAccount(path),
              StatusIs(StatusCode::kNotFound,
                       AllOf(HasSubstr(path), HasSubstr("No such file"),
                             HasSubstr("expected the JSON key of a service account"))));
  EXPECT_THAT(LoadServiceAccount(directory.path()).status().message(), HasSubstr(directory.path()));
  std::ofstream(path) << std::string(100'000, ' ');
  EXPECT_THAT(LoadServiceAccount(path),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("got more than 65536 bytes")));
}

}  // namespace
}  // namespace hourcell::service_account_test
