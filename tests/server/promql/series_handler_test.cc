#include "server/promql/series_handler.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/server/promql/promql_fixture.h"

namespace hourcell::series_handler_test {
namespace {

using testing::HasSubstr;

class SeriesHandlerTest : public PromqlTest {
 protected:
  std::string Data(const std::string& request_line) {
    const HttpResponse response = Send(request_line);
    EXPECT_EQ(response.status, 200) << request_line << response.body;
    return response.body;
  }
};

std::string Success(std::string_view data) {
  return fmt::format(R"({{"status":"success","data":{}}})", data);
}

constexpr std::string_view kUp =
    R"({"__name__":"up","dc":"x","host":"a"},{"__name__":"up","host":"b"})";

TEST_F(SeriesHandlerTest, SeriesAreThoseThatAnySelectorTakes) {
  WriteHosts();

  EXPECT_EQ(Data("GET /api/v1/series?match[]=up"), Success(fmt::format("[{}]", kUp)));
  EXPECT_EQ(Data("GET /api/v1/series?match[]=up&match[]=%7Bhost=%22a%22%7D"),
            Success(fmt::format(R"([{{"__name__":"load","host":"a"}},{}])", kUp)));
  EXPECT_EQ(SendForm("/api/v1/series", "match%5B%5D=up&start=0").body,
            Success(fmt::format("[{}]", kUp)));
  EXPECT_EQ(Data("GET /api/v1/series?match[]=nosuch"), Success("[]"));
}

TEST_F(SeriesHandlerTest, LabelsAreNamesOfAllOrOfTheSeriesThatMatch) {
  WriteHosts();

  EXPECT_EQ(Data("GET /api/v1/labels"), Success(R"(["__name__","dc","host"])"));
  EXPECT_EQ(Data("GET /api/v1/labels?match[]=load"), Success(R"(["__name__","host"])"));
  EXPECT_EQ(SendForm("/api/v1/labels", "match[]=load").body, Success(R"(["__name__","host"])"));
}

TEST_F(SeriesHandlerTest, ValuesAreThoseOfOneLabel) {
  WriteHosts();

  EXPECT_EQ(Data("GET /api/v1/label/host/values"), Success(R"(["a","b"])"));
  EXPECT_EQ(Data("GET /api/v1/label/__name__/values"), Success(R"(["load","up"])"));
  EXPECT_EQ(Data("GET /api/v1/label/host/values?match[]=load"), Success(R"(["a"])"));
  EXPECT_EQ(Data("GET /api/v1/label/__name__/values?match[]=%7Bhost=%22b%22%7D"),
            Success(R"(["up"])"));
  EXPECT_EQ(Data("GET /api/v1/label/nosuch/values"), Success("[]"));
}

TEST_F(SeriesHandlerTest, StartAndEndLeaveOutSeriesWithoutPointsOnTheirDays) {
  WriteHosts();
  Put({"old.metric", "rack=r1", kStartS - 5 * 86'400, 1});
  const std::string now = fmt::format("start={}&end={}", kStartS, kStartS + 60);
  const std::string old =
      fmt::format("start={}.5&end={}", kStartS - 6 * 86'400, kStartS - 4 * 86'400);
  constexpr std::string_view kOld = R"([{"__name__":"old_metric","rack":"r1"}])";
  constexpr std::string_view kMatch = "match[]=%7Brack=~%22.*%22,__name__=~%22.%2B%22%7D&";

  EXPECT_EQ(Data("GET /api/v1/series?match[]=up&" + now), Success(fmt::format("[{}]", kUp)));
  EXPECT_EQ(Data("GET /api/v1/series?match[]=up&" + old), Success("[]"));
  EXPECT_EQ(Data(fmt::format("GET /api/v1/series?{}{}", kMatch, old)), Success(kOld));
  EXPECT_EQ(SendForm("/api/v1/series", "match[]=old_metric&" + now).body, Success("[]"));
  EXPECT_EQ(Data("GET /api/v1/labels?" + now), Success(R"(["__name__","dc","host"])"));
  EXPECT_EQ(Data("GET /api/v1/labels?" + old), Success(R"(["__name__","rack"])"));
  EXPECT_EQ(Data("GET /api/v1/labels?match[]=up&" + old), Success("[]"));
  EXPECT_EQ(Data("GET /api/v1/labels?start=1&end=2"), Success("[]"));
  EXPECT_EQ(Data("GET /api/v1/label/__name__/values?" + now), Success(R"(["load","up"])"));
  EXPECT_EQ(Data("GET /api/v1/label/__name__/values?" + old), Success(R"(["old_metric"])"));
  EXPECT_EQ(Data("GET /api/v1/label/rack/values?" + now), Success("[]"));
  EXPECT_EQ(Data("GET /api/v1/label/rack/values?" + old), Success(R"(["r1"])"));
}

TEST_F(SeriesHandlerTest, OneOfStartAndEndLeavesTheOtherOpen) {
  Put({"m", "host=a", kStartS, 1});
  const auto found = [&](const std::string& times) {
    return Data("GET /api/v1/series?match[]=m&" + times).find("host") != std::string::npos;
  };

  EXPECT_TRUE(found(fmt::format("start={}", kStartS)));
  EXPECT_TRUE(found(fmt::format("end={}", kStartS)));
  EXPECT_FALSE(found(fmt::format("end={}", 86'400)));
  EXPECT_TRUE(found("start=&end="));
}

TEST_F(SeriesHandlerTest, LabelsKeepTheirCase) {
  Write({{.labels = {{"__name__", "Up"}, {"Host", "A"}}, .samples = {{1, kMs}}}});

  EXPECT_EQ(Data("GET /api/v1/label/Host/values"), Success(R"(["A"])"));
  EXPECT_EQ(Data("GET /api/v1/label/host/values"), Success("[]"));
}

TEST_F(SeriesHandlerTest, NamesOfOpenTsdbAreThoseOfPrometheus) {
  Put({"sys.cpu.user", "service.name=shop", kStartS, 1});

  EXPECT_EQ(Data("GET /api/v1/label/__name__/values"), Success(R"(["sys_cpu_user"])"));
  EXPECT_EQ(Data("GET /api/v1/label/service_name/values"), Success(R"(["shop"])"));
  EXPECT_EQ(Data("GET /api/v1/series?match[]=sys_cpu_user"),
            Success(R"([{"__name__":"sys_cpu_user","service_name":"shop"}])"));
}

TEST_F(SeriesHandlerTest, ALimitCutsTheAnswerWithAWarning) {
  WriteHosts();

  EXPECT_EQ(Data("GET /api/v1/label/host/values?limit=1"),
            R"({"status":"success","data":["a"],"warnings":["results truncated due to limit"]})");
  EXPECT_EQ(Data("GET /api/v1/label/host/values?limit=2"), Success(R"(["a","b"])"));
  EXPECT_EQ(Data("GET /api/v1/label/host/values?limit=0"), Success(R"(["a","b"])"));
}

TEST_F(SeriesHandlerTest, BadParametersAreNamed) {
  const auto check = [&](std::string_view target, std::string_view want, int line) {
    const testing::ScopedTrace trace(__FILE__, line, "this case");
    const HttpResponse response = Send(fmt::format("GET /api/v1/{}", target));
    EXPECT_EQ(response.status, 400) << response.body;
    EXPECT_THAT(response.body,
                HasSubstr(fmt::format(R"("errorType":"bad_data","error":"{})", want)));
  };
  check("series", "no match[] parameter provided", __LINE__);
  check("series?match[]=up&start=x",
        R"(invalid parameter \"start\": Invalid time value for 'start': cannot parse \"x\")",
        __LINE__);
  check("labels?end=x", R"(invalid parameter \"end\": Invalid time value for 'end')", __LINE__);
  check("labels?limit=x", R"(invalid parameter \"limit\": expected a number)", __LINE__);
  check("series?match[]=up%7B", R"(invalid parameter \"match[]\": 1:)", __LINE__);
  check("series?match[]=%7Ba=~%22.*%22%7D", R"(invalid parameter \"match[]\": )", __LINE__);
  check("label/a-b/values", R"(invalid label name: \"a-b\")", __LINE__);
}

TEST_F(SeriesHandlerTest, OtherPathsOfLabelsAreNotFound) {
  for (const char* const path : {"label", "label/host", "label//values", "label/values"})
    EXPECT_EQ(Send(fmt::format("GET /api/v1/{}", path)).status, 404) << path;
}

TEST_F(SeriesHandlerTest, LookUpsHaveTheLimitsOfQueries) {
  WriteHosts();
  EXPECT_THAT(Data("GET /api/stats/query"), testing::Not(HasSubstr("PROMQL_SERIES")));
  deadline_ms_ = clock_.MonotonicMs() - 1;

  const HttpResponse response = Send("GET /api/v1/series?match[]=%7Bhost=~%22a%22%7D");

  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, HasSubstr(R"("errorType":"timeout")"));
  EXPECT_THAT(Data("GET /api/stats/query"),
              HasSubstr(R"({"type":"PROMQL_SERIES","match":["{host=~\"a\"}"]})"));
}

TEST_F(SeriesHandlerTest, MemoryIsBounded) {
  options().query_memory_bytes = size_t{1} << 18;
  for (int i = 0; i < 3000; ++i)
    Put({"m", fmt::format("host={}", i), kStartS, 1});

  const HttpResponse response = Send("GET /api/v1/series?match[]=m");

  EXPECT_EQ(response.status, 422);
  EXPECT_THAT(response.body, HasSubstr(R"("errorType":"execution")"));
}

TEST_F(SeriesHandlerTest, NeedsTheRightToRead) {
  for (const char* const target : {"series?match[]=up", "labels", "label/host/values"}) {
    rights_ = AccessRights::Write();
    EXPECT_EQ(Send(fmt::format("GET /api/v1/{}", target)).status, 403) << target;
    rights_ = AccessRights::Read();
    EXPECT_EQ(Send(fmt::format("GET /api/v1/{}", target)).status, 200) << target;
  }
}

}  // namespace
}  // namespace hourcell::series_handler_test
