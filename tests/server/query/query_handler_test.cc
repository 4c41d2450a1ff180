#include "server/query/query_handler.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell::query_handler_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class QueryHandlerTest : public ApiTest {
 protected:
  // A point of sys.cpu.user, long before the present.
  void PutSome() { Put(OwnedPoint("sys.cpu.user", "host=web01", kStartS + 10, 42)); }
};

TEST_F(QueryHandlerTest, AnswersTheErrorVectors) {
  PutSome();
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "query-error")) {
    std::string http = TextOf(vector.given, "http");
    SCOPED_TRACE(http);
    http = http.substr(0, http.find(" ("));  // a remark
    const HttpResponse response = Send(http);
    EXPECT_EQ(response.status, IntOf(vector.expect, "status"));
    if (Has(vector.expect, "body")) {
      EXPECT_EQ(response.body, TextOf(vector.expect, "body"));
    }
    if (Has(vector.expect, "message")) {
      EXPECT_THAT(response.body, HasSubstr("\"" + TextOf(vector.expect, "message") + "\""));
      EXPECT_THAT(response.body, HasSubstr("\"" + TextOf(vector.expect, "details") + "\""));
    }
    if (Has(vector.expect, "error")) {
      EXPECT_EQ(response.body, "{\"error\":" + simdjson::to_string(vector.expect["error"]) + "}");
    }
    ++run;
  }
  EXPECT_EQ(run, 3);
}

// The vectors' store "same": m{host=a} with 1 and 2.
TEST_F(QueryHandlerTest, AnswersTheFormatVectors) {
  Put(OwnedPoint("m", "host=a", kStartS, 1));
  Put(OwnedPoint("m", "host=a", kStartS + 30, 2));
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "output-format")) {
    if (!Has(vector.given, "http")) continue;
    SCOPED_TRACE(vector.from);
    const HttpResponse response = Send(TextOf(vector.given, "http"));
    EXPECT_EQ(response.status, IntOf(vector.expect, "status"));
    EXPECT_EQ(response.body, TextOf(vector.expect, "body"));
    ++run;
  }
  EXPECT_EQ(run, 2);
}

TEST_F(QueryHandlerTest, PostAnswersLikeGet) {
  PutSome();
  const std::string body =
      R"({"start":1356998400,"end":1356998460,
          "queries":[{"aggregator":"sum","metric":"sys.cpu.user","tags":{"host":"*"}}]})";

  const HttpResponse response = Send("POST /api/query?arrays=true", body);

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"([{"metric":"sys.cpu.user","tags":{"host":"web01"},)"
                           R"("aggregateTags":[],"dps":[[1356998410,42]]}])");
  EXPECT_EQ(response.body, Send("GET /api/query?start=1356998400&end=1356998460&arrays"
                                "&m=sum:sys.cpu.user{host=*}")
                               .body);
}

TEST_F(QueryHandlerTest, ShowsTsuidsAndTheIndexOfTheSubQuery) {
  PutSome();

  const HttpResponse response = Send(
      "GET /api/query?start=1356998400&end=1356998460&show_tsuids&show_query"
      "&m=max:sys.cpu.user&m=max:sys.cpu.user&m=min:sys.cpu.user");

  EXPECT_THAT(response.body, HasSubstr(R"("tsuids":["000001000001000001"])"));
  EXPECT_THAT(response.body, HasSubstr(R"("aggregator":"min")"));
  EXPECT_THAT(response.body, HasSubstr(R"("index":1,)"));
  EXPECT_EQ(response.body.find(R"("index":2)"), std::string::npos);
}

// A store of hosts in data centres: (web01, lga) 1, (web02, lga) 2, (web01, sjc) 4, and web03,
// which is in none, 8; all at one time.
class QueryHandlerLanguageTest : public QueryHandlerTest {
 protected:
  void SetUp() override {
    Put(OwnedPoint("m", "host=web01 dc=lga", kStartS + 10, 1));
    Put(OwnedPoint("m", "host=web02 dc=lga", kStartS + 10, 2));
    Put(OwnedPoint("m", "host=web01 dc=sjc", kStartS + 10, 4));
    Put(OwnedPoint("m", "host=web03", kStartS + 10, 8));
    Put(OwnedPoint("other", "host=web01", kStartS + 10, 16));
  }

  // The answer to the given parameters, over a minute.
  HttpResponse Ask(const std::string& params) {
    return Send("GET /api/query?start=1356998400&end=1356998460&arrays&" + params);
  }
  // The values of its series at the one time, by a blank.
  std::string Values(const std::string& params) {
    const HttpResponse response = Ask(params);
    EXPECT_EQ(response.status, 200) << params << response.body;
    std::string values;
    const std::string dps = "\"dps\":[[1356998410,";
    for (size_t at = response.body.find(dps); at != std::string::npos;
         at = response.body.find(dps, at)) {
      at += dps.size();
      values +=
          (values.empty() ? "" : " ") + response.body.substr(at, response.body.find(']', at) - at);
    }
    return values;
  }
  // The tsuid of the one series that a filter leaves, in hex.
  std::string Tsuid(const std::string& filter) {
    const std::string body = Ask("show_tsuids&m=sum:m" + filter).body;
    const std::string name = "\"tsuids\":[\"";
    const size_t at = body.find(name);
    EXPECT_NE(at, std::string::npos) << body;
    return body.substr(at + name.size(), body.find('"', at + name.size()) - at - name.size());
  }
};

TEST_F(QueryHandlerLanguageTest, SeveralFiltersOnOneKeyAllHold) {
  EXPECT_EQ(Values("m=sum:m{}{host=web*}"), "15");
  EXPECT_EQ(Values("m=sum:m{}{host=web*,host=not_literal_or(web01)}"), "10");
  EXPECT_EQ(Values("m=sum:m{}{host=web01|web02,host=web02|web03}"), "2");
  EXPECT_EQ(Values("m=sum:m{host=*}{host=regexp(0[23])}"), "2 8");
}

TEST_F(QueryHandlerLanguageTest, GroupsByTheKeysOfGroupingFilters) {
  EXPECT_EQ(Values("m=sum:m{dc=*}"), "3 4");
  EXPECT_EQ(Values("m=sum:m{host=*}"), "5 2 8");
  EXPECT_EQ(Values("m=sum:m{host=*,dc=*}"), "1 4 2");
  EXPECT_EQ(Values("m=sum:m{dc=lga}{host=*}"), "3");
  EXPECT_EQ(Values("m=none:m{dc=lga}"), "1 2");
}

TEST_F(QueryHandlerLanguageTest, NotKeyTakesTheSeriesWithoutIt) {
  EXPECT_EQ(Values("m=sum:m{dc=not_key()}"), "8");
  EXPECT_EQ(Values("m=sum:m{host=*}{dc=not_key()}"), "8");
  EXPECT_EQ(Values("m=sum:m{}{host=not_key()}"), "");
  // An unknown tag key is allowed here.
  EXPECT_EQ(Values("m=sum:m{}{rack=not_key()}"), "15");
  EXPECT_EQ(Ask("m=sum:m{}{rack=*}").status, 400);
}

TEST_F(QueryHandlerLanguageTest, ExplicitTagsWantTheKeysAndNoOthers) {
  EXPECT_EQ(Values("m=sum:explicit_tags:m{host=*}"), "8");
  EXPECT_EQ(Values("m=sum:explicit_tags:m{}{host=*,dc=*}"), "7");
  EXPECT_EQ(Values("m=sum:explicit_tags:m{}{host=*,dc=not_key()}"), "8");
  EXPECT_EQ(Values("m=sum:explicit_tags:m"), "15");
}

TEST_F(QueryHandlerLanguageTest, TsuidsNameTheirSeries) {
  const std::string lga = Tsuid("{host=web02}");
  const std::string sjc = Tsuid("{dc=sjc}");

  EXPECT_EQ(Values("tsuid=sum:" + lga), "2");
  EXPECT_EQ(Values("tsuids=sum:" + sjc + "," + lga), "6");
  EXPECT_EQ(Values("tsuid=none:" + sjc + "," + lga + "," + sjc), "4 2");
  EXPECT_EQ(Values("tsuid=sum:" + lga + "&m=sum:m{dc=sjc}"), "2 4");
  EXPECT_THAT(Ask("tsuid=sum:" + lga).body,
              HasSubstr(R"("metric":"m","tags":{"host":"web02","dc":"lga"})"));

  const std::string body = R"({"start":1356998400,"end":1356998460,"queries":[
      {"aggregator":"max","tsuids":[")" +
                           lga + "\",\"" + sjc + R"("]}]})";
  EXPECT_THAT(Send("POST /api/query?arrays", body).body,
              HasSubstr(R"("aggregateTags":["host","dc"],"dps":[[1356998410,4]])"));
}

TEST_F(QueryHandlerLanguageTest, TsuidsThatAreNoneAreNothing) {
  EXPECT_EQ(Ask("tsuid=sum:00000100000100FFFF").body, "[]");
  // The tags of one series without those of the other are no series.
  EXPECT_EQ(Ask("tsuid=sum:" + Tsuid("{host=web02}").substr(0, 18)).body, "[]");
  EXPECT_THAT(Ask("tsuid=sum:0000").body, HasSubstr("tsuid \\\"0000\\\""));
  EXPECT_EQ(Ask("tsuid=sum:0000").status, 400);
}

TEST_F(QueryHandlerLanguageTest, TsuidsOfTwoMetricsAreRefused) {
  const std::string mine = Tsuid("{host=web02}");
  const HttpResponse response = Ask("tsuid=sum:" + mine + ",000002" + mine.substr(6));

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("expected one metric a query"));
}

TEST_F(QueryHandlerLanguageTest, PercentilesOfNumbersAreRefusedInWords) {
  const HttpResponse response = Ask("m=sum:percentiles[99.9]:m");

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("has no histograms"));
}

TEST_F(QueryHandlerLanguageTest, PercentilesOfAnotherFunctionThanSumAreRefused) {
  EXPECT_THAT(Ask("m=avg:percentiles[99.9]:m").body,
              HasSubstr("expected the aggregator sum or none"));
  EXPECT_THAT(Ask("m=sum:1m-avg:percentiles[99.9]:m").body,
              HasSubstr("expected the downsampling function sum"));
  EXPECT_THAT(Ask("m=sum:percentiles[101]:m").body, HasSubstr("expected 0 to 100, got 101"));
}

TEST_F(QueryHandlerLanguageTest, RatesOfCountersByTheirOptions) {
  Put(OwnedPoint("c", "host=a", kStartS, 250));
  Put(OwnedPoint("c", "host=a", kStartS + 10, 5));
  const auto rate = [&](const std::string& options) {
    return Values("m=sum:rate" + options + ":c");
  };

  EXPECT_EQ(rate(""), "-24.5");
  EXPECT_EQ(rate("{counter,255}"), "1.0");
  EXPECT_EQ(rate("{counter,255,0}"), "1.0");
  EXPECT_EQ(rate("{counter,,10}"), "0.0");
  EXPECT_EQ(rate("{dropcounter}"), "");
  EXPECT_EQ(rate("{true,,0}"), "-24.5");
}

TEST_F(QueryHandlerLanguageTest, FillsComposeWithRates) {
  const auto dps = [&](const std::string& fill) {
    const std::string body = Ask("m=sum:30s-sum-" + fill + ":rate:m{host=web03}").body;
    return body.substr(body.find("\"dps\":"));
  };

  EXPECT_EQ(dps("zero"), R"("dps":[[1356998430,-0.26666666666666666],[1356998460,0.0]]}])");
  EXPECT_EQ(dps("scalar(2)"), R"("dps":[[1356998430,-0.2],[1356998460,0.0]]}])");
  EXPECT_EQ(dps("nan"), R"("dps":[[1356998430,"NaN"],[1356998460,"NaN"]]}])");
  EXPECT_EQ(dps("null"), R"("dps":[[1356998430,null],[1356998460,null]]}])");
  EXPECT_EQ(dps("none"), R"("dps":[]}])");
}

TEST_F(QueryHandlerTest, BadRequestsAre400) {
  PutSome();
  for (const std::string_view query :
       {"m=sum:m", "start=1h-ago", "start=nonsense&m=sum:m", "start=1h-ago&m=sum:m{host=",
        "start=1h-ago&m=nosuch:m", "start=1h-ago&m=sum:1m-nosuch:m", "start=1h-ago&tsuid=sum:01",
        "start=1h-ago&m=sum:1dc-sum:m", "start=1h-ago&m=sum:sys.cpu.user{host=regexp([)}"}) {
    EXPECT_EQ(Send("GET /api/query?" + std::string(query)).status, 400) << query;
  }
  EXPECT_EQ(Send("POST /api/query", "").status, 400);
}

// A sum at the beginning of the hour that does not fit a double.
TEST_F(QueryHandlerTest, InfinityOutsideOfTheRangeIsNotAskedFor) {
  for (const std::string tags : {"host=a", "host=b"}) {
    Put(OwnedPoint("m", tags, Timestamp{.ms = kStartS * 1000}, Value::Float(1.7e308)));
    Put(OwnedPoint("m", tags, Timestamp{.ms = (kStartS + 1800) * 1000}, Value::Float(2)));
  }
  const std::string query = "GET /api/query?arrays&end=1357000260&m=sum:m&start=";

  EXPECT_THAT(Send(query + "1357000199").body, HasSubstr(R"("dps":[[1357000200,4.0]])"));
  EXPECT_EQ(Send(query + "1356998400").status, 400);
  EXPECT_THAT(Send(query + "1356998400").body, HasSubstr("Got Infinity"));
}

// "How many hosts report": each host's bucket is NaN where it has no point.
TEST_F(QueryHandlerTest, CountsNobodyAsZero) {
  Put(OwnedPoint("m", "host=a", kStartS, 1));
  Put(OwnedPoint("m", "host=b", kStartS, 2));
  Put(OwnedPoint("m", "host=b", kStartS + 120, 2));

  EXPECT_THAT(
      Send("GET /api/query?arrays&start=1356998400&end=1356998520&m=count:1m-avg-nan:m").body,
      HasSubstr(R"("dps":[[1356998400,2.0],[1356998460,0.0],[1356998520,1.0]])"));
}

// A dashboard's variable may hold text that is invalid in a tag.
TEST_F(QueryHandlerTest, ValuesThatNoTagCanHaveAreSkippedLikeUnknownOnes) {
  options().skip_unresolved_tagvs = true;
  PutSome();
  const std::string query = "GET /api/query?start=1356998400&arrays&m=sum:sys.cpu.user{host=";

  for (const std::string value :
       {"literal_or(b:c|web01)", "b%20c|web01", "%20|web01", "iliteral_or(b:c|WEB01)",
        "not_literal_or(b:c)", "not_literal_or(%20)", "not_iliteral_or(b:c)"}) {
    const HttpResponse response = Send(query + value + "}");
    EXPECT_EQ(response.status, 200) << value << ": " << response.body;
    EXPECT_THAT(response.body, HasSubstr("[1356998410,42]")) << value;
  }
  EXPECT_EQ(Send(query + "literal_or(b:c)}").body, "[]");
  EXPECT_EQ(Send(query + "%20}").body, "[]");
}

TEST_F(QueryHandlerTest, NamesThatNothingCanHaveAreToldWithTheirKind) {
  PutSome();
  const std::string query = "GET /api/query?start=1356998400&m=sum:";
  const auto error = [](const std::string& kind, const std::string& name) {
    const std::string text = "No such name for '" + kind + "': '" + name + "'";
    return R"({"error":{"code":400,"message":")" + text + R"(","details":")" + text + R"("}})";
  };

  EXPECT_EQ(Send(query + "a=b").body, error("metrics", "a=b"));
  EXPECT_EQ(Send(query + "sys.cpu.user{a!=web01}").body, error("tagk", "a!"));
  EXPECT_EQ(Send(query + "sys.cpu.user{host=literal_or(b:c)}").body, error("tagv", "b:c"));
  EXPECT_EQ(Send("GET /api/search/lookup?m=a=b").status, 404);
}

// docs/opentsdb-compatibility.md, "Which error is answered": what is wrong is put right one by one,
// and each answer is of the next fault.
TEST_F(QueryHandlerTest, OfSeveralErrorsTheFirstIsAnswered) {
  PutSome();
  struct Step {
    std::string request;
    std::string says;
    std::string body = "";
  };
  const std::string q = "GET /api/query?";
  const Step steps[] = {
      {"PATCH /api/v9/nosuch?serializer=x", "Requested API version"},
      {"PATCH /api/nosuch?serializer=x", "Endpoint not found"},
      {"PATCH /api/query?serializer=x", "Method not allowed"},
      {"GET /api/query?serializer=x&method_override=delete", "serializer was not found"},
      {"GET /api/query?method_override=delete&m=x", "allow_delete=false"},
      {q + "end=bad&tz=None/Such&m=nosuch:x{&tsuid=sum:xy", "Missing parameter"},
      {q + "start=bad&end=bad&tz=None/Such&m=nosuch:x{&tsuid=sum:xy",
       "tsuid: expected an even number of hexadecimal digits, got"},
      {q + "start=bad&end=bad&tz=None/Such&m=nosuch:1m-x:x{a", "No such aggregation function"},
      {q + "start=bad&end=bad&tz=None/Such&m=sum:1m-x:x{a", "No such downsampling function"},
      {q + "start=bad&end=bad&tz=None/Such&m=sum:x{a", "Missing '}'"},
      {q + "start=bad&end=bad&tz=None/Such&m=sum:x{a=b}{c}", "When parsing filter 'c'"},
      {q + "start=bad&end=bad&tz=None/Such&m=sum:x", "bad"},
      {q + "start=20&end=worse&tz=None/Such&m=sum:x", "worse"},
      {q + "start=20&end=10&tz=None/Such&m=sum:x", "must be greater than the start time"},
      {q + "start=20&end=30&tz=None/Such&m=sum:x", "timezone specification"},
      {q + "start=20&end=30&m=avg:percentiles[9]:x&m=sum:y{a=b}", "histograms can only be summed"},
      {q + "start=20&end=30&m=sum:x{a=regexp([)}&m=sum:y", "'metrics': 'x'"},
      {q + "start=20&end=30&m=sum:sys.cpu.user{a=regexp([)}&m=sum:y", "regexp "},
      {q + "start=20&end=30&m=sum:sys.cpu.user{a=b}&m=sum:y", "'tagk': 'a'"},
      {q + "start=20&end=30&m=sum:sys.cpu.user{host=b}&m=sum:y", "'tagv': 'b'"},
      {q + "start=20&end=30&m=sum:sys.cpu.user{host=web01}&m=sum:y", "'metrics': 'y'"},
      {"POST /api/query", "Missing message content"},
      {"POST /api/query", "Unable to parse the given JSON", R"({"start":"bad","delete":[})"},
      {"POST /api/query", "delete: not true or false", R"({"start":"bad","delete":[]})"},
      {"POST /api/query", "explicitTags: not true",
       R"({"delete":true,"queries":[{"explicitTags":[]}]})"},
      {"POST /api/query", "Missing the aggregation", R"({"delete":true,"queries":[{}]})"},
      {"POST /api/query", "Missing the metric or tsuids",
       R"({"delete":true,"queries":[{"aggregator":"sum","downsample":"x"}]})"},
      {"POST /api/query", "downsampl",
       R"({"delete":true,"queries":[{"aggregator":"sum","metric":"x","downsample":"x"}]})"},
      {"POST /api/query", "Missing start time",
       R"({"delete":true,"queries":[{"aggregator":"sum","metric":"x"}]})"},
      {"POST /api/query", "Missing queries", R"({"delete":true,"start":1})"},
      {"POST /api/query", "allow_delete=false",
       R"({"delete":true,"start":1,"queries":[{"aggregator":"sum","metric":"x"}]})"},
  };
  for (const Step& step : steps) {
    const HttpResponse response = Send(step.request, step.body);
    EXPECT_THAT(response.body, HasSubstr(step.says)) << step.request << " " << step.body;
    EXPECT_GE(response.status, 400);
  }
}

TEST_F(QueryHandlerTest, DeletesAreRefused) {
  const std::string query = "start=1356998400&m=sum:sys.cpu.user";
  const std::string body =
      R"({"start":1,"delete":true,"queries":[{"aggregator":"sum","metric":"m"}]})";

  for (const HttpResponse& response :
       {Send("DELETE /api/query?" + query), Send("GET /api/query?method_override=delete&" + query),
        Send("POST /api/query", body)}) {
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr("tsd.http.query.allow_delete=false"));
  }
  EXPECT_EQ(Send("GET /api/query?method_override=patch&" + query).status, 405);
}

TEST_F(QueryHandlerTest, ExplainsWhenAsked) {
  PutSome();
  const std::string body =
      R"({"start":1356998400,"end":1356998460,"explain":true,
          "queries":[{"aggregator":"sum","metric":"sys.cpu.user"}]})";

  EXPECT_THAT(Send("POST /api/query", body).body, HasSubstr(R"(,{"explain":[)"));
  EXPECT_THAT(Send("GET /api/query?start=1356998400&explain&m=sum:sys.cpu.user").body,
              HasSubstr(R"(,{"explain":[)"));
  EXPECT_THAT(Send("GET /api/query?start=1356998400&m=sum:sys.cpu.user").body,
              Not(HasSubstr("explain")));
}

TEST_F(QueryHandlerTest, TracesWhenAsked) {
  PutSome();
  const std::string body =
      R"({"start":1356998400,"end":1356998460,"showTrace":true,
          "queries":[{"aggregator":"sum","metric":"sys.cpu.user"}]})";
  const std::string get = "GET /api/query?start=1356998400&show_trace&m=sum:sys.cpu.user";

  for (const std::string& answer : {Send("POST /api/query", body).body, Send(get).body}) {
    EXPECT_THAT(answer, HasSubstr(R"(,{"explain":[)"));
    EXPECT_THAT(answer, HasSubstr(R"(,{"trace":{"answeredBy":"query thread","totalUs":)"));
    for (const char* const step : {"receive", "dispatch", "parse", "check", "send"})
      EXPECT_THAT(answer, HasSubstr(fmt::format(R"({{"step":"{}","us":)", step)));
    for (const char* const step : {"plan", "read", "finish", "print"})
      EXPECT_THAT(answer, HasSubstr(fmt::format(R"({{"step":"{}","query":0,"us":)", step)));
  }
  EXPECT_THAT(Send("GET /api/query?start=1356998400&explain&m=sum:sys.cpu.user").body,
              Not(HasSubstr("trace")));
}

TEST_F(QueryHandlerTest, QueriesAreGivenUpAtTheirDeadlines) {
  PutSome();
  for (const std::string_view request :
       {"GET /api/query?start=1356998400&end=1356998460&m=sum:sys.cpu.user",
        "GET /q?start=1356998400&end=1356998460&m=sum:sys.cpu.user&ascii",
        "GET /q?start=1356998400&end=1356998460&m=sum:sys.cpu.user&json",
        "GET /api/query/last?timeseries=sys.cpu.user"}) {
    SCOPED_TRACE(request);
    deadline_ms_ = clock_.MonotonicMs();
    EXPECT_EQ(Send(request).status, 200);

    deadline_ms_ = clock_.MonotonicMs() - 1;
    const HttpResponse late = Send(request);

    EXPECT_EQ(late.status, 413);
    EXPECT_THAT(late.body, HasSubstr("Sorry, your query timed out."));
  }
}

TEST_F(QueryHandlerTest, ListsWhatRan) {
  PutSome();
  Send("GET /api/query?start=1356998400&m=sum:sys.cpu.user");
  Send("GET /api/query?start=1356998400&m=sum:nosuch");
  Send("GET /q?start=1356998400&ascii&m=sum:sys.cpu.user");

  const std::string list = Send("GET /api/stats/query").body;

  EXPECT_THAT(list, HasSubstr(R"("queryId":1,)"));
  EXPECT_THAT(list, HasSubstr(R"("exception":"No such name for 'metrics': 'nosuch'")"));
  EXPECT_THAT(list, HasSubstr(R"("queryId":3,)"));
  EXPECT_THAT(list, HasSubstr(R"("running":[]})"));
}

TEST_F(QueryHandlerTest, CancelsNothingThatDoesNotRun) {
  EXPECT_EQ(Send("DELETE /api/stats/query?id=7").status, 404);
  EXPECT_EQ(Send("GET /api/stats/query?method_override=delete&id=7").status, 404);
  EXPECT_THAT(Send("DELETE /api/stats/query?id=seven").body,
              HasSubstr("expected the queryId of a running query"));
  EXPECT_EQ(Send("DELETE /api/stats/query?id=seven").status, 400);
  EXPECT_EQ(Send("DELETE /api/stats/query").status, 400);
  EXPECT_EQ(Send("POST /api/stats/query").status, 405);
  EXPECT_EQ(Send("GET /api/stats/query?method_override=put").status, 405);
}

TEST_F(QueryHandlerTest, DatesAreInTheDefaultTimezone) {
  ASSERT_OK(config().Set("tsd.core.timezone", "America/New_York"));
  PutSome();  // at 19:00:10 there
  const std::string query = "&arrays&m=sum:sys.cpu.user";

  EXPECT_THAT(Send("GET /api/query?start=2012/12/31-19:00&end=2012/12/31-19:01" + query).body,
              HasSubstr("[1356998410,42]"));
  EXPECT_EQ(Send("GET /api/query?start=2012/12/31-19:00&end=2012/12/31-19:01&tz=UTC" + query).body,
            "[]");
  EXPECT_THAT(Send("POST /api/query",
                   R"({"start":"2012/12/31-19:00:00","end":"2012/12/31-19:01:00",
                       "queries":[{"aggregator":"sum","metric":"sys.cpu.user"}]})")
                  .body,
              HasSubstr("\"1356998410\":42"));
}

TEST_F(QueryHandlerTest, JsonpWrapsResultsAndErrors) {
  ASSERT_OK(config().Set("tsd.http.jsonp", "true"));
  PutSome();
  const std::string query = "GET /api/query?jsonp=f&arrays&start=1356998400&m=sum:";

  EXPECT_EQ(Send(query + "sys.cpu.user").body,
            R"(f([{"metric":"sys.cpu.user","tags":{"host":"web01"},"aggregateTags":[],)"
            R"("dps":[[1356998410,42]]}]))");
  EXPECT_EQ(Send(query + "nosuch").body.substr(0, 20), R"(f({"error":{"code":4)");
  EXPECT_EQ(Send("GET /api/query?jsonp=f(&start=1&m=sum:sys.cpu.user").status, 400);
}

}  // namespace
}  // namespace hourcell::query_handler_test
