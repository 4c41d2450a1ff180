#include "server/cors.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/support/status_matchers.h"

namespace hourcell {
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
  policy.AddHeaders(request, &response);
  return response.headers.empty() ? "" : response.headers[0].second;
}

TEST(CorsPolicyTest, CreateRefusesStarTogetherWithDomains) {
  EXPECT_THAT(CorsPolicy::Create("*,aurther.com", ""),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cors_domains")));
}

TEST(CorsPolicyTest, WithoutDomainsOriginsAreIgnored) {
  const CorsPolicy policy = MakePolicy("");

  EXPECT_FALSE(policy.Intercept(MakeRequest("GET", "42.com")));
  EXPECT_EQ(AllowedOrigin(policy, MakeRequest("GET", "42.com")), "");
  EXPECT_EQ(policy.Intercept(MakeRequest("OPTIONS", "42.com"))->status, 405);
}

TEST(CorsPolicyTest, StarAllowsEveryOrigin) {
  const CorsPolicy policy = MakePolicy("*");
  HttpResponse response;

  policy.AddHeaders(MakeRequest("GET", "42.com"), &response);

  const std::map<std::string, std::string> headers(response.headers.begin(),
                                                   response.headers.end());
  EXPECT_EQ(headers.at("Access-Control-Allow-Origin"), "42.com");
  EXPECT_EQ(headers.at("Access-Control-Allow-Methods"), "GET, POST, PUT, DELETE");
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

TEST(CorsPolicyTest, OptionsWithoutOriginIsNoPreflight) {
  EXPECT_EQ(MakePolicy("*").Intercept(MakeRequest("OPTIONS", ""))->status, 405);
}

}  // namespace
}  // namespace hourcell
