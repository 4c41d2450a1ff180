// The calls of real clients, as their sources write them (headers, bodies, order of keys), and the
// parts of the answers that each client needs. Installed clients cannot be changed, so neither may
// these answers.

#include "tests/http/client_replay.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "server/http/http_response.h"
#include "tests/http/http_exchange.h"
#include "tests/http/server_process.h"

namespace hourcell::client_replay_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::StartsWith;

// ---- Grafana 12 and later: a Go plugin ----

constexpr std::string_view kGrafanaGo =
    "Host: localhost:4242\r\nUser-Agent: Grafana/12.0.0\r\nAccept-Encoding: gzip\r\n";

TEST_F(ClientReplayTest, GrafanaPluginFindsNames) {
  const auto get = [&](std::string_view path) {
    return Send(fmt::format("GET {} HTTP/1.1\r\n{}\r\n", path, kGrafanaGo));
  };

  EXPECT_EQ(get("/api/suggest?q=cpu&type=metrics").status, 200);  // its health check
  EXPECT_THAT(Texts(Json(get("/api/suggest?max=1000&q=sys&type=metrics"))),
              ElementsAre("sys.cpu.user"));
  EXPECT_THAT(Texts(Json(get("/api/suggest?max=1000&q=&type=tagk"))), ElementsAre("dc", "host"));
  EXPECT_THAT(Texts(Json(get("/api/suggest?max=1000&q=web&type=tagv"))),
              ElementsAre("web01", "web02"));
  EXPECT_THAT(Texts(Json(get("/api/aggregators"))),
              IsSupersetOf({"sum", "avg", "p99", "zimsum", "none"}));
  std::vector<std::string> filters;
  for (const auto& filter : Json(get("/api/config/filters")).get_object())
    filters.emplace_back(filter.key);
  EXPECT_THAT(filters, IsSupersetOf({"literal_or", "iliteral_or", "wildcard", "iwildcard", "regexp",
                                     "not_literal_or", "not_iliteral_or"}));
}

TEST_F(ClientReplayTest, GrafanaPluginQueriesOnePanelInSeconds) {
  const std::string head =
      fmt::format("POST /api/query HTTP/1.1\r\n{}Content-Type: application/json\r\n", kGrafanaGo);
  const std::string body =
      R"({"start":1356998400,"end":1356998700,"queries":[{"aggregator":"avg",)"
      R"("downsample":"1m-avg","filters":[{"filter":"*","groupBy":true,"tagk":"host",)"
      R"("type":"wildcard"}],"metric":"sys.cpu.user"}]})";

  const auto answer = Json(Send(WithBody(head, body))).get_array();

  ASSERT_EQ(answer.size(), 2u);
  EXPECT_EQ(std::string_view(answer.at(0)["metric"]), "sys.cpu.user");
  EXPECT_EQ(std::string_view(answer.at(0)["tags"]["host"]), "web01");
  EXPECT_EQ(answer.at(0)["aggregateTags"].get_array().size(), 0u);
  EXPECT_THAT(NumbersOf(answer.at(0)),
              ElementsAre(std::pair("1356998400", 3.5), std::pair("1356998460", 9.5),
                          std::pair("1356998520", 15.5), std::pair("1356998580", 21.5),
                          std::pair("1356998640", 27.5)));
  EXPECT_EQ(std::string_view(answer.at(1)["tags"]["host"]), "web02");
}

TEST_F(ClientReplayTest, GrafanaPluginQueriesArraysRatesAndFills) {
  const std::string head = fmt::format(
      "POST /api/query?arrays=true HTTP/1.1\r\n{}Content-Type: application/json\r\n", kGrafanaGo);
  const std::string body =
      R"({"start":1356998400,"end":1356998440,"queries":[{"aggregator":"sum",)"
      R"("disableDownsampling":true,"filters":[],"metric":"sys.cpu.user","rate":true,)"
      R"("rateOptions":{"counter":true,"dropResets":true},"tags":{"host":"web01"}}]})";

  const auto answer = Json(Send(WithBody(head, body))).get_array();

  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(simdjson::minify(answer.at(0)["dps"]),
            "[[1356998410,0.1],[1356998420,0.1],[1356998430,0.1],[1356998440,0.1]]");
}

TEST_F(ClientReplayTest, GrafanaPluginShowsTheErrorOfAnUnknownMetric) {
  const std::string head =
      fmt::format("POST /api/query HTTP/1.1\r\n{}Content-Type: application/json\r\n", kGrafanaGo);
  const std::string body =
      R"({"start":1356998400,"end":1356998700,"queries":[{"aggregator":"sum","metric":"none"}]})";

  const auto answer = Json(Send(WithBody(head, body)), 400);

  EXPECT_EQ(std::string_view(answer["error"]["message"]), "No such name for 'metrics': 'none'");
}

// ---- Grafana up to 11: a browser, through Grafana's proxy ----

TEST_F(ClientReplayTest, GrafanaBrowserQueriesAllTargetsAtOnceAndGoesByTheirIndex) {
  const std::string_view head =
      "POST /api/query HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/plain, */*\r\n"
      "Accept-Encoding: gzip, deflate, br\r\nContent-Type: application/json\r\n"
      "X-Forwarded-For: 10.0.0.1\r\n";
  const std::string body =
      R"({"start":1356998400000,"end":1356998520000,"queries":[)"
      R"({"metric":"sys.cpu.user","aggregator":"sum","downsample":"1m-avg-none",)"
      R"("filters":[{"type":"literal_or","tagk":"host","filter":"web02","groupBy":true}]},)"
      R"({"metric":"sys.cpu.user","aggregator":"max","downsample":"1m-max","tags":{"dc":"*"}}],)"
      R"("msResolution":true,"globalAnnotations":true,"showQuery":true})";

  const auto answer = Json(Send(WithBody(head, body))).get_array();

  ASSERT_EQ(answer.size(), 2u);
  EXPECT_EQ(int64_t(answer.at(0)["query"]["index"]), 0);
  EXPECT_EQ(int64_t(answer.at(1)["query"]["index"]), 1);
  EXPECT_THAT(NumbersOf(answer.at(0)),
              ElementsAre(std::pair("1356998400000", 103.5), std::pair("1356998460000", 109.5),
                          std::pair("1356998520000", 115.5)));
  EXPECT_THAT(Texts(answer.at(1)["aggregateTags"]), ElementsAre("host"));
}

TEST_F(ClientReplayTest, GrafanaBrowserLeavesOutTheEndOfNow) {
  const std::string body =
      R"({"start":1356998400000,"queries":[{"metric":"sys.cpu.user","aggregator":"none"}],)"
      R"("msResolution":false,"globalAnnotations":true})";

  const auto answer = Json(Send(WithBody(
      "POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n", body)));

  EXPECT_EQ(answer.get_array().size(), 2u);
}

TEST_F(ClientReplayTest, GrafanaAsksForAnnotationsByAQuery) {
  const std::string body = R"({"start":1356998400,"end":1356998700,"queries":[{"aggregator":"sum",)"
                           R"("metric":"sys.cpu.user"}],"globalAnnotations":true})";

  const auto answer = Json(Send(WithBody(
      "POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n", body)));

  EXPECT_EQ(answer.get_array().size(), 1u);
}

// ---- bosun and scollector ----

TEST_F(ClientReplayTest, ScollectorNeeds204AndNothingElse) {
  const std::string body =
      Gzip(R"([{"metric":"os.cpu","timestamp":1356998400,"value":12.5,"tags":{"host":"ny-web01"}},)"
           R"({"metric":"os.mem.total","timestamp":1356998400,"value":68719476736,)"
           R"("tags":{"host":"ny-web01"}}])");

  const HttpResult result = Send(WithBody(
      "POST /api/put HTTP/1.1\r\nHost: tsdb:4242\r\nUser-Agent: Scollector/0.8.0\r\n"
      "Content-Type: application/json\r\nContent-Encoding: gzip\r\nAccept-Encoding: gzip\r\n",
      body));

  EXPECT_EQ(result.status, 204);
  EXPECT_EQ(result.body, "");
}

TEST_F(ClientReplayTest, ScollectorSendsBodiesOfUnknownLengthInChunks) {
  const std::string json =
      R"([{"metric":"os.cpu","timestamp":1356998400,"value":1,"tags":{"host":"a"}}])";

  const HttpResult result = Send(
      fmt::format("POST /api/put HTTP/1.1\r\nHost: tsdb:4242\r\nContent-Type: application/json\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                  json.size(), json));

  EXPECT_EQ(result.status, 204);
}

TEST_F(ClientReplayTest, BosunQueriesByDatesWithEmptyRateOptions) {
  const std::string body =
      R"({"start":"2013/01/01-00:00:00","end":"2013/01/01-00:00:30","queries":[{)"
      R"("aggregator":"sum","metric":"sys.cpu.user","rateOptions":{},"filters":[{)"
      R"("type":"iliteral_or","tagk":"host","filter":"WEB01|web02","groupBy":true}]}]})";

  const auto answer =
      Json(Send(WithBody("POST /api/query HTTP/1.1\r\nHost: tsdb:4242\r\nUser-Agent: bosun\r\n"
                         "Content-Type: application/json\r\nAccept-Encoding: gzip\r\n",
                         body)))
          .get_array();

  ASSERT_EQ(answer.size(), 2u);
  EXPECT_THAT(NumbersOf(answer.at(1)),
              ElementsAre(std::pair("1356998400", 101.0), std::pair("1356998410", 102.0),
                          std::pair("1356998420", 103.0), std::pair("1356998430", 104.0)));
}

// ---- tcollector ----

TEST_F(ClientReplayTest, TcollectorPutsLinesAndVerifiesItsConnection) {
  TcpClient telnet(server_.port());
  telnet.Send("put proc.loadavg.1min 1356998400 0.42 host=web01\n");
  telnet.Send("put proc.loadavg.1min 1356998415 0.5 host=web01\nversion\n");

  const std::string version = telnet.ReadLines(2);  // within its 15 seconds, and no more

  EXPECT_THAT(version, StartsWith("hourcell"));
  const auto answer =
      Json(Send("GET /api/query?start=1356998400&end=1356998500&m=sum:proc.loadavg.1min "
                "HTTP/1.1\r\nHost: localhost\r\n\r\n"))
          .get_array();
  EXPECT_THAT(NumbersOf(answer.at(0)),
              ElementsAre(std::pair("1356998400", 0.42), std::pair("1356998415", 0.5)));
}

TEST_F(ClientReplayTest, TcollectorPutsJsonWithDetails) {
  const std::string body =
      R"([{"tags": {"host": "web01"}, "timestamp": 1356998400, "metric": "df.bytes.free", )"
      R"("value": 123.0}, {"tags": {}, "timestamp": 1356998400, "metric": "df", "value": 1.0}])";

  const auto answer = Json(
      Send(WithBody("POST /api/put?details HTTP/1.1\r\nAccept-Encoding: identity\r\nHost: tsd\r\n"
                    "Content-type: application/json\r\nConnection: close\r\n"
                    "Authorization: Basic dXNlcjpwYXNz\r\nUser-agent: Python-urllib/2.7\r\n",
                    body)),
      400);

  EXPECT_EQ(int64_t(answer["success"]), 1);
  EXPECT_EQ(int64_t(answer["failed"]), 1);
  EXPECT_EQ(std::string_view(answer["errors"].at(0)["error"]), "Missing tags");
}

// ---- Libraries ----

TEST_F(ClientReplayTest, OpentsdbJsSendsRawBracesAndFlagsThatAreFalse) {
  const auto answer =
      Json(Send("GET /api/query?ms=true&arrays=true&show_tsuids=false&no_annotations=false&"
                "global_annotations=false&start=1356998400&end=1356998420&"
                "m=sum:rate{false,,0}:10s-avg:sys.cpu.user{host=web01} HTTP/1.1\r\n"
                "Host: localhost:4242\r\nConnection: keep-alive\r\n\r\n"))
          .get_array();

  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(simdjson::minify(answer.at(0)["dps"]), "[[1356998410000,0.1],[1356998420000,0.1]]");
}

TEST_F(ClientReplayTest, OpentsdbJsAsksForMoreNamesThanThereAreNumbers) {
  EXPECT_THAT(Texts(Json(Send("GET /api/suggest?type=metrics&max=1000000000000&q= HTTP/1.1\r\n"
                              "Host: localhost:4242\r\n\r\n"))),
              ElementsAre("sys.cpu.user"));
}

TEST_F(ClientReplayTest, VmctlReadsOneSeriesWithUnencodedBraces) {
  const auto get = [&](std::string_view path) {
    return Send(
        fmt::format("GET {} HTTP/1.1\r\nHost: tsdb:4242\r\n"
                    "User-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n",
                    path));
  };
  EXPECT_THAT(Texts(Json(get("/api/suggest?type=metrics&q=sys&max=1000"))),
              ElementsAre("sys.cpu.user"));

  const auto answer = Json(get("/api/query?start=1356998400&end=1356998580&"
                               "m=sum:1m-avg-none:sys.cpu.user{dc=lga,host=web01}"))
                          .get_array();

  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer.at(0)["aggregateTags"].get_array().size(), 0u);
  EXPECT_EQ(simdjson::minify(answer.at(0)["tags"]).size(),
            std::string_view(R"({"dc":"lga","host":"web01"})").size());
  EXPECT_THAT(NumbersOf(answer.at(0)),
              ElementsAre(std::pair("1356998400", 3.5), std::pair("1356998460", 9.5),
                          std::pair("1356998520", 15.5), std::pair("1356998580", 21.5)));
}

TEST_F(ClientReplayTest, OpentsdbPySaysGzipOfABodyThatIsNotThere) {
  const auto version = Json(Send(
      "GET /api/version HTTP/1.1\r\nHost: localhost:4242\r\nUser-Agent: python-requests/2.9\r\n"
      "Accept-Encoding: gzip, deflate\r\nAccept: */*\r\nConnection: keep-alive\r\n"
      "Content-Encoding: gzip\r\n\r\n"));
  EXPECT_THAT(std::string(std::string_view(version["version"])), StartsWith("2.4"));

  // No Content-Type, as requests does with bytes.
  const auto put =
      Json(Send(WithBody("POST /api/put?details=true HTTP/1.1\r\nHost: localhost:4242\r\n"
                         "Content-Encoding: gzip\r\nConnection: keep-alive\r\n",
                         Gzip(R"([{"metric": "py", "timestamp": 1356998400, "value": 1.5, )"
                              R"("tags": {"host": "a"}}])"))));

  EXPECT_EQ(int64_t(put["success"]), 1);
  EXPECT_EQ(int64_t(put["failed"]), 0);
  EXPECT_EQ(put["errors"].get_array().size(), 0u);
}

TEST_F(ClientReplayTest, PyopentsdbCallsEverySmallEndpoint) {
  for (const std::string_view path :
       {"/api/aggregators", "/api/config", "/api/serializers", "/api/stats", "/api/version",
        "/api/suggest?type=metrics&q=sys&max=10"}) {
    SCOPED_TRACE(path);
    Json(Send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost:4242\r\n\r\n", path)));
  }
  // Any web page could send this one.
  Json(Send("GET /api/dropcaches HTTP/1.1\r\nHost: localhost:4242\r\n\r\n"), 403);
}

TEST_F(ClientReplayTest, TelegrafMisspellsItsContentType) {
  const HttpResult result = Send(WithBody(
      "POST /api/put HTTP/1.1\r\nHost: localhost:4242\r\nUser-Agent: Go-http-client/1.1\r\n"
      "Content-Type: applicaton/json\r\nContent-Encoding: gzip\r\n",
      Gzip(R"([{"metric":"cpu_usage_idle","timestamp":1356998400,"value":"98.5",)"
           R"("tags":{"cpu":"cpu-total","host":"a"}}])")));

  EXPECT_EQ(result.status, 204) << result.body;
}

TEST_F(ClientReplayTest, ThePrometheusAdapterSendsBatchesBeyondEightKilobytes) {
  std::string body = "[";
  for (int i = 0; i < 100; ++i) {
    body += fmt::format(R"({}{{"metric":"http_requests_total","timestamp":1356998400,)"
                        R"("value":{},"tags":{{"instance":"host_3a9090","job":"a-job-{}"}}}})",
                        i == 0 ? "" : ",", i, i);
  }
  body += "]";
  ASSERT_GT(body.size(), 8192u);

  const HttpResult result = Send(WithBody(
      "POST /api/put HTTP/1.1\r\nHost: localhost:4242\r\nContent-Type: application/json\r\n",
      body));

  EXPECT_EQ(result.status, 204) << result.body;
  const auto answer =
      Json(Send("GET /api/query?start=1356998400&end=1356998401&m=count:http_requests_total "
                "HTTP/1.1\r\nHost: a\r\n\r\n"))
          .get_array();
  EXPECT_EQ(simdjson::minify(answer.at(0)["dps"]), R"({"1356998400":100})");
}

TEST_F(ClientReplayTest, CurlWaitsForContinue) {
  const std::string body = R"({"metric":"m","timestamp":1356998400,"value":1,"tags":{"host":"a"}})";
  client_.Send(fmt::format(
      "POST /api/put HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
      body.size()));

  EXPECT_THAT(client_.ReadLines(2), StartsWith("HTTP/1.1 100"));
  EXPECT_EQ(Send(body).status, 204);
}

// ---- Senders of lines ----

TEST_F(ClientReplayTest, PotsdbProbesWithAConnectionThatSaysNothing) {
  {
    const TcpClient probe(server_.port());
  }

  EXPECT_EQ(SendLines(server_.port(), "put potsdb 1356998400 1 host=a\n"), "");
}

TEST_F(ClientReplayTest, CollectdSendsExtraBlanksCarriageReturnsAndNan) {
  const std::string answers = SendLines(server_.port(),
                                        "put cpu.0.idle 1356998400 97.5 fqdn=web01  type=cpu \r\n"
                                        "put cpu.0.nan 1356998400 -nan fqdn=web01 \r\n"
                                        "put cpu.0.big 1356998400 1e+15 fqdn=web01 \r\n");

  EXPECT_THAT(answers, AllOf(HasSubstr("-nan"), Not(HasSubstr("cpu.0.idle"))));
  EXPECT_THAT(Texts(Json(Send("GET /api/suggest?type=metrics&q=cpu HTTP/1.1\r\nHost: a\r\n\r\n"))),
              ElementsAre("cpu.0.big", "cpu.0.idle"));
}

TEST_F(ClientReplayTest, StatsdSendsTwoBadLinesAFlushAndCloses) {
  SendLines(server_.port(),
            "put stats.a.count 1356998400 5  source=statsd\n"
            "put statsd.numStats 1356998400 2\n"
            "put 1356998400 stats.b 2 source=statsd\n"
            "put stats.b.count 1356998400 6  source=statsd\n");

  const auto answer =
      Json(Send("GET /api/query?start=1356998400&end=1356998401&m=sum:stats.b.count HTTP/1.1\r\n"
                "Host: a\r\n\r\n"))
          .get_array();
  EXPECT_EQ(simdjson::minify(answer.at(0)["dps"]), R"({"1356998400":6})");
}

}  // namespace
}  // namespace hourcell::client_replay_test
