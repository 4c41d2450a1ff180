#include "server/inputs/foreign_doors.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::foreign_doors_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ForeignDoorsTest : public ApiTest {};

TEST_F(ForeignDoorsTest, PromqlIsAnsweredInPrometheusForm) {
  const std::string says = R"({"status":"error","errorType":"bad_data","error":"PromQL is not)";
  const HttpResponse form = Send("POST /api/v1/query", "time=1&query=up",
                                 {{"content-type", "application/x-www-form-urlencoded"}});
  EXPECT_EQ(form.status, 400);
  EXPECT_THAT(form.body, HasSubstr(says));
  for (const char* const target :
       {"GET /api/v1/query?query=up&time=1700000000", "GET /api/v1/query_range?query=up&start=1",
        "POST /api/v1/query_range", "GET /api/v1/labels", "GET /api/v1/label/job/values",
        "GET /api/v1/series?match[]=up"}) {
    const HttpResponse response = Send(target);
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_THAT(response.body, HasSubstr(says)) << target;
  }
}

TEST_F(ForeignDoorsTest, QueriesOfOpenTsdbAreNoPromql) {
  for (const char* const target : {"GET /api/v1/query?start=1h-ago&m=sum:x&query=1",
                                   "GET /api/query?m=sum:x", "GET /api/v1/query"}) {
    EXPECT_THAT(Send(target).body, Not(HasSubstr("PromQL"))) << target;
  }
  const std::string json =
      R"({"start":"1h-ago","queries":[{"aggregator":"sum","metric":"query="}]})";
  for (const char* const type : {"application/json", "application/x-www-form-urlencoded"}) {
    EXPECT_THAT(Send("POST /api/query", json, {{"content-type", type}}).body,
                Not(HasSubstr("PromQL")))
        << type;
  }
}

TEST_F(ForeignDoorsTest, WhatInflux2HasBesidesAWriteIsNamed) {
  for (const char* const target : {"POST /api/v2/query?org=o", "GET /api/v2/buckets?name=b",
                                   "POST /api/v2/buckets", "GET /api/v2/orgs"}) {
    const HttpResponse response = Send(target);
    EXPECT_EQ(response.status, 404) << target;
    EXPECT_THAT(response.body, HasSubstr(R"({"code":"not found","message":"of InfluxDB 2 only )"))
        << target;
  }
  EXPECT_EQ(Send("POST /api/v2/put").status, 501) << "a version of OpenTSDB's";
}

}  // namespace
}  // namespace hourcell::foreign_doors_test
