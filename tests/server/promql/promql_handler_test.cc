#include "server/promql/promql_handler.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/http/body/body_writer.h"
#include "tests/server/promql/promql_fixture.h"

namespace hourcell::promql_handler_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class PromqlHandlerTest : public PromqlTest {
 protected:
  std::string Instant(std::string query, int64_t second = 30) {
    const HttpResponse response = Ask(
        "/api/v1/query", {{"query", std::move(query)}, {"time", std::to_string(kStartS + second)}});
    EXPECT_EQ(response.status, 200) << response.body;
    return response.body;
  }
};

std::string Error(std::string_view type, std::string_view text) {
  return fmt::format(R"({{"status":"error","errorType":"{}","error":"{}"}})", type, text);
}

TEST_F(PromqlHandlerTest, AnInstantQueryHasTheValuesAtItsTime) {
  WriteHosts();

  const HttpResponse response =
      Send("GET /api/v1/query?query=up%7Bhost%3D%22a%22%7D&time=1356998430.5");

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json; charset=UTF-8");
  EXPECT_EQ(response.body,
            R"({"status":"success","data":{"resultType":"vector","result":[)"
            R"({"metric":{"__name__":"up","dc":"x","host":"a"},"value":[1356998430.500,"2"]}]}})");
}

TEST_F(PromqlHandlerTest, GetAndBothFormsOfPostAreEqual) {
  WriteHosts();
  const std::string params = "query=sum(up)&time=1356998430";
  const std::string want = R"({"status":"success","data":{"resultType":"vector","result":[)"
                           R"({"metric":{},"value":[1356998430,"14"]}]}})";

  EXPECT_EQ(Send("GET /api/v1/query?" + params).body, want);
  EXPECT_EQ(Send("GET /api/query?" + params).body, want);
  EXPECT_EQ(Send("POST /api/v1/query?" + params, "", {}).body, want);
  EXPECT_EQ(SendForm("/api/v1/query", params).body, want);
  EXPECT_EQ(SendForm("/api/v1/query?query=nosuch", params).body, want) << "the form counts";
}

TEST_F(PromqlHandlerTest, TheDefaultTimeIsNow) {
  EXPECT_EQ(Send("GET /api/v1/query?query=time()").body,
            R"({"status":"success","data":{"resultType":"scalar",)"
            R"("result":[1357300800,"1357300800"]}})");
}

TEST_F(PromqlHandlerTest, EachTypeIsAResultOfAnInstant) {
  WriteHosts();

  EXPECT_THAT(Instant("load[20s]"),
              HasSubstr(R"({"resultType":"matrix","result":[{"metric":{"__name__":"load",)"
                        R"("host":"a"},"values":[[1356998415,"21"],[1356998430,"22"]]}]})"));
  EXPECT_THAT(Instant("\"a\""), HasSubstr(R"({"resultType":"string","result":[1356998430,"a"]})"));
  EXPECT_THAT(Instant("1 / 0"),
              HasSubstr(R"({"resultType":"scalar","result":[1356998430,"+Inf"]})"));
  EXPECT_THAT(Instant("nosuch"), HasSubstr(R"({"resultType":"vector","result":[]})"));
}

TEST_F(PromqlHandlerTest, ARangeQueryHasTheValuesAtItsSteps) {
  WriteHosts();
  const std::string want =
      R"({"status":"success","data":{"resultType":"matrix","result":[)"
      R"({"metric":{"host":"a"},)"
      R"("values":[[1356998400,"20"],[1356998430,"22"],[1356998460,"24"]]}]}})";

  EXPECT_EQ(Ask("/api/v1/query_range", {{"query", "sum by (host) (load)"},
                                        {"start", "1356998400"},
                                        {"end", "1356998460"},
                                        {"step", "30"}})
                .body,
            want);
  EXPECT_EQ(Send("GET /api/v1/query_range?query=sum%20by%20(host)%20(load)&step=30s"
                 "&start=2013-01-01T00:00:00Z&end=2013-01-01T00:01:29.999Z")
                .body,
            want);
}

TEST_F(PromqlHandlerTest, ARateIsThatOfPrometheus) {
  WriteHosts();

  EXPECT_THAT(Instant("rate(load[1m])", 60),
              HasSubstr(R"("value":[1356998460,"0.06666666666666667"])"));
  EXPECT_THAT(Instant("increase(up{host=\"b\"}[1m])", 60),
              HasSubstr(R"({"metric":{"host":"b"},"value":[1356998460,"4"]})"));
}

TEST_F(PromqlHandlerTest, BadParametersAreNamedAsInPrometheus) {
  const auto check = [&](std::string_view target, std::string_view want, int line) {
    const testing::ScopedTrace trace(__FILE__, line, "this case");
    const HttpResponse response = Send(fmt::format("GET /api/v1/{}", target));
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.body, Error("bad_data", want));
  };
  check("query?query=up&time=x",
        R"(invalid parameter \"time\": Invalid time value for 'time': cannot parse \"x\" to a )"
        "valid timestamp",
        __LINE__);
  check("query?query=up&timeout=x",
        R"(invalid parameter \"timeout\": cannot parse \"x\" to a valid duration)", __LINE__);
  check("query?query=up&lookback_delta=x",
        R"(error parsing lookback delta duration: cannot parse \"x\" to a valid duration)",
        __LINE__);
  check("query_range?query=up&end=1&step=1",
        R"(invalid parameter \"start\": cannot parse \"\" to a valid timestamp)", __LINE__);
  check("query_range?query=up&start=1&end=x&step=1",
        R"(invalid parameter \"end\": cannot parse \"x\" to a valid timestamp)", __LINE__);
  check("query_range?query=up&start=2&end=1&step=1",
        R"(invalid parameter \"end\": end timestamp must not be before start time)", __LINE__);
  check("query_range?query=up&start=1&end=2",
        R"(invalid parameter \"step\": cannot parse \"\" to a valid duration)", __LINE__);
  check("query_range?query=up&start=1&end=2&step=0",
        R"(invalid parameter \"step\": zero or negative query resolution step widths are not )"
        "accepted. Try a positive integer",
        __LINE__);
  check("query_range?query=up%5B5m%5D&start=1&end=2&step=1",
        R"(invalid expression type \"range vector\" for range query, )"
        "must be Scalar or instant Vector",
        __LINE__);
}

TEST_F(PromqlHandlerTest, ABadExpressionIsRefusedWithItsPosition) {
  const HttpResponse instant = Ask("/api/v1/query", {{"query", "up +"}});
  const HttpResponse range =
      Ask("/api/v1/query_range", {{"query", "up +"}, {"start", "1"}, {"end", "2"}, {"step", "1"}});

  EXPECT_EQ(instant.status, 400);
  EXPECT_EQ(instant.body,
            Error("bad_data",
                  R"(invalid parameter \"query\": 1:5: parse error: unexpected end of input)"));
  EXPECT_EQ(range.status, 400);
  EXPECT_EQ(range.body, Error("bad_data", "1:5: parse error: unexpected end of input"));
}

TEST_F(PromqlHandlerTest, ARangeHasAtMostElevenThousandSteps) {
  EXPECT_EQ(Send("GET /api/v1/query_range?query=1&start=0&end=11000&step=1").status, 200);

  const HttpResponse response = Send("GET /api/v1/query_range?query=1&start=0&end=11001&step=1");

  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body,
            Error("bad_data",
                  "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the "
                  "query resolution (?step=XX)"));
}

TEST_F(PromqlHandlerTest, AnErrorOfTheEvaluationIs422) {
  WriteHosts();

  const HttpResponse response =
      Ask("/api/v1/query", {{"query", "up + on (nosuch) up"}, {"time", "1356998430"}});

  EXPECT_EQ(response.status, 422);
  EXPECT_THAT(response.body, HasSubstr(R"({"status":"error","errorType":"execution","error":")"));
}

TEST_F(PromqlHandlerTest, LookbackDecidesHowOldAPointMayBe) {
  WriteHosts();
  const auto count = [&](std::string lookback) {
    return Ask("/api/v1/query", {{"query", "count(load)"},
                                 {"time", std::to_string(kStartS + 90)},
                                 {"lookback_delta", std::move(lookback)}})
        .body;
  };

  EXPECT_THAT(Instant("count(load)", 60 + 299), HasSubstr(R"("1"])"));
  EXPECT_THAT(Instant("count(load)", 60 + 301), HasSubstr(R"("result":[])"));
  EXPECT_THAT(count("40s"), HasSubstr(R"("1"])"));
  EXPECT_THAT(count("20"), HasSubstr(R"("result":[])"));
  EXPECT_THAT(count("-1"), HasSubstr(R"("1"])")) << "the default";
}

TEST_F(PromqlHandlerTest, AStaleMarkerEndsASeries) {
  Write({{.labels = {{"__name__", "m"}, {"a", "b"}},
          .samples = {{1, kMs}, {Value::StaleMarker().floating(), kMs + 15'000}}}});

  EXPECT_THAT(Instant("m", 14), HasSubstr(R"("value":[1356998414,"1"])"));
  EXPECT_THAT(Instant("m", 15), HasSubstr(R"("result":[])"));
  EXPECT_THAT(Instant("count_over_time(m[1m])", 15), HasSubstr(R"("1"])"));
}

TEST_F(PromqlHandlerTest, PointsOfOpenTsdbAreAskedByPromql) {
  const HttpResponse put =
      Send("POST /api/put",
           R"([{"metric":"sys.cpu.user","timestamp":1356998400,"value":18,"tags":{"host":"a"}},)"
           R"({"metric":"sys.cpu.user","timestamp":1356998410,"value":2.5,"tags":{"host":"b"}}])");
  ASSERT_EQ(put.status, 204) << put.body;

  EXPECT_THAT(Instant("sys_cpu_user{host=\"a\"}"),
              HasSubstr(R"({"metric":{"__name__":"sys_cpu_user","host":"a"},)"
                        R"("value":[1356998430,"18"]})"));
  EXPECT_THAT(Instant("sum({__name__=\"sys.cpu.user\"})"), HasSubstr(R"("20.5"])"));
}

TEST_F(PromqlHandlerTest, PointsOfRemoteWriteAreAskedByOpenTsdb) {
  WriteHosts();

  EXPECT_EQ(Send("GET /api/query?start=1356998400&end=1356998430&m=sum:load{host=a}").body,
            R"([{"metric":"load","tags":{"host":"a"},"aggregateTags":[],)"
            R"("dps":{"1356998400":20.0,"1356998415":21.0,"1356998430":22.0}}])");
}

TEST_F(PromqlHandlerTest, LabelsAreThoseThatRemoteWriteSent) {
  Write({{.labels = {{"__name__", "job:up"}, {"instance", "web01:9100"}, {"path", "a b\"{c}|\\"}},
          .samples = {{1, kMs}}}});

  EXPECT_THAT(Instant("job:up{instance=\"web01:9100\"}"),
              HasSubstr(R"({"__name__":"job:up","instance":"web01:9100","path":"a b\"{c}|\\"})"));
}

TEST_F(PromqlHandlerTest, AQueryEndsAtItsTimeout) {
  WriteHosts();
  const std::string want = Error("timeout", "query timed out in expression evaluation");

  const HttpResponse own = Ask("/api/v1/query", {{"query", "up"}, {"timeout", "-1"}});
  deadline_ms_ = clock_.MonotonicMs() - 1;
  const HttpResponse servers = Ask("/api/v1/query", {{"query", "up"}, {"timeout", "1h"}});

  EXPECT_EQ(own.status, 503);
  EXPECT_EQ(own.body, want);
  EXPECT_EQ(servers.status, 503);
  EXPECT_EQ(servers.body, want);
}

// Cancels the query when it begins, as /api/stats/query does.
class CancellingBody : public BodyWriter {
 public:
  void Bind(std::shared_ptr<QueryControl> control) override { control->Cancel(); }

 private:
  absl::Status Take(std::string*) override { return absl::OkStatus(); }
};

TEST_F(PromqlHandlerTest, ACancelledQueryEnds) {
  WriteHosts();
  HttpRequest request;
  request.method = "GET";
  request.target = "/api/v1/query?query=up";
  HOURCELL_CHECK(ParseTarget(&request).ok());
  HttpResponse response = HandlePromQuery(request, reader());
  ASSERT_NE(response.produce, nullptr);
  CancellingBody body;
  HttpResponse failure;

  EXPECT_FALSE(response.produce(&body, &failure));

  EXPECT_EQ(failure.status, 503);
  EXPECT_EQ(failure.body, Error("canceled", "query was canceled in expression evaluation"));
}

TEST_F(PromqlHandlerTest, MemoryIsBounded) {
  options().query_memory_bytes = size_t{2} << 20;
  for (int i = 0; i < 100; ++i)
    Put({"wide", fmt::format("host=h{}", i), kStartS, 1});
  const auto ask = [&](std::string end) {
    return Ask("/api/v1/query_range", {{"query", "last_over_time(wide[4h])"},
                                       {"start", "1356998400"},
                                       {"end", std::move(end)},
                                       {"step", "1"}});
  };

  const HttpResponse small = ask("1356998460");
  const HttpResponse large = ask("1357009400");

  EXPECT_EQ(small.status, 200) << small.body;
  EXPECT_EQ(large.status, 422);
  EXPECT_THAT(large.body, HasSubstr(R"("errorType":"execution")"));
}

TEST_F(PromqlHandlerTest, QueriesAreListed) {
  EXPECT_EQ(Ask("/api/v1/query_range",
                {{"query", "up{a=\"b\"}"}, {"start", "1"}, {"end", "2"}, {"step", "0.5"}})
                .status,
            200);

  EXPECT_THAT(Send("GET /api/stats/query").body,
              HasSubstr(R"("query":{"type":"PROMQL","query":"up{a=\"b\"}","start":1000,"end":2000,)"
                        R"("step":500})"));
}

TEST_F(PromqlHandlerTest, ARequestThatMustBeQuickWaits) {
  HttpRequest request;
  request.method = "GET";
  request.target = "/api/v1/query?query=up";
  request.only_if_quick = true;
  HOURCELL_CHECK(ParseTarget(&request).ok());

  EXPECT_TRUE(HandlePromQuery(request, reader()).must_wait);
}

TEST_F(PromqlHandlerTest, QueriesOfOpenTsdbStayOpenTsdbs) {
  for (const char* const target : {"GET /api/v1/query?start=1h-ago&m=sum:x&query=1",
                                   "GET /api/query?m=sum:x", "GET /api/v1/query"}) {
    EXPECT_THAT(Send(target).body, Not(HasSubstr("errorType"))) << target;
  }
}

TEST_F(PromqlHandlerTest, NeedsTheRightToRead) {
  for (const char* const target : {"GET /api/v1/query?query=1&time=1",
                                   "GET /api/v1/query_range?query=1&start=1&end=1&step=1"}) {
    rights_ = AccessRights::Write();
    EXPECT_EQ(Send(target).status, 403) << target;
    rights_ = AccessRights::Read();
    EXPECT_EQ(Send(target).status, 200) << target;
  }
}

}  // namespace
}  // namespace hourcell::promql_handler_test
