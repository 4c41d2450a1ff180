#include "server/promql/request_params.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "server/http/http_target.h"
#include "tests/support/status_matchers.h"

namespace hourcell::request_params_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

HttpRequest RequestOf(std::string method, std::string target, std::string body = "") {
  HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  request.headers = {{"content-type", "application/x-www-form-urlencoded; charset=UTF-8"}};
  HOURCELL_CHECK(ParseTarget(&request).ok());
  return request;
}

TEST(RequestParamsTest, AFormComesBeforeTheUrl) {
  const auto params = PromParams::Of(
      RequestOf("POST", "/api/v1/query?query=b&time=1", "query=a%7Bb%3D%22c+d%22%7D&match[]=x"));

  ASSERT_OK(params);
  EXPECT_EQ(params->Get("query"), "a{b=\"c d\"}");
  EXPECT_EQ(params->Get("time"), "1");
  EXPECT_EQ(params->Get("nosuch"), "");
  EXPECT_THAT(params->All("query"), ElementsAre("a{b=\"c d\"}", "b"));
  EXPECT_THAT(params->All("match[]"), ElementsAre("x"));
}

TEST(RequestParamsTest, OnlyAFormOfAPostIsRead) {
  HttpRequest json = RequestOf("POST", "/api/v1/query", "query=a");
  json.headers = {{"content-type", "application/json"}};

  const auto of_json = PromParams::Of(json);
  const auto of_get = PromParams::Of(RequestOf("GET", "/api/v1/query", "query=a"));
  const auto broken = PromParams::Of(RequestOf("POST", "/api/v1/query", "query=%zz"));

  ASSERT_OK(of_json);
  EXPECT_EQ(of_json->Get("query"), "");
  ASSERT_OK(of_get);
  EXPECT_EQ(of_get->Get("query"), "");
  EXPECT_THAT(broken.status(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("escape")));
}

TEST(RequestParamsTest, QueriesOfOpenTsdbAreNotPromql) {
  EXPECT_TRUE(IsPromQuery(RequestOf("GET", "/api/v1/query?query=up&time=1700000000")));
  EXPECT_TRUE(IsPromQuery(RequestOf("POST", "/api/v1/query?query=up")));
  EXPECT_TRUE(IsPromQuery(RequestOf("POST", "/api/v1/query", "time=1&query=up")));
  EXPECT_FALSE(IsPromQuery(RequestOf("GET", "/api/v1/query?start=1h-ago&m=sum:x&query=1")));
  EXPECT_FALSE(IsPromQuery(RequestOf("GET", "/api/query?m=sum:x")));
  EXPECT_FALSE(IsPromQuery(RequestOf("GET", "/api/v1/query")));
  // curl -d sends OpenTSDB's JSON as a form.
  const std::string json =
      R"({"start":"1h-ago","queries":[{"aggregator":"sum","metric":"query="}]})";
  EXPECT_FALSE(IsPromQuery(RequestOf("POST", "/api/query", json)));
}

TEST(RequestParamsTest, TimesAreSecondsOrRfc3339) {
  EXPECT_THAT(ParsePromTime("1435781430.781"), IsOkAndHolds(1'435'781'430'781));
  EXPECT_THAT(ParsePromTime("1435781430"), IsOkAndHolds(1'435'781'430'000));
  EXPECT_THAT(ParsePromTime("1.4357814e9"), IsOkAndHolds(1'435'781'400'000));
  EXPECT_THAT(ParsePromTime("-1.5"), IsOkAndHolds(-1500));
  EXPECT_THAT(ParsePromTime("0.0006"), IsOkAndHolds(1));
  EXPECT_THAT(ParsePromTime("2015-07-01T20:10:30.781Z"), IsOkAndHolds(1'435'781'430'781));
  EXPECT_THAT(ParsePromTime("2015-07-01T22:10:30+02:00"), IsOkAndHolds(1'435'781'430'000));
}

TEST(RequestParamsTest, TimesFarAwayAreCut) {
  EXPECT_THAT(ParsePromTime("1e300"), IsOkAndHolds(kPromTimeMsMax));
  EXPECT_THAT(ParsePromTime("-1e300"), IsOkAndHolds(-kPromTimeMsMax));
  EXPECT_THAT(ParsePromTime("-292273086-05-16T16:47:06Z"), IsOkAndHolds(-kPromTimeMsMax));
  EXPECT_THAT(ParsePromTime("292277025-08-18T07:12:54.999999999Z"), IsOkAndHolds(kPromTimeMsMax));
}

TEST(RequestParamsTest, OtherTimesAreRefused) {
  for (const std::string text : {"", "x", "now", "infinite-future", " 1", "2015-07-01", "NaN",
                                 "Inf", "2015-07-01 20:10:30Z", "1m"}) {
    EXPECT_THAT(ParsePromTime(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("to a valid timestamp")))
        << text;
  }
  EXPECT_EQ(ParsePromTime("x").status().message(), "cannot parse \"x\" to a valid timestamp");
}

TEST(RequestParamsTest, AnAbsentTimeHasADefault) {
  const auto params = PromParams::Of(RequestOf("GET", "/?start=&end=1&time=x"));

  ASSERT_OK(params);
  EXPECT_THAT(PromTimeOf(*params, "start", 7), IsOkAndHolds(7));
  EXPECT_THAT(PromTimeOf(*params, "end", 7), IsOkAndHolds(1000));
  EXPECT_EQ(PromTimeOf(*params, "time", 7).status().message(),
            "Invalid time value for 'time': cannot parse \"x\" to a valid timestamp");
}

TEST(RequestParamsTest, DurationsAreSecondsOrPromqls) {
  EXPECT_THAT(ParsePromDuration("15"), IsOkAndHolds(15'000));
  EXPECT_THAT(ParsePromDuration("0.5"), IsOkAndHolds(500));
  EXPECT_THAT(ParsePromDuration("-1"), IsOkAndHolds(-1000));
  EXPECT_THAT(ParsePromDuration("1h30m"), IsOkAndHolds(5'400'000));
  EXPECT_EQ(ParsePromDuration("x").status().message(), "cannot parse \"x\" to a valid duration");
  EXPECT_EQ(ParsePromDuration("").status().message(), "cannot parse \"\" to a valid duration");
  EXPECT_EQ(ParsePromDuration("1e10").status().message(),
            "cannot parse \"1e10\" to a valid duration. It overflows int64");
  EXPECT_THAT(ParsePromDuration("NaN"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell::request_params_test
