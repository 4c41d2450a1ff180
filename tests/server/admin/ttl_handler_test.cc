#include "server/admin/ttl_handler.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::ttl_handler_test {
namespace {

using testing::HasSubstr;

constexpr const char* kQuery = "GET /api/query?start=1356998400&end=1356998401&m=sum:m";

class TtlHandlerTest : public ApiTest {
 protected:
  void SetUp() override { ASSERT_OK(config().Set("tsd.http.ttl.allow_shorter", "true")); }
};

class ShorterTtlTest : public ApiTest {
 protected:
  int Set(std::string_view ttl) {
    return Send("POST /api/admin/ttl", fmt::format(R"({{"metric":"m","ttl":{}}})", ttl)).status;
  }
};

TEST_F(ShorterTtlTest, IsRefusedWithoutItsOwnPermission) {
  Put({"m", "host=a", kStartS, 1});
  EXPECT_EQ(Set("1"), 403) << "from for ever";
  EXPECT_EQ(Set("null"), 200);
  EXPECT_EQ(Set("0"), 200);
  EXPECT_THAT(Send("POST /api/admin/ttl", R"({"metric":"m","ttl":"1d"})").body,
              HasSubstr("tsd.http.ttl.allow_shorter=false"));
  EXPECT_THAT(Send(kQuery).body, HasSubstr(R"("1356998400":1)"));
}

TEST_F(ShorterTtlTest, IsToldByTheTtlInForce) {
  options().ttl_s = 30 * 86'400;
  Put({"m", "host=a", kStartS, 1});
  EXPECT_EQ(Set("2592000"), 200) << "as long as the store's";
  EXPECT_EQ(Set("2591999"), 403);
  EXPECT_EQ(Set("\"60d\""), 200);
  EXPECT_EQ(Set("null"), 403) << "back to the store's";
  EXPECT_EQ(Set("\"59d\""), 403);
  EXPECT_EQ(Set("\"forever\""), 200);
}

TEST_F(TtlHandlerTest, AMetricsTtlHidesItsPointsAtOnceAndCanBeTakenBack) {
  Put({"m", "host=a", kStartS, 1});
  Put({"other", "host=a", kStartS, 1});
  EXPECT_EQ(Send("GET /api/admin/ttl").body, R"({"store":0,"metrics":{}})");

  // The clock is 3.5 days after the point.
  const HttpResponse set = Send("POST /api/admin/ttl", R"({"metric":"m","ttl":"3d"})");
  EXPECT_EQ(set.status, 200);
  EXPECT_EQ(set.body, R"({"store":0,"metrics":{"m":259200}})");
  EXPECT_EQ(Send(kQuery).body, "[]");
  EXPECT_THAT(Send("GET /api/query?start=1356998400&end=1356998401&m=sum:other").body,
              HasSubstr(R"("1356998400":1)"));

  EXPECT_EQ(Send("POST /api/admin/ttl", R"({"metric":"other","ttl":86400})").body,
            R"({"store":0,"metrics":{"m":259200,"other":86400}})");
  EXPECT_EQ(Send("POST /api/admin/ttl", R"({"metric":"m","ttl":null})").body,
            R"({"store":0,"metrics":{"other":86400}})");
  EXPECT_EQ(Send("POST /api/admin/ttl", R"({"metric":"other","ttl":"forever"})").body,
            R"({"store":0,"metrics":{"other":0}})");
}

TEST_F(TtlHandlerTest, TheStoresSettingIsShown) {
  options().ttl_s = 3600;
  EXPECT_EQ(Send("GET /api/admin/ttl").body, R"({"store":3600,"metrics":{}})");
}

TEST_F(TtlHandlerTest, WhatMakesNoSenseIsRefusedAndChangesNothing) {
  Put({"m", "host=a", kStartS, 1});
  struct Case {
    std::string body;
    int status;
    std::string says;
  };
  const Case cases[] = {
      {"", 400, "expected an object with metric and ttl"},
      {"[1]", 400, "expected an object with metric and ttl"},
      {"{}", 400, "metric: missing"},
      {R"({"metric":"m"})", 400, "ttl: missing"},
      {R"({"ttl":1})", 400, "metric: missing"},
      {R"({"metric":"m","ttl":-1})", 400, "ttl: expected"},
      {R"({"metric":"m","ttl":1.5})", 400, "ttl: expected"},
      {R"({"metric":"m","ttl":99999999999999})", 400, "99999999999999"},
      {R"({"metric":"m","ttl":"soon"})", 400, "expected seconds, a duration"},
      {R"({"metric":"m","ttl":1,"for":"ever"})", 400, "got"},
      {R"({"metric":7,"ttl":1})", 400, "got"},
      {R"({"metric":"none","ttl":1})", 404, "none"},
      {std::string(70'000, ' '), 400, "expected at most 65536"},
  };
  for (const Case& c : cases) {
    const HttpResponse response = Send("POST /api/admin/ttl", c.body);
    EXPECT_EQ(response.status, c.status) << c.body;
    EXPECT_THAT(response.body, HasSubstr(c.says)) << c.body;
  }
  EXPECT_EQ(Send("GET /api/admin/ttl").body, R"({"store":0,"metrics":{}})");
  EXPECT_EQ(Send("DELETE /api/admin/ttl").status, 405);
}

}  // namespace
}  // namespace hourcell::ttl_handler_test
