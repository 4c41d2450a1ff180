#include "server/lab/lab_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::lab_handler_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class LabHandlerTest : public ApiTest {};

TEST_F(LabHandlerTest, ListsWhatThereIsToChoose) {
  const HttpResponse response = Send("GET /api/admin/simulate");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, AllOf(StartsWith("{\"layouts\":["), HasSubstr("\"salted:20\""),
                                   HasSubstr("\"limits\":{\"designs\":8,")));
}

TEST_F(LabHandlerTest, TheStoreGivesAFleetAndExampleKeys) {
  const HttpResponse empty = Send("GET /api/admin/simulate?store");
  EXPECT_EQ(empty.status, 400) << empty.body;
  Put({"cpu", "host=a", kStartS, 1});
  const HttpResponse response = Send("GET /api/admin/simulate?store");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(
      response.body,
      AllOf(HasSubstr(R"("store":{"fleet":"metrics=1,tags=host:1,interval=60s,duration=1d",)"
                      R"("metric":"cpu"})"),
            HasSubstr(R"("idea":"OpenTSDB's key","key":"00000150e6c440000001000001"})"),
            HasSubstr(R"("key":"50e6c440000001000001000001"})")));
  EXPECT_THAT(Send("GET /api/admin/simulate").body, testing::Not(HasSubstr("\"key\"")));
}

TEST_F(LabHandlerTest, ASimulationIsAJob) {
  const std::string body = R"({"fleet":"duration=3h","designs":["one: layout=opentsdb"]})";
  const HttpResponse begun = Send("POST /api/admin/simulate", body);
  EXPECT_EQ(begun.status, 202);
  EXPECT_EQ(Header(begun, "Location"), "/api/admin/jobs?id=1");
  EXPECT_THAT(begun.body, HasSubstr("\"kind\":\"simulate\""));

  // One of the lab runs at a time; this waits for its turn by asking again.
  HttpResponse waited = Send("POST /api/admin/simulate?wait", body);
  while (waited.status == 409)
    waited = Send("POST /api/admin/simulate?wait", body);
  EXPECT_EQ(waited.status, 200);
  EXPECT_THAT(waited.body, AllOf(StartsWith("{\"simulations\":[{\"design\":{\"name\":\"one\""),
                                 HasSubstr("\"predictions\":[")));
  EXPECT_THAT(Send("GET /api/admin/jobs?id=1").body, HasSubstr("\"state\":\"done\""));
}

TEST_F(LabHandlerTest, ALimitIsSaidInTheAnswer) {
  const HttpResponse response =
      Send("POST /api/admin/simulate?wait",
           R"({"fleet":"duration=3h","designs":["a: presplit=uniform:1001"]})");
  EXPECT_EQ(response.status, 413);
  EXPECT_THAT(response.body, HasSubstr("has more than 1000 regions"));
}

TEST_F(LabHandlerTest, WhatIsWrongBeginsNoJob) {
  EXPECT_EQ(Send("POST /api/admin/simulate", "{\"fleet\":\"x\"}").status, 400);
  EXPECT_EQ(Send("POST /api/admin/layouts", "{\"cells\":[\"x\"]}").status, 400);
  EXPECT_EQ(Send("GET /api/admin/jobs").body, "{\"jobs\":[]}");
}

TEST_F(LabHandlerTest, MeasuresLayouts) {
  const HttpResponse response =
      Send("POST /api/admin/layouts?wait",
           R"({"layouts":["opentsdb"],"cells":["packed"],"rules":["none"],"workloads":["single"],
          "points":7200})");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body,
              AllOf(StartsWith("{\"cases\":["), HasSubstr("\"layout\":\"opentsdb\"")));
}

}  // namespace
}  // namespace hourcell::lab_handler_test
