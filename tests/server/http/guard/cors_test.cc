#include "server/http/guard/cors.h"

#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/support/status_matchers.h"

namespace hourcell::cors_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

CorsPolicy MakePolicy(std::string_view domains) {
  auto policy = CorsPolicy::Create(domains, "Authorization, Accept");
  HOURCELL_CHECK(policy.ok());
  return *std::move(policy);
}

HttpRequest MakeRequest(std::string method, std::string origin) {
  HttpRequest request;
  request.method = std::move(method);
  if (!origin.empty()) request.headers = {{"origin", std::move(origin)}};
  return request;
}

// The Access-Control-Allow-Origin of a response to the request; empty without one.
std::string AllowedOrigin(const CorsPolicy& policy, const HttpRequest& request) {
  HttpResponse response;
  policy.AddHeaders(request, "GET, POST", &response);
  for (const auto& [name, value] : response.headers) {
    if (name == "Access-Control-Allow-Origin") return value;
  }
  return "";
}

bool VariesByOrigin(const CorsPolicy& policy, const HttpRequest& request) {
  HttpResponse response;
  policy.AddHeaders(request, "GET, POST", &response);
  return !response.headers.empty() &&
         response.headers.back() == std::pair<std::string, std::string>("Vary", "Origin");
}

TEST(CorsPolicyTest, CreateRefusesStarTogetherWithDomains) {
  EXPECT_THAT(CorsPolicy::Create("*,aurther.com", ""),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cors_domains")));
}

TEST(CorsPolicyTest, WithoutDomainsNoOriginIsAllowed) {
  const CorsPolicy policy = MakePolicy("");

  EXPECT_FALSE(policy.Intercept(MakeRequest("GET", "42.com")));
  EXPECT_EQ(AllowedOrigin(policy, MakeRequest("GET", "42.com")), "");
  EXPECT_EQ(policy.Intercept(MakeRequest("OPTIONS", "42.com"))->status, 405);
}

TEST(CorsPolicyTest, StarAllowsEveryOrigin) {
  const CorsPolicy policy = MakePolicy("*");
  HttpResponse response;

  policy.AddHeaders(MakeRequest("GET", "42.com"), "GET, POST", &response);

  const std::map<std::string, std::string> headers(response.headers.begin(),
                                                   response.headers.end());
  EXPECT_EQ(headers.at("Access-Control-Allow-Origin"), "42.com");
  EXPECT_EQ(headers.at("Access-Control-Allow-Methods"), "GET, POST");
  EXPECT_EQ(headers.at("Access-Control-Allow-Headers"), "Authorization, Accept");
  EXPECT_FALSE(policy.Intercept(MakeRequest("GET", "42.com")));
}

TEST(CorsPolicyTest, AListAllowsItsDomainsInAnyCase) {
  const CorsPolicy policy = MakePolicy("aurther.com, dent.net,42.com");

  EXPECT_EQ(AllowedOrigin(policy, MakeRequest("GET", "DENT.net")), "DENT.net");
  EXPECT_FALSE(policy.Intercept(MakeRequest("GET", "dent.net")));
  EXPECT_EQ(policy.Intercept(MakeRequest("OPTIONS", "42.com"))->status, 200);
  EXPECT_THAT(policy.Intercept(MakeRequest("OPTIONS", "42.com"))->body, IsEmpty());
}

TEST(CorsPolicyTest, OthersAreRefusedWithStatus200) {
  const auto response = MakePolicy("aurther.com").Intercept(MakeRequest("GET", "42.com"));

  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, R"({"error":{"code":200,"message":"CORS domain not allowed",)"
                            R"("details":"The domain [42.com] is not permitted access"}})");
}

TEST(CorsPolicyTest, AnswersSayWhereTheyVaryByOrigin) {
  EXPECT_TRUE(VariesByOrigin(MakePolicy("42.com"), MakeRequest("GET", "42.com")));
  EXPECT_TRUE(VariesByOrigin(MakePolicy("42.com"), MakeRequest("GET", "")));
  EXPECT_TRUE(VariesByOrigin(MakePolicy(""), MakeRequest("GET", "42.com")));
  EXPECT_FALSE(VariesByOrigin(MakePolicy(""), MakeRequest("GET", "")));
}

TEST(CorsPolicyTest, OptionsWithoutOriginIsNoPreflight) {
  EXPECT_EQ(MakePolicy("*").Intercept(MakeRequest("OPTIONS", ""))->status, 405);
}

}  // namespace
}  // namespace hourcell::cors_test
