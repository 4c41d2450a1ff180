#include "server/http/http_target.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::http_target_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

HttpRequest WithTarget(std::string target) {
  HttpRequest request;
  request.target = std::move(target);
  return request;
}

TEST(HttpTargetTest, SplitsPathAndParameters) {
  HttpRequest request = WithTarget("/api/query?start=1h-ago&m=sum:a&m=avg:b&&arrays&end=");

  ASSERT_OK(ParseTarget(&request));

  EXPECT_EQ(request.path, "/api/query");
  EXPECT_THAT(request.params, ElementsAre(Pair("start", "1h-ago"), Pair("m", "sum:a"),
                                          Pair("m", "avg:b"), Pair("arrays", ""), Pair("end", "")));
  EXPECT_EQ(*request.param("m"), "avg:b");
  EXPECT_TRUE(request.has_param("arrays"));
  EXPECT_FALSE(request.has_param("array"));
}

TEST(HttpTargetTest, TakesWhatClientsSendUnencoded) {
  HttpRequest request = WithTarget("/q?m=sum:rate{true,\"x\"|*}:cpu{host=web01|web02}&a=b=c?d");

  ASSERT_OK(ParseTarget(&request));

  EXPECT_EQ(*request.param("m"), "sum:rate{true,\"x\"|*}:cpu{host=web01|web02}");
  EXPECT_EQ(*request.param("a"), "b=c?d");
}

TEST(HttpTargetTest, DecodesEscapesAndPlus) {
  HttpRequest request = WithTarget("/a+b%20c%2F?x%3D=1+2%2b3&y=%c3%A9");

  ASSERT_OK(ParseTarget(&request));

  EXPECT_EQ(request.path, "/a+b c/");
  EXPECT_THAT(request.params, ElementsAre(Pair("x=", "1 2+3"), Pair("y", "\xC3\xA9")));
}

TEST(HttpTargetTest, TheHostOfAnAbsoluteFormReplacesTheHeader) {
  struct Case {
    std::string target;
    std::string path;
    std::string host;
  };
  for (const Case& c :
       {Case{"http://a:4242/api/query?m=x", "/api/query", "a:4242"}, Case{"HTTP://a", "/", "a"},
        Case{"https://[::1]:1?m=x", "/", "[::1]:1"}, Case{"/x?u=http://b/", "/x", "old"}}) {
    SCOPED_TRACE(c.target);
    HttpRequest request = WithTarget(c.target);
    request.headers = {{"host", "old"}, {"accept", "*/*"}};
    ASSERT_OK(ParseTarget(&request));
    EXPECT_EQ(request.path, c.path);
    EXPECT_EQ(request.header("host"), c.host);
    EXPECT_EQ(request.headers.size(), 2U);
    EXPECT_EQ(request.has_param("m"), c.target.find("m=x") != std::string::npos);
  }
}

TEST(HttpTargetTest, RefusesBadEscapesAndOtherForms) {
  for (const std::string target : {"/%", "/%2", "/%g0", "/?a=%0", "/?%zz=1", "/?a=%2&b=0", "", "*",
                                   "http:///x", "http:x", "ftp://x/"}) {
    SCOPED_TRACE(target);
    HttpRequest request = WithTarget(target);
    EXPECT_THAT(ParseTarget(&request),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("request target")));
    EXPECT_THAT(request.path, IsEmpty());
    EXPECT_THAT(request.params, IsEmpty());
  }
}

}  // namespace
}  // namespace hourcell::http_target_test
