#include "server/http/http_router.h"

#include <string>

#include <gtest/gtest.h>

#include "server/http/http_target.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::http_router_test {
namespace {

using testing::HasSubstr;

HttpRequest MakeRequest(std::string_view line) {
  HttpRequest request;
  request.method = line.substr(0, line.find(' '));
  request.target = line.substr(line.find(' ') + 1);
  EXPECT_OK(ParseTarget(&request));
  return request;
}

// What OpenTSDB calls the base route.
std::string BaseOf(const Route& route) {
  if (route.api_version == 0) return route.endpoint;
  return route.endpoint.empty() ? "api" : "api/" + route.endpoint;
}

TEST(HttpRouterTest, RoutesTheVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "routing")) {
    SCOPED_TRACE(vector.from);
    ++run;
    if (Has(vector.given, "uri")) {
      const HttpRequest request = MakeRequest("GET " + TextOf(vector.given, "uri"));
      const auto route = ParseRoute(request.path);
      ASSERT_OK(route);
      EXPECT_EQ(BaseOf(*route), TextOf(vector.expect, "route"));
      EXPECT_EQ(route->api_version, IntOf(vector.expect, "api_version"));
      continue;
    }
    EXPECT_EQ(TextOf(vector.expect, "effective_method"), "DELETE");
    EXPECT_EQ(EffectiveMethod(MakeRequest(TextOf(vector.given, "http"))), HttpMethod::kDelete);
  }
  EXPECT_EQ(run, 9);
}

TEST(HttpRouterTest, ParseRouteFindsVersionEndpointAndSub) {
  const auto check = [](std::string_view path, const Route& want) {
    EXPECT_THAT(ParseRoute(path), IsOkAndHolds(want)) << path;
  };
  check("/api/put", {.api_version = 1, .endpoint = "put", .sub = ""});
  check("/API/V1/Put/", {.api_version = 1, .endpoint = "put", .sub = ""});
  check("/api/v2/query", {.api_version = 2, .endpoint = "query", .sub = ""});
  check("/api/config/Filters", {.api_version = 1, .endpoint = "config", .sub = "filters"});
  check("/api/version", {.api_version = 1, .endpoint = "version", .sub = ""});
  check("/api/v1/query/last/x", {.api_version = 1, .endpoint = "query", .sub = "last/x"});
  check("/s/file.js", {.api_version = 0, .endpoint = "s", .sub = "file.js"});
}

TEST(HttpRouterTest, ParseRoutePathTakesTheVersionOff) {
  const auto check = [](std::string_view path, int64_t version, std::string_view rest) {
    const auto parts = ParseRoutePath(path);
    ASSERT_OK(parts);
    EXPECT_EQ(parts->api_version, version) << path;
    EXPECT_EQ(parts->rest, rest) << path;
  };
  check("/", 0, "");
  check("//", 0, "");
  check("/q/", 0, "q");
  check("/api", 1, "");
  check("/API/V12//", 12, "");
  check("/Api/v1/Config/Filters", 1, "Config/Filters");
  check("/api/version", 1, "version");
  check("/api//put", 1, "/put");
  check("/apis/put", 0, "apis/put");
}

TEST(HttpRouterTest, ParseRouteRefusesBadVersions) {
  EXPECT_THAT(ParseRoute("/api/v1x/put"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseRoute("/api/v99999999999999999999/put"),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseRoute("api/put"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(HttpRouterTest, EffectiveMethodIsForRealGetsOnly) {
  EXPECT_EQ(EffectiveMethod(MakeRequest("GET /q")), HttpMethod::kGet);
  EXPECT_EQ(EffectiveMethod(MakeRequest("POST /q?method_override=delete")), HttpMethod::kPost);
  EXPECT_EQ(EffectiveMethod(MakeRequest("GET /q?method_override")), std::nullopt);
  EXPECT_EQ(EffectiveMethod(MakeRequest("GET /q?method_override=patch")), std::nullopt);
  EXPECT_EQ(EffectiveMethod(MakeRequest("HEAD /q?method_override=delete")), std::nullopt);
  EXPECT_EQ(EffectiveMethod(MakeRequest("HEAD /q")), HttpMethod::kGet);
  EXPECT_EQ(EffectiveMethod(MakeRequest("PATCH /q")), std::nullopt);
}

TEST(HttpRouterTest, MethodNotAllowedNamesTheVerb) {
  const HttpResponse response = MethodNotAllowed(MakeRequest("PUT /api/put"));

  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.body,
            R"({"error":{"code":405,"message":"Method not allowed",)"
            R"("details":"The HTTP method [PUT] is not permitted for this endpoint"}})");
}

TEST(HttpRouterTest, PageErrorIsHtmlOrJson) {
  const HttpResponse page = PageError(MakeRequest("GET /nosuch"), 404, "<b>");
  const HttpResponse json = PageError(MakeRequest("GET /nosuch?json"), 404, "Page Not Found");

  EXPECT_EQ(page.status, 404);
  EXPECT_EQ(page.content_type, "text/html; charset=UTF-8");
  EXPECT_THAT(page.body, HasSubstr("<h1>&lt;b&gt;</h1>"));
  EXPECT_EQ(json.body, R"({"err":"Page Not Found"})");
}

// An error of a page's handler has OpenTSDB's shape, too.
TEST(HttpRouterTest, PageErrorMatchesTheVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "error-format")) {
    SCOPED_TRACE(vector.from);
    const std::string condition = TextOf(vector.given, "condition");
    if (condition.find("non-API") == std::string::npos) continue;
    const int status = static_cast<int>(IntOf(vector.expect, "status"));
    const std::string message = status == 404 ? "Page Not Found" : "Bad user error";
    EXPECT_EQ(PageError(MakeRequest("GET /q?json"), status, message).body,
              TextOf(vector.expect, "body"));
    ++run;
  }
  EXPECT_EQ(run, 2);
}

}  // namespace
}  // namespace hourcell::http_router_test
