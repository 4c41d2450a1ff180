#include "server/promql/api_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "server/config/version.h"
#include "tests/server/promql/promql_fixture.h"

namespace hourcell::api_handler_test {
namespace {

using testing::HasSubstr;

class ApiHandlerTest : public PromqlTest {};

TEST_F(ApiHandlerTest, FormatsAQuery) {
  EXPECT_EQ(Ask("/api/v1/format_query", {{"query", "rate( up [5m] )"}}).body,
            "{\"status\":\"success\",\"data\":\"rate(up[5m])\"}");

  const HttpResponse bad = Send("GET /api/v1/format_query?query=up%20%2B");

  EXPECT_EQ(bad.status, 400);
  EXPECT_THAT(bad.body, HasSubstr(R"(invalid parameter \"query\": 1:5: parse error: )"));
}

TEST_F(ApiHandlerTest, ExemplarsAreNone) {
  EXPECT_EQ(Send("GET /api/v1/query_exemplars?query=up&start=1&end=2").body,
            R"({"status":"success","data":[]})");
  EXPECT_EQ(Send("GET /api/v1/query_exemplars?query=up%20%2B").status, 400);
  EXPECT_THAT(Send("GET /api/v1/query_exemplars?query=up&end=x").body,
              HasSubstr(R"(invalid parameter \"end\": Invalid time value for 'end')"));
}

TEST_F(ApiHandlerTest, WhatIsNotStoredIsEmpty) {
  EXPECT_EQ(Send("GET /api/v1/rules").body, R"({"status":"success","data":{"groups":[]}})");
  EXPECT_EQ(Send("GET /api/v1/alerts").body, R"({"status":"success","data":{"alerts":[]}})");
}

TEST_F(ApiHandlerTest, BuildInfoHasTheVersionOfTheApi) {
  const std::string body = Send("GET /api/v1/status/buildinfo").body;

  EXPECT_THAT(body, HasSubstr(R"({"status":"success","data":{"version":"2.42.0",)"));
  EXPECT_THAT(body, HasSubstr(fmt::format(R"("application":"Hourcell","applicationVersion":"{}")",
                                          kHourcellVersion)));
}

TEST_F(ApiHandlerTest, TsdbHasTheLargestMetrics) {
  WriteHosts();

  EXPECT_EQ(Send("GET /api/v1/status/tsdb?limit=1").body,
            R"({"status":"success","data":{"headStats":{"numSeries":3,"numLabelPairs":0,)"
            R"("chunkCount":0,"minTime":0,"maxTime":0},)"
            R"("seriesCountByMetricName":[{"name":"up","value":2}],)"
            R"("labelValueCountByLabelName":[],"memoryInBytesByLabelName":[],)"
            R"("seriesCountByLabelValuePair":[]}})");
  EXPECT_EQ(Send("GET /api/v1/status/tsdb?limit=0").status, 400);
}

TEST_F(ApiHandlerTest, HealthIsWhereClientsOfPrometheusAsk) {
  rights_ = AccessRights();
  EXPECT_EQ(Send("GET /-/healthy").status, 200);
  EXPECT_EQ(Send("GET /-/ready").status, 200);
}

TEST_F(ApiHandlerTest, NeedsTheRightToRead) {
  for (const char* const path : {"metadata", "rules", "alerts", "status/buildinfo", "status/tsdb",
                                 "format_query?query=1", "query_exemplars?query=1"}) {
    rights_ = AccessRights::Write();
    EXPECT_EQ(Send(fmt::format("GET /api/v1/{}", path)).status, 403) << path;
    rights_ = AccessRights::Read();
    EXPECT_EQ(Send(fmt::format("GET /api/v1/{}", path)).status, 200) << path;
  }
}

}  // namespace
}  // namespace hourcell::api_handler_test
