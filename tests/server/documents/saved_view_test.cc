#include "server/documents/saved_view.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::saved_view_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kNowMs = 1'357'300'800'000;  // 2013-01-04 12:00:00 UTC

std::string FaultOf(std::string_view json) {
  const auto parsed = ParseSavedView(json, kNowMs);
  EXPECT_THAT(parsed, StatusIs(absl::StatusCode::kInvalidArgument)) << json;
  return std::string(parsed.status().message());
}

// A document of these members after its version.
std::string Document(std::string_view members) {
  return fmt::format(R"({{"version":1,{}}})", members);
}

TEST(SavedViewTest, GivesWhatAListTells) {
  const auto parsed = ParseSavedView(R"({
    "title": "Web \"servers\"",
    "start": "6h-ago", "end": "2013/01/04-12:00:00", "tz": "Europe/Berlin", "refresh": 60,
    "graphs": [
      {"title": "CPU", "queries": ["avg:cpu.user{host=*}", "sum:1m-avg:rate:net.in"],
       "look": {"style": "stacked", "ylog": "", "right": "1"}},
      {"view": "Disks"}
    ],
    "version": 1
  })",
                                     kNowMs);
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->title, "Web \"servers\"");
  EXPECT_EQ(parsed->start, "6h-ago");
  EXPECT_EQ(parsed->end, "2013/01/04-12:00:00");
  EXPECT_EQ(parsed->tz, "Europe/Berlin");
  EXPECT_EQ(parsed->refresh_s, 60u);
  EXPECT_EQ(parsed->graphs, 2u);
}

TEST(SavedViewTest, OnlyVersionAndGraphsAreRequired) {
  const auto parsed = ParseSavedView(R"({"version":1,"graphs":[]})", kNowMs);
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->title, "");
  EXPECT_EQ(parsed->start, "");
  EXPECT_EQ(parsed->graphs, 0u);
  EXPECT_EQ(FaultOf(R"({"version":1})"), "view: line 1, character 1: graphs: missing");
  EXPECT_EQ(FaultOf(R"({"graphs":[]})"), "view: line 1, character 1: version: missing");
}

TEST(SavedViewTest, AFaultHasItsLineAndCharacter) {
  EXPECT_EQ(FaultOf("{\"version\": 1,\n \"graphs\": \"none\"}"),
            "view: line 2, character 12: graphs: expected a list, got a text");
  // Characters count, not bytes.
  EXPECT_EQ(FaultOf("{\"version\": 1,\n\n \"title\": \"Größe\", \"start\": 5, \"graphs\": []}"),
            "view: line 3, character 29: start: expected a text, got a number");
  EXPECT_EQ(FaultOf("{\"version\": 1,\n \"graphs\": [],,}"),
            "view: line 2, character 15: expected valid JSON");
  EXPECT_EQ(FaultOf("{\"version\": 1"), "view: line 1, character 14: expected valid JSON");
  EXPECT_EQ(FaultOf("{\"version\": 1, \"graphs\": []} x"),
            "view: line 1, character 30: expected valid JSON");
  EXPECT_EQ(FaultOf(""), "view: line 1, character 1: expected valid JSON");
  EXPECT_EQ(FaultOf("[]"),
            "view: line 1, character 1: the document: expected an object, got a list");
}

TEST(SavedViewTest, UnknownAndRepeatedMembersAreRefused) {
  EXPECT_EQ(
      FaultOf(Document(R"("graphs":[],"panels":[])")),
      "view: line 1, character 35: \"panels\": unknown member; expected version, title, start, "
      "end, tz, refresh, graphs");
  EXPECT_THAT(FaultOf(Document(R"("graphs":[],"graphs":[])")),
              HasSubstr("\"graphs\": repeated member"));
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{"query":"sum:m"}])")),
              HasSubstr("\"query\": unknown member; expected title, view, queries, look"));
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{"view":"a","look":{"a":"","a":""}}])")),
              HasSubstr("\"a\": repeated member"));
}

TEST(SavedViewTest, AGraphHasQueriesOrTheNameOfAView) {
  constexpr std::string_view kExpected = "graphs[0]: expected queries, or the name of a view";
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{}])")), HasSubstr(kExpected));
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{"view":"a","queries":[]}])")), HasSubstr(kExpected));
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{"view":"a","look":{}}])")),
              HasSubstr("graphs[0].look: expected none beside the name of a view"));
  EXPECT_OK(ParseSavedView(Document(R"("graphs":[{"queries":[]},{"view":"a"}])"), kNowMs));
}

TEST(SavedViewTest, QueriesTimesAndZonesAreThoseOfTheQueryLanguage) {
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{"queries":["sum:m"]},{"queries":["sum"]}])")),
              HasSubstr("graphs[1].queries[0]: "));
  EXPECT_THAT(FaultOf(Document(R"("start":"yesterday","graphs":[])")), HasSubstr("start: "));
  EXPECT_THAT(FaultOf(Document(R"("end":"5x-ago","graphs":[])")), HasSubstr("end: "));
  EXPECT_THAT(FaultOf(Document(R"("tz":"Mars/Olympus","graphs":[])")),
              HasSubstr("tz: The timezone specification could not be found"));
}

TEST(SavedViewTest, AQueryMayBeInPromql) {
  const auto parsed = ParseSavedView(
      Document(R"x("graphs":[{"queries":["sum:m",{"promql":"sum by (a) (rate(m[5m]))"}]}])x"),
      kNowMs);
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->graphs, 1u);
  EXPECT_EQ(FaultOf(Document(R"("graphs":[{"queries":[{"promql":"sum("}]}])")),
            "view: line 1, character 46: graphs[0].queries[0].promql: 1:5: parse error: "
            "unclosed left parenthesis");
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{"queries":[{"promql":7}]}])")),
              HasSubstr("graphs[0].queries[0].promql: expected a text, got a number"));
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{"queries":[{}]}])")),
              HasSubstr("graphs[0].queries[0].promql: missing"));
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{"queries":[{"m":"sum:m"}]}])")),
              HasSubstr("\"m\": unknown member; expected promql"));
}

TEST(SavedViewTest, AnotherVersionIsRefused) {
  EXPECT_EQ(FaultOf(R"({"version":2,"graphs":[]})"),
            "view: line 1, character 12: version: expected 1, got 2");
  EXPECT_THAT(FaultOf(R"({"version":"1","graphs":[]})"),
              HasSubstr("version: expected a number, got a text"));
  EXPECT_THAT(FaultOf(R"({"version":1.5,"graphs":[]})"), HasSubstr("version: expected 0 to "));
}

TEST(SavedViewTest, EverythingHasALimit) {
  const auto repeated = [](std::string_view item, size_t count) {
    std::string items;
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) items += ',';
      items += item;
    }
    return items;
  };
  EXPECT_OK(ParseSavedView(
      Document(fmt::format(R"("graphs":[{}])", repeated(R"({"view":"a"})", kSavedGraphsMax))),
      kNowMs));
  EXPECT_THAT(FaultOf(Document(fmt::format(R"("graphs":[{}])",
                                           repeated(R"({"view":"a"})", kSavedGraphsMax + 1)))),
              HasSubstr("graphs: expected at most 50 items"));
  EXPECT_THAT(FaultOf(Document(
                  fmt::format(R"("graphs":[{{"queries":[{}]}}])", repeated(R"("sum:m")", 27)))),
              HasSubstr("graphs[0].queries: expected at most 26 items"));
  EXPECT_THAT(FaultOf(Document(fmt::format(R"("title":"{}","graphs":[])", std::string(201, 'a')))),
              HasSubstr("title: expected at most 200 bytes, got 201"));
  EXPECT_THAT(FaultOf(Document(R"("refresh":86401,"graphs":[])")),
              HasSubstr("refresh: expected 0 to 86400, got 86401"));
  EXPECT_THAT(FaultOf(Document(R"("refresh":-1,"graphs":[])")), HasSubstr("got -1"));
  EXPECT_THAT(FaultOf(Document(R"("graphs":[{"queries":[],"look":{"Y-log":""}}])")),
              HasSubstr("look: expected words of a to z and 0 to 9, got \"Y-log\""));
  EXPECT_THAT(FaultOf(std::string(kSavedViewBytesMax + 1, ' ')),
              HasSubstr("expected at most 61440 bytes, got 61441"));
  EXPECT_EQ(FaultOf("\xFF"), "view: not UTF-8");
}

}  // namespace
}  // namespace hourcell::saved_view_test
