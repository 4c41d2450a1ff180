#include "server/admin/region_handler.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <simdjson.h>

#include "tests/server/api_fixture.h"

namespace hourcell::region_handler_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RegionHandlerTest : public ApiTest {
 protected:
  // Twenty series of each of three metrics, whose UIDs are 1 to 3.
  void PutAll() {
    for (const char* const metric : {"cpu", "disk", "net"}) {
      for (int host = 0; host < 20; ++host)
        Put({metric, fmt::format("host=h{:02}", host), kStartS, host});
    }
    ASSERT_OK(tsdb().maintenance().Seal());
  }
  std::vector<std::string> Starts() {
    simdjson::dom::parser parser;
    std::vector<std::string> starts;
    const HttpResponse response = Send("GET /api/admin/regions");
    EXPECT_EQ(response.status, 200) << response.body;
    for (const simdjson::dom::element region : parser.parse(response.body)["regions"])
      starts.emplace_back(std::string_view(region["start"]));
    return starts;
  }
  std::string Points() {
    return Send("GET /api/query?start=1356998400&end=1356998401&m=sum:cpu&m=sum:disk&m=sum:net")
        .body;
  }
};

TEST_F(RegionHandlerTest, RegionsAreCutAndMergedAndNoAnswerChanges) {
  PutAll();
  const std::string points = Points();
  EXPECT_THAT(points, HasSubstr("1356998400"));

  const HttpResponse split =
      Send("POST /api/admin/regions/split?wait", R"({"region":1,"at":"\\x00\\x00\\x02"})");
  EXPECT_EQ(split.status, 200);
  EXPECT_THAT(split.body, AllOf(HasSubstr(R"({"table":"data","parent":1,"daughters":[{"id":)"),
                                HasSubstr(R"("start":"\\x00\\x00\\x02")")));
  EXPECT_THAT(Starts(), ElementsAre("", "\\x00\\x00\\x02"));
  EXPECT_EQ(Points(), points);

  EXPECT_EQ(
      Send("POST /api/admin/regions/split?wait", R"({"region":"\\x00\\x00\\x02","into":3})").status,
      200);
  EXPECT_THAT(Starts(), SizeIs(4));
  EXPECT_EQ(Points(), points);

  const HttpResponse merged =
      Send("POST /api/admin/regions/merge?wait", R"({"regions":["\\x00","\\x00\\x00\\x02"]})");
  EXPECT_EQ(merged.status, 200) << merged.body;
  EXPECT_THAT(merged.body, HasSubstr(R"({"table":"data","merged":{"id":)"));
  EXPECT_THAT(Starts(), SizeIs(3));
  EXPECT_EQ(Points(), points);
  EXPECT_EQ(Send("GET /api/admin/regions/check").body, R"({"table":"data","findings":[]})");
}

TEST_F(RegionHandlerTest, ADryRunSaysWhatASplitWouldMake) {
  PutAll();
  const HttpResponse plan = Send("POST /api/admin/regions/split?wait",
                                 R"({"region":1,"at":"\\x00\\x00\\x02","dryRun":true})");
  EXPECT_EQ(plan.status, 200) << plan.body;
  EXPECT_THAT(plan.body,
              AllOf(HasSubstr(R"({"table":"data","parent":1,"dryRun":true,"source":"request",)"),
                    HasSubstr(R"({"start":"\\x00\\x00\\x02","end":"","hex":"000002",)"
                              R"("explained":{"text":"disk","metric":"disk"},"bytes":)")));
  EXPECT_THAT(Starts(), ElementsAre(""));
  EXPECT_THAT(
      Send("POST /api/admin/regions/split?wait", R"({"region":1,"at":"","dryRun":true})").body,
      HasSubstr("\"code\":400"));
}

TEST_F(RegionHandlerTest, StartsAreExplained) {
  PutAll();
  Send("POST /api/admin/regions/split?wait", R"({"region":1,"at":"\\x00\\x00\\x02P\\xE2'\\x00"})");
  EXPECT_THAT(Send("GET /api/admin/regions?explain").body,
              HasSubstr(R"("explained":{"text":"disk, 2013-01-01 00:00:00","metric":"disk",)"
                        R"("time":1356998400})"));
  EXPECT_THAT(Send("GET /api/admin/regions").body, Not(HasSubstr("explained")));
  EXPECT_THAT(Send("GET /api/admin/regions?table=annotation").body,
              HasSubstr(R"({"table":"annotation","regions":[{"id":1,)"));
}

TEST_F(RegionHandlerTest, ARollingSplitMakesAllRegions) {
  PutAll();
  const std::string points = Points();
  const HttpResponse rolled =
      Send("POST /api/admin/regions/rolling?wait",
           R"({"split":"keys:\\x00\\x00\\x03,\\x00\\x00\\x02,\\x00\\x00\\x04"})");
  EXPECT_EQ(rolled.status, 200) << rolled.body;
  EXPECT_THAT(rolled.body, HasSubstr(R"("keys":3,"made":3,"there":0,"resumed":false}})"));
  EXPECT_THAT(Starts(), ElementsAre("", "\\x00\\x00\\x02", "\\x00\\x00\\x03", "\\x00\\x00\\x04"));
  EXPECT_EQ(Points(), points);
  EXPECT_THAT(Send("GET /api/admin/regions").body, Not(HasSubstr("rolling")));
}

TEST_F(RegionHandlerTest, WhatMakesNoSenseIsRefusedAndChangesNothing) {
  PutAll();
  const auto f = [this](std::string_view what, const std::string& body, int status,
                        const std::string& says) {
    const HttpResponse response = Send(fmt::format("POST /api/admin/regions/{}?wait", what), body);
    EXPECT_EQ(response.status, status) << body;
    EXPECT_THAT(response.body, HasSubstr(says)) << body;
  };
  f("split", "", 400, "Missing message content");
  f("split", R"({"region":1,"at":"\\x0"})", 400, "expected printable ASCII or");
  f("split", R"({"region":1,"at":""})", 400, "expected a key inside");
  f("split", R"({"region":1,"into":1025})", 400, "expected 2 to 1024 parts");
  f("split", R"({"region":1,"into":1000})", 409, "cannot be cut into 1000 parts");
  f("split", R"({"region":2,"at":"k"})", 404, "it may have been split or merged");
  f("split", R"({"table":"uid","region":1,"at":"k"})", 409, "has one region, always");
  f("split", R"({"table":"x","region":1,"at":"k"})", 400, "expected data or annotation");
  f("merge", R"({"regions":[1,1]})", 400, "is there twice");
  f("merge", R"({"regions":[1,2]})", 404, "it may have been split or merged");
  f("rolling", "{}", 409, "no unfinished one");
  f("rolling", R"({"split":"hex:0"})", 400, "hex");
  f("rolling", R"({"split":"file:keys.txt"})", 400, "reads no files of others");
  f("rolling", R"({"abandon":true})", 404, "has none");
  EXPECT_EQ(Send("GET /api/admin/regions?table=x").status, 400);
  EXPECT_EQ(Send("GET /api/admin/regions/check?table=x").status, 400);
  EXPECT_EQ(Send("GET /api/admin/regions/split").status, 405);
  EXPECT_EQ(Send("POST /api/admin/regions").status, 405);
  EXPECT_EQ(Send("GET /api/admin/regions/none").status, 404);
  EXPECT_THAT(Starts(), ElementsAre(""));
}

TEST_F(RegionHandlerTest, AReadOnlyServerChangesNothing) {
  ASSERT_OK(config().Set("tsd.mode", "ro"));
  EXPECT_EQ(Send("GET /api/admin/regions").status, 200);
  for (const char* const change : {"split", "merge", "rolling"}) {
    EXPECT_EQ(Send(fmt::format("POST /api/admin/regions/{}", change), "{}").status, 404) << change;
  }
}

TEST_F(RegionHandlerTest, LoadsAreOfTheDataTableAlone) {
  const HttpResponse response = Send("GET /api/admin/regions/loads?explain");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr(R"({"table":"data","step_ms":10000,)"));
  EXPECT_THAT(Send("GET /api/admin/regions/loads?table=annotation").body,
              HasSubstr("the loads of other tables are not kept"));
  EXPECT_EQ(Send("GET /api/admin/regions/loads?table=annotation").status, 400);
  EXPECT_THAT(Send("GET /api/admin/regions/loads?since=yesterday").body,
              HasSubstr("expected milliseconds since 1970"));
  EXPECT_EQ(Send("POST /api/admin/regions/loads").status, 405);
}

}  // namespace
}  // namespace hourcell::region_handler_test
