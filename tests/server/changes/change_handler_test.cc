// /api/query/changes on a real store.

#include "server/changes/change_handler.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/api_fixture.h"

namespace hourcell::change_handler_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kRange = "start=1356998700&end=1356999000";

class ChangeHandlerTest : public ApiTest {
 protected:
  // Points of five minutes, and of the five minutes after them.
  void PutStep(const std::string& metric, std::string_view tags, int64_t before, int64_t now) {
    for (int64_t offset_s = 0; offset_s < 600; offset_s += 150)
      Put(OwnedPoint(metric, tags, kStartS + offset_s, offset_s < 300 ? before : now));
  }
  HttpResponse Changes(std::string_view more) {
    return Send(fmt::format("GET /api/query/changes?{}&{}", kRange, more));
  }
};

TEST_F(ChangeHandlerTest, AnswersTheMetricsThatMoved) {
  PutStep("disk.busy", "host=web07", 0, 4);
  PutStep("mem.used", "host=web07", 70, 70);

  const HttpResponse response = Changes("tag=host=web07");

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"before":1356998400000,"start":1356998700000,"end":1356999000000,"step":10000,)"
            R"("series":2,"compared":2,"metrics":2,"timedOut":false,"changes":[)"
            R"({"metric":"disk.busy","tags":{"host":"web07"},"tsuid":"000001000001000001",)"
            R"("change":"moved","score":50.0,"rate":false,"series":1,"moved":1,)"
            R"("before":{"values":2,"mean":0.0,"min":0.0,"max":0.0},)"
            R"("now":{"values":2,"mean":4.0,"min":4.0,"max":4.0},)"
            R"("line":[[1356998400000,0.0],[1356998550000,0.0],[1356998700000,4.0],)"
            R"([1356998850000,4.0]]}]})");
}

TEST_F(ChangeHandlerTest, NamesSeriesThatStartAndEnd) {
  Put(OwnedPoint("begun", "host=web07", kStartS + 400, 1));
  Put(OwnedPoint("gone", "host=web07", kStartS + 100, 1));

  const std::string body = Changes("tag=host=web07").body;

  EXPECT_THAT(body, AllOf(HasSubstr(R"("change":"started")"), HasSubstr(R"("change":"ended")"),
                          HasSubstr(R"("before":{"values":0},)")));
}

TEST_F(ChangeHandlerTest, SaysHowManySeriesItCompared) {
  PutStep("a", "host=web07", 0, 4);
  PutStep("b", "host=web07", 0, 4);

  EXPECT_THAT(Changes("tag=host=web07&series=1").body,
              HasSubstr(R"("series":2,"compared":1,"metrics":1,"timedOut":false)"));
  EXPECT_THAT(Changes("tag=host=web07&metric=b").body,
              HasSubstr(R"("series":1,"compared":1,"metrics":1)"));
}

TEST_F(ChangeHandlerTest, RefusesWhatItDoesNotKnow) {
  PutStep("a", "host=web07", 0, 4);

  const HttpResponse unknown = Changes("tag=host=nosuch");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_THAT(unknown.body, HasSubstr("No such name for 'tagv': 'nosuch'"));
  EXPECT_EQ(Changes("limit=3").status, 400);
  EXPECT_EQ(Changes("tag=host=web07&limit=1000").status, 400);
  EXPECT_EQ(Send("POST /api/query/changes", "{}").status, 400);
  EXPECT_EQ(Send("PUT /api/query/changes", "{}").status, 405);
}

TEST_F(ChangeHandlerTest, ABodyAnswersAsItsParameters) {
  PutStep("disk.busy", "host=web07", 0, 4);

  const HttpResponse response = Send("POST /api/query/changes",
                                     R"({"start":1356998700,"end":1356999000,"tag":"host=web07"})");

  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr(R"("metric":"disk.busy")"));
  EXPECT_EQ(response.body, Changes("tag=host=web07").body);
}

TEST_F(ChangeHandlerTest, ListsSeriesThatStartedAndEnded) {
  PutStep("cpu", "host=a", 1, 1);
  Put(OwnedPoint("cpu", "host=b", kStartS + 400, 1));
  Put(OwnedPoint("cpu", "host=c", kStartS + 100, 1));

  const HttpResponse response = Send(fmt::format("GET /api/query/churn?{}&metric=cpu", kRange));

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"before":1356998400000,"start":1356998700000,"end":1356999000000,"step":10000,)"
            R"("series":3,"started":1,"ended":1,"list":[)"
            R"({"tags":{"host":"b"},"tsuid":"000001000001000002","change":"started",)"
            R"("first":1356998800000,"last":1356998800000},)"
            R"({"tags":{"host":"c"},"tsuid":"000001000001000003","change":"ended",)"
            R"("first":1356998500000,"last":1356998500000}]})");
  EXPECT_THAT(Send("GET /api/stats/query").body, HasSubstr(R"("type":"CHURN")"));
}

TEST_F(ChangeHandlerTest, RefusesAChurnWithoutAMetric) {
  Put(OwnedPoint("cpu", "host=a", kStartS, 1));
  EXPECT_EQ(Send(fmt::format("GET /api/query/churn?{}", kRange)).status, 400);
  EXPECT_EQ(Send(fmt::format("GET /api/query/churn?{}&metric=nosuch", kRange)).status, 400);
  EXPECT_EQ(Send("POST /api/query/churn", "{}").status, 405);
}

TEST_F(ChangeHandlerTest, TheLimitsOfQueriesApply) {
  options().query_limits.range_ms = 500'000;
  PutStep("a", "host=web07", 0, 4);

  EXPECT_EQ(Changes("tag=host=web07").status, 413);
  EXPECT_EQ(Send("GET /api/query/changes?start=1356998800&end=1356999000&tag=host=web07").status,
            200);
}

TEST_F(ChangeHandlerTest, ALateRequestIsGivenUp) {
  PutStep("a", "host=web07", 0, 4);
  deadline_ms_ = clock_.MonotonicMs() - 1;

  const HttpResponse late = Changes("tag=host=web07");

  EXPECT_EQ(late.status, 413);
  EXPECT_THAT(late.body, HasSubstr("Sorry, your query timed out."));
}

TEST_F(ChangeHandlerTest, MemoryIsBounded) {
  options().query_memory_bytes = 10'000;
  for (int i = 0; i < 100; ++i)
    Put(OwnedPoint(fmt::format("m{}", i), "host=web07", kStartS, 1));

  EXPECT_EQ(Changes("tag=host=web07").status, 413);
}

TEST_F(ChangeHandlerTest, IsListedAsAQuery) {
  PutStep("a", "host=web07", 0, 4);
  Changes("tag=host=web07");
  Changes("tag=host=nosuch");

  const std::string list = Send("GET /api/stats/query").body;

  EXPECT_THAT(list, AllOf(HasSubstr(R"("type":"CHANGES")"), HasSubstr(R"("tags":["host=web07"])"),
                          HasSubstr("No such name for 'tagv': 'nosuch'"),
                          HasSubstr(R"("running":[]})"), Not(HasSubstr("unknown exception"))));
}

}  // namespace
}  // namespace hourcell::change_handler_test
