#include "server/api/http_login.h"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::http_login_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr AccessRights kRead = AccessRights::Read();
constexpr AccessRights kWrite = AccessRights::Write();

class HttpLoginTest : public testing::Test {
 protected:
  void SetUp() override {
    const SecretHash hash = SecretHash::Make("s", {.log2_n = 10, .block = 1, .parallel = 1});
    std::ofstream(dir_.file("users")) << CredentialsLine("reader", kRead, hash);
    auto opened = Authenticator::Open(dir_.file("users"), &stats_);
    ASSERT_OK(opened);
    authenticator_ = *std::move(opened);
  }

  static HttpRequest RequestWith(std::string authorization) {
    HttpRequest request;
    if (!authorization.empty()) {
      request.headers = {{"authorization", std::move(authorization)}};
    }
    return request;
  }
  // As the connection does it.
  HttpRequest LoggedIn(AccessRights connection, std::string authorization) {
    HttpRequest request = RequestWith(std::move(authorization));
    if (const auto login = BeginLogin(authenticator_.get(), connection, &request)) {
      EndLogin(authenticator_->Check(*login, "test"), connection, &request);
    }
    return request;
  }

  TempDir dir_;
  Stats stats_;
  std::unique_ptr<Authenticator> authenticator_;
};

std::vector<std::string> Challenges(const HttpResponse& response) {
  std::vector<std::string> challenges;
  for (const auto& [name, value] : response.headers) {
    if (name == "WWW-Authenticate") challenges.push_back(value);
  }
  return challenges;
}

TEST_F(HttpLoginTest, WithoutCredentialsTheConnectionCounts) {
  EXPECT_TRUE(LoggedIn({}, "").rights.is_none());
  EXPECT_EQ(LoggedIn(kWrite, "").rights, kWrite);
  EXPECT_FALSE(LoggedIn({}, "").login_refused);
}

TEST_F(HttpLoginTest, OnlyRightCredentialsLiftTheLimitOfNewSeries) {
  const auto is_limited = [this](std::string authorization) {
    HttpRequest request = RequestWith(std::move(authorization));
    request.new_series = [](size_t) { return 0; };
    if (const auto login = BeginLogin(authenticator_.get(), kWrite, &request))
      EndLogin(authenticator_->Check(*login, "test"), kWrite, &request);
    return request.new_series_limit() != nullptr;
  };

  EXPECT_TRUE(is_limited(""));
  EXPECT_TRUE(is_limited("Bearer reader.x"));
  EXPECT_TRUE(is_limited("Digest x"));
  EXPECT_FALSE(is_limited("Bearer reader.s"));
  EXPECT_FALSE(is_limited("Bearer reader.s")) << "a known login";
}

TEST_F(HttpLoginTest, CredentialsAddToIt) {
  EXPECT_EQ(LoggedIn({}, "Bearer reader.s").rights, kRead);
  EXPECT_EQ(LoggedIn(kWrite, "Basic cmVhZGVyOnM=").rights, kRead | kWrite);
  EXPECT_EQ(LoggedIn({}, "Bearer reader.s").user, "reader");
}

TEST_F(HttpLoginTest, WrongOnesAreRefusedWhateverTheConnectionMay) {
  for (const char* const wrong :
       {"Bearer reader.x", "Bearer nobody.s", "Basic cmVhZGVyOng=", "x"}) {
    const HttpRequest request = LoggedIn(AccessRights::Admin(), wrong);
    EXPECT_TRUE(request.login_refused) << wrong;
    EXPECT_TRUE(request.rights.is_none()) << wrong;
    EXPECT_EQ(request.user, "") << wrong;
  }
}

TEST_F(HttpLoginTest, OnlyTheFirstRequestIsLeftToCheck) {
  HttpRequest request = RequestWith("Bearer reader.s");
  EXPECT_TRUE(BeginLogin(authenticator_.get(), {}, &request).has_value());
  EXPECT_TRUE(request.rights.is_none()) << "not before it is checked";
  LoggedIn({}, "Bearer reader.s");

  EXPECT_FALSE(BeginLogin(authenticator_.get(), {}, &request).has_value());
  EXPECT_EQ(request.rights, kRead);
}

TEST_F(HttpLoginTest, AServerWithoutUsersLooksAtNoCredentials) {
  HttpRequest request = RequestWith("Bearer x");
  EXPECT_FALSE(BeginLogin(nullptr, kWrite, &request).has_value());
  EXPECT_EQ(request.rights, kWrite);
  EXPECT_FALSE(request.login_refused);
}

TEST_F(HttpLoginTest, RefusalsAskForCredentialsWhereTheyHelp) {
  const HttpResponse nobody = AccessRefused(LoggedIn({}, ""), kWrite, true);
  EXPECT_EQ(nobody.status, 401);
  EXPECT_THAT(nobody.body, HasSubstr("This needs the role write"));
  EXPECT_THAT(Challenges(nobody), ElementsAre(R"(Basic realm="hourcell", charset="UTF-8")",
                                              R"(Bearer realm="hourcell")"));

  const HttpResponse wrong = AccessRefused(LoggedIn({}, "Bearer reader.x"), kWrite, true);
  EXPECT_EQ(wrong.status, 401);
  EXPECT_THAT(wrong.body, HasSubstr("Wrong user or secret"));

  const HttpResponse known = AccessRefused(LoggedIn({}, "Bearer reader.s"), kWrite, true);
  EXPECT_EQ(known.status, 403);
  EXPECT_THAT(known.body, HasSubstr("This needs the role write; this client has read"));
  EXPECT_THAT(Challenges(known), IsEmpty());

  EXPECT_EQ(AccessRefused(LoggedIn(kRead, ""), kWrite, false).status, 403);
}

TEST_F(HttpLoginTest, RefusalsSayThatAUserInTheUrlIsNotRead) {
  for (const bool authenticates : {true, false}) {
    HttpRequest request = LoggedIn({}, "");
    EXPECT_THAT(AccessRefused(request, kWrite, authenticates).body,
                Not(HasSubstr("parameters u and p")));
    request.params = {{"u", "reader"}, {"p", "s"}};
    EXPECT_THAT(AccessRefused(request, kWrite, authenticates).body,
                HasSubstr("; the parameters u and p are not read: send Authorization"));
  }
}

}  // namespace
}  // namespace hourcell::http_login_test
