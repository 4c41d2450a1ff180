#include "server/names/meta_search.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell::meta_search_test {
namespace {

using simdjson::dom::element;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MetaSearchTest : public ApiTest {
 protected:
  void PutSome() {
    Put({"cpu.user", "host=web01", kStartS, 1});
    Put({"cpu.user", "host=db01 dc=x", kStartS, 1});
    Put({"mem.free", "host=web01", kStartS, 1});
    ASSERT_EQ(
        Send("POST /api/uid/uidmeta", R"({"uid":"000002","type":"metric","notes":"Free Pages",)"
                                      R"("custom":{"owner":"ann"}})")
            .status,
        200);
    ASSERT_EQ(Send("POST /api/uid/tsmeta",
                   R"({"tsuid":"000001000001000001","description":"the first","units":"%"})")
                  .status,
              200);
  }

  // The texts of a field of the results, or the results if they are texts.
  std::vector<std::string> Found(std::string_view search, std::string_view field = {}) {
    const HttpResponse response = Send(fmt::format("GET /api/search/{}", search));
    EXPECT_EQ(response.status, 200) << response.body;
    simdjson::dom::parser parser;
    element got;
    std::vector<std::string> found;
    if (parser.parse(response.body).get(got)) return {"no JSON: " + response.body};
    for (const element result : got["results"].get_array()) {
      found.emplace_back(field.empty() ? std::string_view(result)
                                       : std::string_view(result[field]));
    }
    return found;
  }
};

TEST_F(MetaSearchTest, FindsUidsByTheirNamesAndTexts) {
  PutSome();
  EXPECT_THAT(Found("uidmeta?query=name:cpu*", "name"), ElementsAre("cpu.user"));
  EXPECT_THAT(Found("uidmeta?query=web", "name"), ElementsAre("web01"));
  EXPECT_THAT(Found("uidmeta?query=type:tagk", "name"), ElementsAre("dc", "host"));
  EXPECT_THAT(Found("uidmeta?query=free+pages", "uid"), ElementsAre("000002"));
  EXPECT_THAT(Found("uidmeta?query=custom.owner:ann", "name"), ElementsAre("mem.free"));
  EXPECT_THAT(Found("uidmeta?query=nosuch", "name"), IsEmpty());
  EXPECT_THAT(
      Send("GET /api/search/uidmeta?query=mem").body,
      HasSubstr(R"("type":"METRIC","name":"mem.free","description":"","notes":"Free Pages")"));
}

TEST_F(MetaSearchTest, FindsSeriesByTheirTagsAndTexts) {
  PutSome();
  EXPECT_THAT(Found("tsuids?query=host:web01"),
              ElementsAre("000001000001000001", "000002000001000001"));
  EXPECT_THAT(Found("tsuids?query=metric:cpu+tagv:x"),
              ElementsAre("000001000001000002000002000003"));
  EXPECT_THAT(Found("tsmeta?query=units:%25", "description"), ElementsAre("the first"));
  EXPECT_THAT(Found("tsmeta_summary?query=tagk:dc", "metric"), ElementsAre("cpu.user"));
  EXPECT_EQ(Send("GET /api/search/TSMETA_SUMMARY?query=name:mem").body,
            R"({"type":"TSMETA_SUMMARY","query":"name:mem","metric":"*","tags":[],"limit":25,)"
            R"("time":0.0,"results":[{"tsuid":"000002000001000001","metric":"mem.free",)"
            R"("tags":{"host":"web01"}}],"startIndex":0,"totalResults":1})");
}

TEST_F(MetaSearchTest, FindsAnnotations) {
  PutSome();
  for (const char* const body :
       {R"({"startTime":1356998400,"description":"Deploy 1","custom":{"by":"ann"}})",
        R"({"startTime":1356998500,"tsuid":"000001000001000001","notes":"reboot"})"}) {
    ASSERT_EQ(Send("POST /api/annotation", body).status, 200);
  }
  EXPECT_THAT(Found("annotation?query=deploy", "description"), ElementsAre("Deploy 1"));
  EXPECT_THAT(Found("annotation?query=custom.by:ann", "description"), ElementsAre("Deploy 1"));
  EXPECT_THAT(Found("annotation?query=tsuid:000001*", "notes"), ElementsAre("reboot"));
  EXPECT_THAT(Found("annotation?query=*", "notes"), testing::SizeIs(2));
}

TEST_F(MetaSearchTest, LimitsCountAllMatches) {
  PutSome();
  const std::string body =
      Send("POST /api/search/tsuids", R"({"query":"*","limit":1,"startIndex":1})").body;
  EXPECT_THAT(body, HasSubstr(R"("results":["000001000001000002000002000003"],"startIndex":1,)"
                              R"("totalResults":3})"));
  EXPECT_THAT(Found("tsuids?query=*&limit=0"), testing::SizeIs(3));
  EXPECT_THAT(Found("tsuids?query=*&limit=2&start_index=2"), testing::SizeIs(1));
}

TEST_F(MetaSearchTest, SaysWhatIsWrong) {
  EXPECT_THAT(Send("GET /api/search/tsmeta").body, HasSubstr("Missing parameter"));
  for (const std::string_view line :
       {"GET /api/search/tsmeta", "GET /api/search/tsmeta?query=a+OR+b",
        "GET /api/search/tsmeta?query=a&limit=x", "GET /api/search/nosuch?query=a"}) {
    EXPECT_EQ(Send(line).status, 400) << line;
  }
  EXPECT_EQ(Send("POST /api/search/tsmeta", "{}").status, 400);
  EXPECT_EQ(Send("POST /api/search/tsmeta", "").status, 400);
}

TEST_F(MetaSearchTest, AStoreWithoutAnythingHasNoResults) {
  for (const std::string_view type :
       {"uidmeta", "tsmeta", "tsmeta_summary", "tsuids", "annotation"})
    EXPECT_THAT(Found(fmt::format("{}?query=*", type)), IsEmpty()) << type;
}

}  // namespace
}  // namespace hourcell::meta_search_test
