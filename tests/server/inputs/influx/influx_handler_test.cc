#include "server/inputs/influx/influx_handler.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/limits.h"
#include "tests/server/api_fixture.h"

namespace hourcell::influx_handler_test {
namespace {

using testing::HasSubstr;

class InfluxHandlerTest : public ApiTest {
 protected:
  HttpResponse Write(std::string body, std::string_view target = "/write?db=telegraf") {
    return Send(fmt::format("POST {}", target), std::move(body), {});
  }

  // All points of a metric, as /api/query prints them.
  std::string Stored(std::string_view metric) {
    return Send(fmt::format("GET /api/query?start=1356990000&end=1357310000&ms=true&m=none:{}",
                            metric))
        .body;
  }

  uint64_t Counted(const std::string& name, const StatTags& tags = {}) {
    return tsdb().stats().counter(name, tags)->value();
  }
};

TEST_F(InfluxHandlerTest, AFieldIsAMetricAndTagsAreTags) {
  const HttpResponse response =
      Write("cpu,host=web01,dc=lga user=1.5,procs=7i,up=t,load=2 1356998400000000000\n");

  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_THAT(Stored("cpu_user"),
              HasSubstr(R"("metric":"cpu_user","tags":{"host":"web01","dc":"lga"})"));
  EXPECT_THAT(Stored("cpu_user"), HasSubstr(R"("dps":{"1356998400000":1.5})"));
  EXPECT_THAT(Stored("cpu_procs"), HasSubstr(R"("dps":{"1356998400000":7})"));
  EXPECT_THAT(Stored("cpu_up"), HasSubstr(R"("dps":{"1356998400000":1})"));
  EXPECT_THAT(Stored("cpu_load"), HasSubstr(R"("dps":{"1356998400000":2.0})")) << "a float";
}

TEST_F(InfluxHandlerTest, MapsNamesAndEscapes) {
  EXPECT_EQ(Write("disk\\ io,path=/var/lib\\ x,le=10% read\\,bytes=1i 1356998400000000000").status,
            204);

  EXPECT_THAT(Stored("disk_io_read_bytes"),
              HasSubstr(R"("tags":{"path":"/var/lib_x","le":"10_"})"));
}

TEST_F(InfluxHandlerTest, UnitsOfTimestamps) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"ns", "1356998400123999999"},
                                                                  {"n", "1356998400123999999"},
                                                                  {"us", "1356998400123999"},
                                                                  {"u", "1356998400123999"},
                                                                  {"ms", "1356998400123"}};
  for (const auto& [unit, number] : cases) {
    EXPECT_EQ(Write("a,u=" + unit + " v=1 " + number, "/write?precision=" + unit).status, 204);
  }
  EXPECT_EQ(Write("a,u=none v=1 1356998400123999999").status, 204);
  const std::string stored = Stored("a_v");
  for (const std::string unit : {"ns", "n", "us", "u", "ms", "none"})
    EXPECT_THAT(stored, HasSubstr(R"("tags":{"u":")" + unit + R"("},"aggregateTags":[],)" +
                                  R"("dps":{"1356998400123":1.0})"));

  EXPECT_EQ(Write("b,u=s v=1 1356998400", "/api/v2/write?org=o&bucket=b&precision=s").status, 204);
  EXPECT_EQ(Write("b,u=m v=1 22616640", "/write?precision=m").status, 204);
  EXPECT_EQ(Write("b,u=h v=1 376944", "/write?precision=h").status, 204);
  for (const std::string unit : {"s", "m", "h"})
    EXPECT_THAT(Stored("b_v"), HasSubstr(R"("u":")" + unit + R"("},"aggregateTags":[],)" +
                                         R"("dps":{"1356998400000":1.0})"));
}

TEST_F(InfluxHandlerTest, RefusesAnUnknownUnit) {
  const HttpResponse response = Write("a v=1", "/write?precision=week");

  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(
      response.body,
      R"({"error":"precision: expected ns, us, ms, s, m or h, got \"week\"","code":"invalid",)"
      R"("message":"precision: expected ns, us, ms, s, m or h, got \"week\""})");
}

TEST_F(InfluxHandlerTest, RefusesTimesThatNoStoreTakes) {
  for (const std::string time : {"0", "-1", "999999", "9223372036854775807"}) {
    EXPECT_THAT(
        Write("a v=1 " + time).body,
        HasSubstr("line 1: expected 1 ms to 4294967295999 ms after 1970, got the timestamp " +
                  time + " in ns"));
  }
  EXPECT_EQ(Write("a v=1 9223372036854775807", "/write?precision=h").status, 400);
  EXPECT_EQ(Write("a v=1 4294967295999", "/write?precision=ms").status, 204);
}

TEST_F(InfluxHandlerTest, WithoutATimestampItIsNow) {
  EXPECT_EQ(Write("a,h=x v=1").status, 204);

  EXPECT_THAT(Stored("a_v"), HasSubstr(R"("dps":{"1357300800000":1.0})"));
}

TEST_F(InfluxHandlerTest, WithoutTagsItHasTheDefaultTag) {
  EXPECT_EQ(Write("a v=1").status, 204);

  EXPECT_THAT(Stored("a_v"), HasSubstr(R"("tags":{"host":"unknown"})"));
}

TEST_F(InfluxHandlerTest, SettingsSayTheTagAndTheSeparator) {
  ASSERT_OK(config().Set("tsd.inputs.default_tag", "from=influx"));
  ASSERT_OK(config().Set("tsd.influx.separator", "."));

  EXPECT_EQ(Write("a v=1").status, 204);
  EXPECT_THAT(Stored("a.v"), HasSubstr(R"("tags":{"from":"influx"})"));
}

TEST_F(InfluxHandlerTest, DropsAndCountsStrings) {
  EXPECT_EQ(Write("a,h=x s=\"text\",v=1\nb,h=x s=\"only\"\n").status, 204);

  EXPECT_EQ(Counted("rpc.inputs.dropped", {{"type", "influx"}, {"reason", "string"}}), 2U);
  EXPECT_EQ(Counted("rpc.inputs.points", {{"type", "influx"}}), 1U);
  EXPECT_EQ(Counted("rpc.put.points"), 1U);
}

TEST_F(InfluxHandlerTest, ABadLineChangesNothingAndIsNamed) {
  const HttpResponse response = Write("a,h=x v=1\nb,h=x v=1,w=oops\nc,h=x v=3\n");

  EXPECT_EQ(response.status, 400);
  const std::string text =
      R"(partial write: line 2: field \"w\": expected a finite number, an integer of 64 bits )"
      R"(with i or u, a boolean or a string in quotes, got \"oops\"\n1 line refused, )"
      R"(0 points refused, 2 points written)";
  EXPECT_EQ(response.body,
            R"({"error":")" + text + R"(","code":"invalid","message":")" + text + "\"}");
  EXPECT_THAT(Stored("a_v"), HasSubstr("dps"));
  EXPECT_THAT(Stored("b_v"), HasSubstr("No such name"));
  EXPECT_THAT(Stored("c_v"), HasSubstr("dps"));
  EXPECT_EQ(Counted("rpc.put.errors", {{"reason", "illegal_argument"}}), 1U);
}

TEST_F(InfluxHandlerTest, WhatTheStoreRefusesIsNamedByItsLine) {
  const HttpResponse response = Write("a,h=x v=1\n\nb,a\\ b=1,a_b=2 v=1,w=2\n");

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("line 3: duplicate tag: a_b=2"));
  EXPECT_THAT(response.body, HasSubstr("1 line refused, 0 points refused, 1 point written"));
}

TEST_F(InfluxHandlerTest, ALineWithAMetricThatMayNotBeCreatedIsRefusedAsAWhole) {
  options().auto_create_metrics = false;
  ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "cpu_user"));
  const HttpResponse response = Write("cpu,h=x user=1,idle=2\ncpu,h=y user=3\n");

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("1 line refused, 0 points refused, 1 point written"));
  EXPECT_THAT(Stored("cpu_user"), testing::Not(HasSubstr(R"("h":"x")")));
  EXPECT_THAT(Stored("cpu_user"), HasSubstr(R"("h":"y")"));
}

TEST_F(InfluxHandlerTest, ARequestMayHaveALimitOfNewSeries) {
  const NameRule names(NameEncoding::kLatin1, "");
  const InfluxHandler handler({.tsdb = &tsdb(), .names = &names, .clock = &clock_},
                              *InputSettingsOf(Config()));
  HttpRequest request;
  request.body = "a,h=x v=1\nb,h=x v=1\n";
  request.new_series = [](size_t wanted) { return std::min<size_t>(wanted, 1); };

  EXPECT_EQ(handler.Write(request).status, 400);
  EXPECT_EQ(Counted("rpc.inputs.points", {{"type", "influx"}}), 1U);
}

TEST_F(InfluxHandlerTest, AnEmptyBodyIsWell) {
  EXPECT_EQ(Write("").status, 204);
  EXPECT_EQ(Write("# nothing\n").status, 204);
}

TEST_F(InfluxHandlerTest, ABodyOfManyBatchesIsStoredInFull) {
  std::string body;
  for (size_t i = 0; i < kBatchPoints + 10; ++i)
    body += fmt::format("m,h=x v={}i {}\n", i, kStartS + static_cast<int64_t>(i));
  HttpRequest request;
  request.method = "POST";
  request.target = "/write?precision=s";
  request.body = body;
  ASSERT_OK(ParseTarget(&request));
  const NameRule names(tsdb().layout().names, "");
  const InfluxHandler handler({.tsdb = &tsdb(), .names = &names, .clock = &clock_},
                              {.default_tag = "\1host\1unknown", .influx_separator = "_"});

  EXPECT_TRUE(handler.Write(request).must_wait);
  request.may_wait = true;
  EXPECT_EQ(handler.Write(request).status, 204);
  EXPECT_EQ(Counted("rpc.put.points"), kBatchPoints + 10);
}

// telegraf's output influxdb drops a batch whose answer has "partial write" in it, of any status.
TEST_F(InfluxHandlerTest, AFullStoreIsAskedAgainLater) {
  const NameRule names(tsdb().layout().names, "");
  const InfluxHandler handler({.tsdb = &tsdb(),
                               .names = &names,
                               .clock = &clock_,
                               .append =
                                   [](size_t, std::vector<RefusedPoint>*, const AppendOptions&) {
                                     return CommitTicket(absl::UnavailableError("disk full"));
                                   }},
                              {.default_tag = "\1host\1unknown", .influx_separator = "_"});
  HttpRequest request;
  request.method = "POST";
  request.target = "/write";
  request.body = "a v=1";
  ASSERT_OK(ParseTarget(&request));

  const HttpResponse response = handler.Write(request);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(Header(response, "Retry-After"), "1");
  EXPECT_THAT(response.body, HasSubstr(R"("error":"write failed: disk full\n)"));
}

TEST_F(InfluxHandlerTest, AnswersWhatAgentsSendBefore) {
  const std::string empty = R"({"results":[{"statement_id":0}]})";
  EXPECT_EQ(Send("GET /query?q=CREATE+DATABASE+%22telegraf%22").body, empty);
  EXPECT_EQ(Send("POST /query?q=create%20database%20x").body, empty);
  const HttpResponse form = Send("POST /query", "q=CREATE+DATABASE+%22telegraf%22",
                                 {{"content-type", "application/x-www-form-urlencoded"}});
  EXPECT_EQ(form.status, 200);
  EXPECT_EQ(form.body, empty);

  const HttpResponse other = Send("GET /query?q=SELECT+*+FROM+cpu");
  EXPECT_EQ(other.status, 400);
  EXPECT_THAT(other.body, HasSubstr(R"(, got the query \"SELECT * FROM cpu\")"));
  EXPECT_EQ(Send("GET /query?q=CREATE+DATABASE").status, 400);
  EXPECT_EQ(Send("GET /query").status, 400);
  EXPECT_EQ(Send("POST /query", "%zz").status, 400);
}

TEST_F(InfluxHandlerTest, ShowsTheDatabasesThatClientsNamed) {
  const auto show = [this](std::string_view more) {
    return Send(fmt::format("GET /query?q=show%20%20databases;{}", more)).body;
  };
  const auto of = [](std::string_view values) {
    return fmt::format(R"({{"results":[{{"statement_id":0,"series":[{{"name":"databases",)"
                       R"("columns":["name"],"values":[{}]}}]}}]}})",
                       values);
  };
  EXPECT_EQ(show(""), of(R"(["hourcell"])"));
  EXPECT_EQ(show("&db=glances"), of(R"(["glances"])"));

  Send("GET /query?q=CREATE+DATABASE+%22tele+graf%22+WITH+DURATION+1d");
  Send("GET /query?q=CREATE+DATABASE+%22tele+graf%22");
  EXPECT_EQ(show("&db="), of(R"(["tele graf"])"));
  EXPECT_EQ(show("&db=a%22b"), of(R"(["a\"b"],["tele graf"])"));

  for (size_t i = 0; i < 2 * kInfluxDatabasesMax; ++i)
    Send(fmt::format("GET /query?q=CREATE+DATABASE+d{}", i));
  const std::string many = show("");
  EXPECT_EQ(std::ranges::count(many, ']'), static_cast<ptrdiff_t>(kInfluxDatabasesMax + 4));
}

TEST_F(InfluxHandlerTest, AnEmptyPrecisionIsNone) {
  EXPECT_EQ(Write("m,a=b v=1i 1356998400000000000", "/write?precision=").status, 204);
  EXPECT_THAT(Stored("m_v"), HasSubstr(R"("1356998400)"));
}

TEST_F(InfluxHandlerTest, ALineWithAMetricThatIsTooLongStoresNothing) {
  const std::string longest(kNameBytesMax - 1, 'f');
  EXPECT_EQ(Write(fmt::format("m,a=b v=1,{}=2 1356998400000000000", longest)).status, 400);
  EXPECT_THAT(Stored("m_v"), HasSubstr("No such name"));
  const std::string body = Write(fmt::format("m,a=b v=1,{}=2", longest)).body;
  EXPECT_THAT(
      body,
      HasSubstr("line 1: expected at most 1024 bytes of a measurement and a field, got 1025"));
}

TEST_F(InfluxHandlerTest, AnswersAPing) {
  const HttpResponse response = Send("GET /ping");

  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(Header(response, "X-Influxdb-Version"), "1.8-hourcell");
  EXPECT_EQ(Send("HEAD /ping").status, 204);
}

TEST_F(InfluxHandlerTest, NeedsTheRightToWriteAndAModeThatWrites) {
  rights_ = AccessRights::Read();
  EXPECT_EQ(Write("a v=1").status, 403);
  EXPECT_EQ(Write("a v=1", "/api/v2/write").status, 403);
  rights_ = AccessRights::Write();
  EXPECT_EQ(Write("a v=1").status, 204);
}

TEST_F(InfluxHandlerTest, ReadOnlyServersHaveNoWrite) {
  ASSERT_OK(config().Set("tsd.mode", "ro"));
  EXPECT_EQ(Write("a v=1").status, 404);
  EXPECT_EQ(Write("a v=1", "/api/v2/write").status, 404);
}

}  // namespace
}  // namespace hourcell::influx_handler_test
