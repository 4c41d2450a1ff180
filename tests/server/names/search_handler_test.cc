#include "server/names/search_handler.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::search_handler_test {
namespace {

using testing::HasSubstr;

class SearchHandlerTest : public ApiTest {
 protected:
  void PutSome() {
    Put({"cpu", "host=a", kStartS, 1});
    Put({"cpu", "host=b dc=x", kStartS, 1});
    Put({"mem", "host=a", kStartS, 1});
  }
};

TEST_F(SearchHandlerTest, ListsTheSeriesOfAMetric) {
  PutSome();

  EXPECT_EQ(Send("GET /api/search/lookup?m=cpu").body,
            R"({"type":"LOOKUP","metric":"cpu","tags":[],"limit":25,"time":0.0,"results":[)"
            R"({"tsuid":"000001000001000001","metric":"cpu","tags":{"host":"a"}},)"
            R"({"tsuid":"000001000001000002000002000003","metric":"cpu",)"
            R"("tags":{"host":"b","dc":"x"}}],"startIndex":0,"totalResults":2})");
}

TEST_F(SearchHandlerTest, TakesAPost) {
  PutSome();

  EXPECT_EQ(Send("POST /api/search/lookup",
                 R"({"metric":"*","tags":[{"key":"host","value":"a"}],"limit":1,"startIndex":1})")
                .body,
            R"({"type":"LOOKUP","metric":"*","tags":[{"key":"host","value":"a"}],"limit":1,)"
            R"("time":0.0,"results":[{"tsuid":"000002000001000001","metric":"mem",)"
            R"("tags":{"host":"a"}}],"startIndex":1,"totalResults":2})");
}

TEST_F(SearchHandlerTest, WhatMayBeAnythingAndLimits) {
  PutSome();
  const auto total = [this](std::string_view query) {
    const std::string body = Send(fmt::format("GET /api/search/lookup?{}", query)).body;
    return body.substr(body.find("totalResults"));
  };
  EXPECT_EQ(total("m=*"), "totalResults\":3}");
  EXPECT_EQ(total("m={host=*}"), "totalResults\":3}");
  EXPECT_EQ(total("m={=x}"), "totalResults\":1}");
  EXPECT_EQ(total("m=cpu{host=a,host=b}"), "totalResults\":2}");
  EXPECT_EQ(total("m=cpu{host=a,dc=x}"), "totalResults\":0}");
  EXPECT_EQ(total("m=*&limit=1"), "totalResults\":3}");
  EXPECT_THAT(Send("GET /api/search/lookup?m=cpu&limit=1&start_index=1").body,
              HasSubstr(R"("results":[{"tsuid":"000001000001000002000002000003")"));
}

TEST_F(SearchHandlerTest, ListsThousands) {
  std::vector<OwnedPoint> points;
  for (int i = 0; i < 3000; ++i)
    points.push_back({"m", fmt::format("host=h{}", i), kStartS, 1});
  std::vector<PointView> views;
  for (OwnedPoint& point : points)
    views.push_back(point.view());
  ASSERT_OK(tsdb().points().Append(views, nullptr).Wait());

  const std::string body = Send("GET /api/search/lookup?m=m&limit=100000").body;
  size_t count = 0;
  for (size_t at = body.find("\"tsuid\""); at != std::string::npos;
       at = body.find("\"tsuid\"", at + 1))
    ++count;
  EXPECT_EQ(count, 3000u);
  EXPECT_THAT(body, HasSubstr("\"totalResults\":3000}"));
}

// Grafana's variables look up and complete with this limit unless a user changes it.
TEST_F(SearchHandlerTest, GrafanasVariablesGetAThousandOfMore) {
  std::vector<OwnedPoint> points;
  for (int i = 0; i < 1200; ++i)
    points.push_back({"m", fmt::format("host=h{:04}", i), kStartS, 1});
  std::vector<PointView> views;
  for (OwnedPoint& point : points)
    views.push_back(point.view());
  ASSERT_OK(tsdb().points().Append(views, nullptr).Wait());
  const auto count = [](const std::string& body, std::string_view word) {
    size_t found = 0;
    for (size_t at = body.find(word); at != std::string::npos; at = body.find(word, at + 1))
      ++found;
    return found;
  };

  // label_values(m, host), tag_values(m, host, host=h*) and suggest_tagv(h).
  const std::string of_metric = Send("GET /api/search/lookup?m=m&limit=1000").body;
  EXPECT_EQ(count(of_metric, "\"tsuid\""), 1000U);
  EXPECT_THAT(of_metric, HasSubstr("\"totalResults\":1200}"));
  const std::string of_tag = Send("GET /api/search/lookup?m=m{host=*}&limit=1000").body;
  EXPECT_EQ(count(of_tag, "\"tsuid\""), 1000U);
  const std::string names = Send("GET /api/suggest?type=tagv&q=h&max=1000").body;
  EXPECT_EQ(count(names, "\"h"), 1000U);
  EXPECT_THAT(names, HasSubstr("\"h0999\"]"));
  EXPECT_EQ(count(Send("GET /api/suggest?type=tagv&q=h&max=10000").body, "\"h"), 1200U);
}

TEST_F(SearchHandlerTest, SaysWhatIsWrong) {
  PutSome();
  const auto check = [this](std::string_view request, int status, const std::string& want) {
    const HttpResponse response = Send(request);
    EXPECT_EQ(response.status, status) << request;
    EXPECT_THAT(response.body, HasSubstr("\"message\":\"" + want)) << request;
  };
  check("GET /api/search/lookup", 400, "Missing parameter <code>m</code>");
  check("GET /api/search/lookup?m=", 400, "Missing metric and tags. Please supply at least one");
  check("GET /api/search/lookup?m=cpu{", 400, "Missing '}'");
  check("GET /api/search/lookup?m=cpu&limit=x", 400, "Unable to convert 'limit' to a valid number");
  check("GET /api/search/lookup?m=disk", 404, "Unable to resolve one or more UIDs");
  check("GET /api/search/lookup?m=cpu{host=z}", 404, "Unable to resolve one or more UIDs");
  check("POST /api/search/lookup", 400, "Missing message content");
  check("GET /api/search/nothing", 400, "Invalid search query type supplied");
  check("GET /api/search", 400, "Invalid search query type supplied");
  EXPECT_EQ(Send("DELETE /api/search/lookup").status, 405);
  EXPECT_EQ(Send("GET /api/search/lookup?method_override=delete").status, 405);
}

}  // namespace
}  // namespace hourcell::search_handler_test
