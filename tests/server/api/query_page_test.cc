#include "server/api/query_page.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::query_page_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class QueryPageTest : public ApiTest {
 protected:
  QueryPageTest() { options().extra_name_chars = "<>&\"'"; }
  void SetUp() override {
    Put(OwnedPoint("m", "host=a dc=lga", kStartS, 1));
    Put(OwnedPoint("m", "host=a dc=lga", kStartS + 600, 2));
    Put(OwnedPoint("m", "host=b dc=lga", kStartS + 600, 40));
  }

  // Ten minutes on, for one minute.
  HttpResponse Ask(const std::string& params) {
    return Send("GET /q?start=1356999000&end=1356999060&" + params);
  }
};

TEST_F(QueryPageTest, AsciiHasAllPointsOfTheHoursRead) {
  const HttpResponse response = Ask("ascii&m=sum:m{host=*}");

  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.content_type, StartsWith("text/plain"));
  EXPECT_EQ(response.body,
            "m 1356998400 1 host=a dc=lga\n"
            "m 1356999000 2 host=a dc=lga\n"
            "m 1356999000 40 host=b dc=lga\n");
}

TEST_F(QueryPageTest, AsciiHasTheCommonTagsAndJavasNumbers) {
  EXPECT_EQ(Ask("ascii&m=avg:10m-avg:m").body,
            "m 1356998400 1.0 dc=lga\n"
            "m 1356999000 21.0 dc=lga\n");
}

TEST_F(QueryPageTest, AsciiLeavesNanOut) {
  EXPECT_EQ(Ask("ascii&m=sum:10m-sum-nan:m{host=b}").body, "m 1356999000 40.0 host=b dc=lga\n");
  EXPECT_EQ(Ask("ascii&m=sum:10m-sum-zero:m{host=b}").body.find("NaN"), std::string::npos);
}

TEST_F(QueryPageTest, JsonCountsThePoints) {
  EXPECT_EQ(Ask("json&m=sum:m&m=max:m{host=*}").body,
            R"({"plotted":3,"points":6,"etags":[["host"],[]],"timing":0})");
}

class JsonpPageTest : public QueryPageTest {
 protected:
  void SetUp() override {
    ASSERT_OK(config().Set("tsd.http.jsonp", "true"));
    QueryPageTest::SetUp();
  }
};

TEST_F(JsonpPageTest, JsonMayBeWrapped) {
  EXPECT_THAT(Ask("json&jsonp=f&m=sum:m").body, StartsWith(R"(f({"plotted":1,)"));
}

TEST_F(QueryPageTest, AnswersMayBeKeptByTheirAge) {
  EXPECT_EQ(Header(Ask("ascii&m=sum:m"), "Cache-Control"), "max-age=86400");
  EXPECT_EQ(Header(Ask("ascii&nocache&m=sum:m"), "Cache-Control"), "max-age=0");
  EXPECT_EQ(Header(Send("GET /q?start=1d-ago&ascii&m=sum:m"), "Cache-Control"), "max-age=84");
}

TEST_F(QueryPageTest, ErrorsArePages) {
  const HttpResponse page = Ask("ascii&m=nosuch:m");
  EXPECT_EQ(page.status, 400);
  EXPECT_THAT(page.content_type, StartsWith("text/html"));
  EXPECT_THAT(page.body, HasSubstr("No such aggregation function: nosuch"));

  EXPECT_EQ(Ask("json&m=sum:nosuch").body, R"({"err":"No such name for 'metrics': 'nosuch'"})");
  EXPECT_EQ(Ask("json&m=sum:nosuch").status, 400);
  EXPECT_THAT(Ask("json&m=sum:m&m=max:m&o=").body,
              HasSubstr("1 `o' parameters, but 2 `m' parameters."));
  EXPECT_EQ(Ask("ascii&m=sum:m&o=").status, 200);
  EXPECT_THAT(Send("GET /q?ascii&m=sum:m").body, HasSubstr("Missing parameter"));
}

TEST_F(QueryPageTest, TextsGoBeforePictures) {
  EXPECT_EQ(Ask("png&m=sum:m").content_type, "image/png");
  EXPECT_EQ(Ask("svg&m=sum:m").content_type, "image/svg+xml");
  EXPECT_THAT(Ask("png&ascii&m=sum:m").content_type, StartsWith("text/plain"));
  EXPECT_THAT(Ask("png&json&m=sum:m").body, StartsWith("{\"plotted\""));
}

TEST_F(QueryPageTest, WithoutAFormatItIsAPageOfThePoints) {
  const HttpResponse response = Ask("m=sum:m{host=*}");

  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.content_type, StartsWith("text/html"));
  EXPECT_THAT(response.body, StartsWith("<!DOCTYPE html>"));
  // Of the range alone: a reader did not ask for the rest of the hour.
  EXPECT_THAT(response.body, HasSubstr("<pre>m 1356999000 2 host=a dc=lga\n"
                                       "m 1356999000 40 host=b dc=lga\n</pre>"));
  EXPECT_THAT(response.body,
              HasSubstr("<a href=\"?start=1356999000&amp;end=1356999060&amp;m=sum:m{host=*}&amp;"
                        "ascii\">"));
  EXPECT_EQ(Header(response, "Cache-Control"), "max-age=86400");
}

TEST_F(QueryPageTest, NoTextOfAPageIsMarkup) {
  Put(OwnedPoint("<b>&m", "k<=\"'", kStartS + 600, 7));

  const HttpResponse response = Ask("m=sum:%3Cb%3E%26m&x=\"><script>");

  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr("&lt;b&gt;&amp;m 1356999000 7 k&lt;=&quot;&#39;\n"));
  EXPECT_THAT(response.body, Not(HasSubstr("<b>")));
  EXPECT_THAT(response.body, Not(HasSubstr("<script>")));
}

TEST_F(QueryPageTest, AQueryThatFailsIsAPageOfItsError) {
  const HttpResponse response = Ask("m=sum:nosuch");

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("No such name for &#39;metrics&#39;: &#39;nosuch&#39;"));
  EXPECT_THAT(response.body, Not(HasSubstr("<pre>")));
}

TEST_F(QueryPageTest, OnlyGetIsServed) {
  EXPECT_EQ(Send("POST /q?ascii").status, 405);
}

}  // namespace
}  // namespace hourcell::query_page_test
