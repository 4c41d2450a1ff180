#include "server/put/put_handler.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/json_writer.h"
#include "tests/server/api_fixture.h"
#include "tests/server/rollups/rollup_test_rules.h"
#include "tests/support/late_commits.h"
#include "tests/support/vectors.h"

namespace hourcell::put_handler_test {
namespace {

using simdjson::dom::element;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kGood =
    R"({"metric":"sys.cpu.user","timestamp":1365465600,"value":42,"tags":{"host":"web01"}})";
constexpr std::string_view kBad =
    R"({"metric":"sys.cpu.user","timestamp":1365465600,"value":"x","tags":{"host":"web01"}})";

class PutHandlerTest : public ApiTest {
 protected:
  // The state the vectors speak of.
  void CreateMetricsOfVectors() {
    options().auto_create_metrics = false;
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "sys.cpu.user"));
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "sys.cpu.nice"));
  }

  // The stored points of sys.cpu.user with the host web01.
  std::string Stored() {
    return Send("GET /api/query?start=1365465000&end=1365466000&m=sum:sys.cpu.user{host=web01}")
        .body;
  }

  int64_t CounterValue(const std::string& name, const StatTags& tags = {}) {
    return static_cast<int64_t>(tsdb().stats().counter(name, tags)->value());
  }
};

class PutRollupsTest : public PutHandlerTest {
 protected:
  void TurnOn() {
    ASSERT_OK(config().Set("tsd.rollups.enable", "true"));
    ASSERT_OK(config().Set("tsd.rollups.config", kTestRollups));
    options().rollups = MakeTestRules().config;
  }

  // An hourly rollup of cpu.
  static std::string Body(std::string_view more, int64_t time_s = kStartS) {
    return fmt::format(R"({{"metric":"cpu","timestamp":{},"value":42,"tags":{{"host":"a"}}{}}})",
                       time_s, more);
  }

  std::string Query(std::string_view m) {
    return Send(fmt::format("GET /api/query?start={}&end={}&m={}", kStartS, kStartS + 7200, m))
        .body;
  }
};

// The fields of `want` in `got`, and no others but "errors".
void ExpectJson(element got, element want) {
  for (const auto [key, value] : simdjson::dom::object(want)) {
    EXPECT_EQ(simdjson::to_string(got[key]), simdjson::to_string(value)) << key;
  }
  for (const auto [key, value] : simdjson::dom::object(got)) {
    EXPECT_TRUE(key == "errors" || Has(want, key)) << key;
  }
}

void ExpectAnswer(const HttpResponse& response, element want) {
  EXPECT_EQ(response.status, IntOf(want, "status"));
  if (response.status == 204) {
    EXPECT_THAT(response.body, IsEmpty());
    return;
  }
  simdjson::dom::parser parser;
  element got;
  ASSERT_FALSE(parser.parse(response.body).get(got)) << response.body;
  if (Has(want, "json")) ExpectJson(got, want["json"]);
  if (Has(want, "message")) {
    EXPECT_EQ(TextOf(got["error"], "message"), TextOf(want, "message"));
  }
  if (Has(want, "error.message")) {
    EXPECT_EQ(TextOf(got["error"], "message"), TextOf(want, "error.message"));
    EXPECT_EQ(TextOf(got["error"], "details"), TextOf(want, "error.details"));
  }
  if (Has(want, "errors[0].error")) {
    EXPECT_EQ(TextOf(got["errors"].at(0), "error"), TextOf(want, "errors[0].error"));
  }
}

TEST_F(PutHandlerTest, AnswersTheVectors) {
  CreateMetricsOfVectors();
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "put-http")) {
    const std::string body = Has(vector.given, "body") ? TextOf(vector.given, "body") : "";
    const std::string http = TextOf(vector.given, "http");
    SCOPED_TRACE(http + " " + body);
    ExpectAnswer(Send(http, body), vector.expect);
    ++run;
  }
  EXPECT_EQ(run, 32);
}

TEST_F(PutHandlerTest, EachCharacterOfTheSettingIsTakenInAllNames) {
  const std::string chars = "!\"#$%&'()*+,:;<=>?@[\\]^`{|}~ \xE2\x82\xAC";
  options().extra_name_chars = chars;
  options().layout.names = NameEncoding::kUtf8;
  size_t bytes = 1;  // of a character
  for (size_t i = 0; i < chars.size(); i += bytes) {
    bytes = chars[i] < 0 ? 3 : 1;
    const std::string name = "a" + chars.substr(i, bytes) + "b";
    std::string quoted;
    AppendJsonString(name, &quoted);
    const std::string body = fmt::format(
        R"({{"metric":{0},"timestamp":1356998400,"value":1,"tags":{{{0}:{0}}}}})", quoted);
    EXPECT_EQ(Send("POST /api/put", body).status, 204) << name;
    for (const UidKind kind : kUidKinds)
      EXPECT_OK(tsdb().names().FindUid(kind, name)) << name;
  }
  EXPECT_EQ(Send("POST /api/put",
                 R"({"metric":"a\u0001","timestamp":1356998400,"value":1,"tags":{"a":"b"}})")
                .status,
            400);
}

TEST_F(PutHandlerTest, StoresTheGoodPointsOfAPartlyBadBatch) {
  const std::string body = "[" + std::string(kBad) + "," + std::string(kGood) + "]";

  const HttpResponse response = Send("POST /api/put", body);

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(Stored(), HasSubstr(R"("dps":{"1365465600":42})"));
}

TEST_F(PutHandlerTest, StoresNothingOfABrokenBody) {
  const std::string body = "[" + std::string(kGood) + "," + std::string(kGood);

  EXPECT_EQ(Send("POST /api/put", body).status, 400);
  EXPECT_THAT(Stored(), HasSubstr("No such name"));
}

TEST_F(PutHandlerTest, DetailsEchoThePointsInOrder) {
  options().auto_create_tagks = false;
  ASSERT_OK(tsdb().names().AssignUid(UidKind::kTagk, "host"));
  const std::string body = R"([{"metric":"m","timestamp":5,"value":1,"tags":{"nosuch":"a"}},)" +
                           std::string(kBad) +
                           R"(,{"metric":"a b","timestamp":5,"value":1.50,"tags":{"host":"a"}},)" +
                           std::string(kGood) + "]";

  const HttpResponse response = Send("POST /api/put?details", body);

  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body,
            R"({"success":1,"failed":3,"errors":[)"
            R"({"error":"Unknown metric","datapoint":)"
            R"({"metric":"m","timestamp":5,"value":"1","tags":{"nosuch":"a"}}},)"
            R"({"error":"Unable to parse value to a number","datapoint":)"
            R"({"metric":"sys.cpu.user","timestamp":1365465600,"value":"x",)"
            R"("tags":{"host":"web01"}}},)"
            R"({"error":"Invalid metric name (\"a b\"): illegal character:  ","datapoint":)"
            R"({"metric":"a b","timestamp":5,"value":"1.50","tags":{"host":"a"}}}]})");
}

TEST_F(PutHandlerTest, CountsPointsAndErrorsByReason) {
  Send("POST /api/put", "[" + std::string(kGood) + "," + std::string(kBad) + ",{}]");

  EXPECT_EQ(CounterValue("rpc.put.points"), 1);
  EXPECT_EQ(CounterValue("rpc.put.errors", {{"reason", "invalid_value"}}), 1);
  EXPECT_EQ(CounterValue("rpc.put.errors", {{"reason", "illegal_argument"}}), 1);
}

TEST_F(PutHandlerTest, ARequestMayHaveALimitOfNewSeries) {
  PutHandler handler(&tsdb(), {.tags_max = 8, .tag_header = ""});
  HttpRequest request;
  request.target = "/api/put?details";
  ASSERT_OK(ParseTarget(&request));
  request.body = R"([{"metric":"m","timestamp":1365465600,"value":1,"tags":{"a":"a"}},)"
                 R"({"metric":"m","timestamp":1365465600,"value":2,"tags":{"a":"b"}}])";
  request.new_series = [](size_t wanted) { return std::min<size_t>(wanted, 1); };

  const HttpResponse response = handler.Handle(request);

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr(R"("success":1,"failed":1)"));
  EXPECT_THAT(response.body, HasSubstr("more than tsd.inputs.new_series new ones in this hour"));
}

TEST_F(PutHandlerTest, AddsTheTagOfTheHeader) {
  ASSERT_OK(config().Set("tsd.http.header_tag", "X-Dc"));

  EXPECT_EQ(Send("POST /api/put", std::string(kGood), {{"x-dc", "dc=lga"}}).status, 204);
  EXPECT_EQ(Send("POST /api/put", std::string(kGood), {{"x-dc", "nonsense"}}).status, 400);

  EXPECT_THAT(Stored(), HasSubstr(R"("dc":"lga")"));
}

TEST_F(PutHandlerTest, RefusesABadSyncTimeout) {
  const HttpResponse response = Send("POST /api/put?sync&sync_timeout=soon", std::string(kGood));

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("sync_timeout"));
}

TEST_F(PutHandlerTest, APatientSyncIsAnswered) {
  EXPECT_EQ(Send("POST /api/put?sync&sync_timeout=600000", std::string(kGood)).status, 204);
  EXPECT_EQ(Send("POST /api/put?sync&sync_timeout=600000&details", std::string(kGood)).body,
            R"({"success":1,"failed":0,"timeouts":0,"errors":[]})");
  EXPECT_THAT(Stored(), HasSubstr(R"("dps":{"1365465600":42})"));
  EXPECT_EQ(CounterValue("rpc.put.points"), 2);
  EXPECT_EQ(CounterValue("rpc.put.errors", {{"reason", "timeout"}}), 0);
}

// Nothing is wrong with such a body until the store sees its names.
TEST_F(PutHandlerTest, PointsThatTheStoreRefusesAreNamedAsSent) {
  options().auto_create_tagks = false;
  ASSERT_OK(tsdb().names().AssignUid(UidKind::kTagk, "host"));
  const std::string refused =
      R"({"metric":"m","timestamp":5,"value":"1.50","tags":{"host":"a","nosuch":"b"}})";
  const std::string body = "[" + std::string(kGood) + "," + refused + "]";

  const HttpResponse response = Send("POST /api/put?details", body);

  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body, R"({"success":1,"failed":1,"errors":[)"
                           R"({"error":"Unknown metric","datapoint":)" +
                               refused + "}]}");
  EXPECT_THAT(Stored(), HasSubstr(R"("dps":{"1365465600":42})"));
  EXPECT_EQ(CounterValue("rpc.put.points"), 1);
}

// Both ways of reading a body spell a series; whichever came first, there is one.
TEST_F(PutHandlerTest, UsualAndUnusualBodiesMeanTheSameSeries) {
  std::string escaped(kGood);
  escaped.replace(escaped.find("web01"), 5, R"(web\u0030\u0031)");
  escaped.replace(escaped.find("1365465600"), 10, "1365465700");

  ASSERT_EQ(Send("POST /api/put", std::string(kGood)).status, 204);
  ASSERT_EQ(Send("POST /api/put", escaped).status, 204);

  EXPECT_THAT(Stored(), HasSubstr(R"("dps":{"1365465600":42,"1365465700":42})"));
}

TEST_F(PutHandlerTest, AFailingStoreIsNotTheClientsFault) {
  ASSERT_OK(tsdb().Close());

  const HttpResponse response = Send("POST /api/put?details", std::string(kGood));

  EXPECT_GE(response.status, 500);
  EXPECT_EQ(CounterValue("rpc.put.points"), 0);
}

TEST_F(PutRollupsTest, RollupsAreRefusedWhileTheyAreOff) {
  const HttpResponse response = Send("POST /api/rollup", Body(""));

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr(std::string(kRollupsAreOff)));
}

TEST_F(PutRollupsTest, QueriesOfTheMetricReadItsRollups) {
  TurnOn();
  EXPECT_EQ(Send("POST /api/rollup", "[" + Body(R"(,"interval":"1h","aggregator":"SUM")") + "," +
                                         Body(R"(,"interval":"1h","aggregator":"count")") + "]")
                .status,
            204);
  EXPECT_EQ(Send("POST /api/rollup",
                 Body(R"(,"interval":"1h","aggregator":"sum","groupByAggregator":"max")"))
                .status,
            204);
  EXPECT_EQ(Send("POST /api/rollup", Body(R"(,"groupByAggregator":"max","interval":null)")).status,
            204);

  EXPECT_THAT(Query("sum:1h-sum:cpu"), HasSubstr(R"("metric":"cpu","tags":{"host":"a"})"));
  EXPECT_THAT(Query("sum:1h-sum:cpu"), HasSubstr(R"("dps":{"1356998400":42)"));
  EXPECT_THAT(Query("sum:1h-avg:cpu"), HasSubstr(R"("dps":{"1356998400":1)"));
  EXPECT_THAT(Query("sum:1h-sum:pre-agg:cpu"), HasSubstr(R"("_aggregate":"MAX")"));
  EXPECT_THAT(Query("sum:pre-agg:cpu"), HasSubstr(R"("dps":{"1356998400":42)"));
  EXPECT_EQ(Query("sum:cpu"), "[]") << "points of their own";
  EXPECT_EQ(CounterValue("rpc.put.points"), 4);
}

TEST_F(PutRollupsTest, DetailsEchoTheRollupsInOrder) {
  TurnOn();

  const HttpResponse response =
      Send("POST /api/rollup?details&summary",
           "[" + Body("") + "," + Body(R"(,"interval":"1h")") + "," +
               Body(R"(,"interval":"1h","aggregator":"sum")") + "," +
               Body(R"(,"interval":"5m","aggregator":"sum","groupByAggregator":"max")") + "]");

  EXPECT_EQ(response.status, 400);
  const std::string sent =
      R"({"metric":"cpu","timestamp":1356998400,"value":"42","tags":{"host":"a"})";
  EXPECT_EQ(response.body,
            R"({"success":1,"failed":3,"errors":[)"
            R"({"error":"Missing interval","datapoint":)" +
                sent + R"(}},{"error":"Missing aggregator","datapoint":)" + sent +
                R"(,"interval":"1h"}},{"error":"No such rollup: interval 5m: expected one of )"
                R"(tsd.rollups.config","datapoint":)" +
                sent + R"(,"interval":"5m","aggregator":"sum","groupByAggregator":"max"}}]})");
  EXPECT_EQ(CounterValue("rpc.put.errors", {{"reason", "no_such_rollup"}}), 1);
  EXPECT_EQ(CounterValue("rpc.put.errors", {{"reason", "illegal_argument"}}), 2);
}

TEST_F(PutRollupsTest, TimesAreAlignedToTheirInterval) {
  TurnOn();

  EXPECT_EQ(
      Send("POST /api/rollup?summary", Body(R"(,"interval":"1h","aggregator":"sum")", kStartS + 61))
          .body,
      R"({"success":1,"failed":0})");
  EXPECT_EQ(Send("POST /api/rollup", Body(R"(,"interval":"1h","aggregator":"sum")", kStartS * 1000))
                .status,
            400)
      << "OpenTSDB takes seconds only";

  EXPECT_THAT(Query("sum:_rollup/1h-sum/cpu"), HasSubstr(R"("dps":{"1356998400":42})"));
}

TEST_F(PutRollupsTest, TheTagOfTheHeaderIsAdded) {
  ASSERT_OK(config().Set("tsd.http.header_tag", "X-Tag"));
  TurnOn();

  EXPECT_EQ(
      Send("POST /api/rollup", Body(R"(,"interval":"1h","aggregator":"sum")"), {{"x-tag", "dc=b"}})
          .status,
      204);

  EXPECT_THAT(Query("sum:1h-sum:cpu"), HasSubstr(R"("dc":"b")"));
}

TEST_F(PutRollupsTest, PutsOfALevelAreItsRollups) {
  TurnOn();

  EXPECT_EQ(
      Send("POST /api/put", R"({"metric":"_rollup/1h-sum/cpu","timestamp":1356998400,"value":42,)"
                            R"("tags":{"host":"a"}})")
          .status,
      204);

  EXPECT_THAT(Query("sum:1h-sum:cpu"), HasSubstr(R"("dps":{"1356998400":42)"));
}

// Responses of a handler with a store that the test controls.
class FailingPutTest : public ApiTest {
 protected:
  HttpResponse Put(const std::string& target, const std::string& body = std::string(kGood)) {
    PutHandler::Settings settings{.tags_max = 8, .tag_header = ""};
    settings.append = [this](size_t points, std::vector<RefusedPoint>* refused,
                             const AppendOptions& options) {
      *refused = refused_;
      last_options_ = options;
      if (!status_.ok() || refused_.size() >= points) return CommitTicket(status_);
      return commits_.Take(points - refused_.size(), options.sync);
    };
    PutHandler handler(&tsdb(), settings);
    HttpRequest request;
    request.method = "POST";
    request.target = target;
    request.body = body;
    request.may_wait = may_wait_;
    HOURCELL_CHECK(ParseTarget(&request).ok());
    return handler.Handle(request);
  }

  int64_t Errors(const std::string& reason) {
    return static_cast<int64_t>(
        tsdb().stats().counter("rpc.put.errors", {{"reason", reason}})->value());
  }

  std::vector<RefusedPoint> refused_;
  absl::Status status_;
  bool may_wait_ = false;
  AppendOptions last_options_;
  LateCommits commits_;
};

TEST_F(FailingPutTest, PointsAreWrittenBeforeTheAnswer) {
  EXPECT_EQ(Put("/api/put").status, 204);
  EXPECT_EQ(commits_.written_points(), 1U);
  EXPECT_EQ(commits_.synced_points(), 0U);
  EXPECT_EQ(Put("/api/put?sync&sync_timeout=60000").status, 204);
  EXPECT_EQ(commits_.written_points(), 2U);
  EXPECT_EQ(commits_.synced_points(), 2U) << "blocks are synced in order";
}

TEST_F(FailingPutTest, AFullStoreIsAskedAgainLater) {
  for (const absl::Status& status :
       {absl::UnavailableError("disk full"), absl::ResourceExhaustedError("disk full")}) {
    SCOPED_TRACE(status.ToString());
    status_ = status;
    for (const std::string target : {"/api/put", "/api/put?details", "/api/put?summary&sync"}) {
      const HttpResponse response = Put(target);

      EXPECT_EQ(response.status, 503);
      EXPECT_EQ(Header(response, "Retry-After"), "1");
      EXPECT_THAT(response.body,
                  testing::StartsWith(R"({"error":{"code":503,"message":"Please throttle",)"
                                      R"("details":"disk full")"));
    }
  }
  EXPECT_EQ(Errors("throttled"), 6);
  EXPECT_EQ(tsdb().stats().counter("rpc.put.points")->value(), 0U);
}

TEST_F(FailingPutTest, AThrottledPointIsAskedAgainLater) {
  refused_ = {{.index = 0, .error = {.kind = PointErrorKind::kThrottled, .text = "later"}}};

  EXPECT_EQ(Put("/api/put").status, 503);
  const HttpResponse response = Put("/api/put?details");

  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(Header(response, "Retry-After"), "1");
  EXPECT_THAT(response.body, HasSubstr(R"("error":"Please throttle")"));
  EXPECT_EQ(Errors("throttled"), 2);
}

TEST_F(FailingPutTest, SeriesThatHaveToWaitAreLeftToAThreadThatMay) {
  status_ = absl::AbortedError("others are being created");

  EXPECT_TRUE(Put("/api/put").must_wait);
  EXPECT_EQ(last_options_.wait_ms, 0);
  EXPECT_TRUE(last_options_.all_or_none);
  EXPECT_EQ(Errors("throttled"), 0);

  status_ = absl::OkStatus();
  may_wait_ = true;
  EXPECT_EQ(Put("/api/put").status, 204);
  EXPECT_EQ(last_options_.wait_ms, 1000);
  EXPECT_FALSE(last_options_.all_or_none);
}

TEST_F(FailingPutTest, AStoreThatTakesNoMorePointsIsNotAvailable) {
  status_ = absl::FailedPreconditionError("fsync failed; close the store and open it again");

  const HttpResponse response = Put("/api/put");

  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(Header(response, "Retry-After"), "1");
  EXPECT_THAT(response.body, HasSubstr("Storage is not available"));
  EXPECT_THAT(response.body, HasSubstr("fsync failed; close the store and open it again"));
  EXPECT_EQ(Errors("storage"), 1);
}

TEST_F(FailingPutTest, ADefectIsAStorageException) {
  status_ = absl::DataLossError("no such table");

  const HttpResponse response = Put("/api/put");

  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(Header(response, "Retry-After"), "");
  EXPECT_THAT(response.body, HasSubstr("Storage exception"));
  EXPECT_EQ(Errors("storage"), 1);
}

TEST_F(FailingPutTest, WhatAnObserverRefusesIsTheClientsFault) {
  status_ = absl::PermissionDeniedError("metric sys.if.in is not yours");
  const HttpResponse denied = Put("/api/put");
  EXPECT_EQ(denied.status, 403);
  EXPECT_THAT(denied.body, HasSubstr("metric sys.if.in is not yours"));

  status_ = absl::InvalidArgumentError("host: expected 3, got 4 letters");
  EXPECT_EQ(Put("/api/put?details").status, 400);
  EXPECT_EQ(Errors("illegal_argument"), 2);
  EXPECT_EQ(Errors("storage"), 0);
}

TEST_F(FailingPutTest, PointsThatAreNotSyncedInTimeHaveTimedOut) {
  status_ = absl::DeadlineExceededError("later");
  const std::string target = "/api/put?sync&sync_timeout=1";

  const HttpResponse plain = Put(target);
  EXPECT_EQ(plain.status, 400);
  EXPECT_THAT(plain.body, HasSubstr("The put call has timedout with 0 successful writes, 0 failed "
                                    "writes and 1 timed out writes."));
  const HttpResponse summary = Put(target + "&summary");
  EXPECT_EQ(summary.status, 400);
  EXPECT_EQ(summary.body, R"({"success":0,"failed":0,"timeouts":1})");

  EXPECT_EQ(Errors("timeout"), 2);
  EXPECT_EQ(Errors("storage"), 0);
  EXPECT_EQ(tsdb().stats().counter("rpc.put.points")->value(), 0U);
}

TEST_F(FailingPutTest, TimeoutsAreToldFromFailures) {
  status_ = absl::DeadlineExceededError("later");
  refused_ = {{.index = 0, .error = {.kind = PointErrorKind::kUnknownName, .text = "no m"}}};
  const std::string good(kGood);
  const std::string bad(kBad);

  const HttpResponse response =
      Put("/api/put?sync&sync_timeout=1&details", "[" + good + "," + bad + "," + good + "]");

  EXPECT_EQ(response.status, 400);
  const std::string good_sent = R"({"metric":"sys.cpu.user","timestamp":1365465600,"value":"42",)"
                                R"("tags":{"host":"web01"}})";
  EXPECT_EQ(response.body,
            R"({"success":0,"failed":2,"timeouts":1,"errors":[)"
            R"({"error":"Unknown metric","datapoint":)" +
                good_sent + R"(},{"error":"Unable to parse value to a number","datapoint":)" + bad +
                R"(},{"error":"Write timedout","datapoint":)" + good_sent + "}]}");
  EXPECT_EQ(Errors("timeout"), 1);
  EXPECT_EQ(Errors("unknown_name"), 1);
  EXPECT_THAT(Put("/api/put?sync&sync_timeout=1", "[" + good + "," + bad + "," + good + "]").body,
              HasSubstr("0 successful writes, 2 failed writes and 1 timed out writes."));
}

TEST_F(FailingPutTest, SyncIsAskedOfTheStore) {
  EXPECT_EQ(Put("/api/put").status, 204);
  EXPECT_FALSE(last_options_.sync);
  EXPECT_EQ(last_options_.wait_ms, 0);
  EXPECT_EQ(Put("/api/put?sync&sync_timeout=500").status, 204);
  EXPECT_TRUE(last_options_.sync);
}

}  // namespace
}  // namespace hourcell::put_handler_test
