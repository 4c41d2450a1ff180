#include "server/query/delete_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "server/http/body/body_writer.h"
#include "server/query/query_json.h"
#include "server/query/query_registry.h"
#include "server/query/query_run.h"
#include "server/query/query_string.h"
#include "tests/server/api_fixture.h"

namespace hourcell::delete_handler_test {
namespace {

using testing::HasSubstr;

class DeleteHandlerTest : public ApiTest {
 protected:
  HttpResponse Answer(const QueryRequest& query) {
    const QueryService service{.tsdb = &tsdb(), .clock = &clock_, .registry = &registry_};
    const HttpRequest request;
    return CompleteBody(AnswerDelete(query, clock_.MonotonicMs(), request, service));
  }
  HttpResponse Delete(std::string_view target) {
    HttpRequest request;
    request.method = "DELETE";
    request.target = target;
    HOURCELL_CHECK(ParseTarget(&request).ok());
    const auto query = ParseQueryString(request, clock_.NowMs(), "");
    HOURCELL_CHECK(query.ok());
    return Answer(*query);
  }
  std::string Query() { return Send("GET /api/query?start=1356998400&m=none:m").body; }

  QueryRegistry registry_{&clock_};
};

TEST_F(DeleteHandlerTest, AnswersWithWhatItDeletes) {
  for (int64_t i = 0; i < 4; ++i)
    Put({"m", "host=a", kStartS + 10 * i, i});
  Put({"m", "host=b", kStartS + 10, 9});

  const HttpResponse response =
      Delete("/api/query?start=1356998410&end=1356998420&m=sum:10s-sum:m{host=a}");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"([{"metric":"m","tags":{"host":"a"},"aggregateTags":[],)"
                           R"("dps":{"1356998410":1.0,"1356998420":2.0}}])");
  EXPECT_EQ(Query(),
            R"([{"metric":"m","tags":{"host":"a"},"aggregateTags":[],)"
            R"("dps":{"1356998400":0,"1356998430":3}},)"
            R"({"metric":"m","tags":{"host":"b"},"aggregateTags":[],"dps":{"1356998410":9}}])");
}

TEST_F(DeleteHandlerTest, AQueryWithFunctionsDeletesNothing) {
  Put({"m", "host=a", kStartS, 1});
  Put({"m", "host=b", kStartS, 2});
  const std::string before = Query();

  const HttpResponse response =
      Delete("/api/query?start=1356998400&end=1356998420&m=top(1,max):none:m");

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("functions: not allowed in a deletion"));
  EXPECT_EQ(Query(), before);
}

TEST_F(DeleteHandlerTest, TagsAloneDeleteOfAllMetrics) {
  config().Set("tsd.http.query.allow_delete", "true").IgnoreError();
  Put({"m", "host=a", kStartS, 1});
  Put({"n", "host=a dc=x", kStartS, 1});
  Put({"n", "host=b", kStartS, 2});
  const std::string target = "/api/query?start=1356998400&end=1356998460&m={}{host=a}";

  EXPECT_EQ(Send("DELETE " + target + "&dry_run").body,
            R"({"metrics":2,"series":2,"points":2,"dryRun":true})");
  EXPECT_THAT(Query(), HasSubstr("1356998400")) << "nothing is deleted";
  EXPECT_EQ(Send("DELETE " + target).body, R"({"metrics":2,"series":2,"points":2,"dryRun":false})");
  EXPECT_EQ(Query(), "[]");
  EXPECT_THAT(Send("GET /api/query?start=1356998400&m=none:n").body,
              HasSubstr(R"("tags":{"host":"b"})"));
}

TEST_F(DeleteHandlerTest, CountsReplaceThePointsOfTheAnswer) {
  config().Set("tsd.http.query.allow_delete", "true").IgnoreError();
  Put({"m", "host=a", kStartS, 1});
  EXPECT_EQ(Send("DELETE /api/query?start=1356998400&end=1356998460&m=sum:m&dry_run").body,
            R"({"metrics":1,"series":1,"points":1,"dryRun":true})");
  const std::string body = R"({"start":1356998400,"end":1356998401,"delete":true,"dryRun":true,)"
                           R"("queries":[{"aggregator":"sum","metric":"m"}]})";
  EXPECT_EQ(Send("POST /api/query", body).body,
            R"({"metrics":1,"series":1,"points":1,"dryRun":true})");
  EXPECT_EQ(Send("DELETE /api/query?start=1356998400&end=1356998460&m=sum:m&counts").body,
            R"({"metrics":1,"series":1,"points":1,"dryRun":false})");
  EXPECT_EQ(Query(), "[]");
}

TEST_F(DeleteHandlerTest, CountingNeedsNoPermissionToDelete) {
  ASSERT_FALSE(config().boolean("tsd.http.query.allow_delete"));
  Put({"m", "host=a", kStartS, 1});
  const std::string counts = R"({"metrics":1,"series":1,"points":1,"dryRun":true})";
  const std::string target = "/api/query?start=1356998400&end=1356998460&m=sum:m";
  EXPECT_EQ(Send("DELETE " + target + "&dry_run").body, counts);
  EXPECT_EQ(Send("GET " + target + "&method_override=delete&dry_run").body, counts);
  EXPECT_EQ(Send("POST /api/query", R"({"start":1356998400,"end":1356998401,"delete":true,)"
                                    R"("dryRun":true,"queries":[{"aggregator":"sum",)"
                                    R"("metric":"m"}]})")
                .body,
            counts);
  EXPECT_EQ(Send("DELETE " + target + "&counts").status, 400);
  EXPECT_THAT(Query(), HasSubstr("1356998400"));
}

TEST_F(DeleteHandlerTest, OnlyADeleteTakesTagsAlone) {
  config().Set("tsd.http.query.allow_delete", "true").IgnoreError();
  Put({"m", "host=a", kStartS, 1});
  const std::string before = Query();
  EXPECT_EQ(Send("GET /api/query?start=1356998400&m={host=a}").status, 400);
  const HttpResponse all = Send("DELETE /api/query?start=1356998400&m={}{}");
  EXPECT_EQ(all.status, 400);
  EXPECT_THAT(all.body, HasSubstr("expected a metric, or tags such as {}{host=web01}"));
  EXPECT_EQ(Send("DELETE /api/query?start=1356998400&m={}{host=z}").status, 400);
  EXPECT_EQ(Query(), before);
}

TEST_F(DeleteHandlerTest, TakesABody) {
  Put({"m", "host=a", kStartS, 1});
  const auto query = ParseQueryJson(
      R"({"start":1356998400,"end":1356998401,"delete":true,
          "queries":[{"aggregator":"sum","metric":"m"}]})",
      clock_.NowMs(), "");
  ASSERT_OK(query);
  EXPECT_TRUE(query->delete_points);

  EXPECT_EQ(Answer(*query).status, 200);
  EXPECT_EQ(Query(), "[]");
}

TEST_F(DeleteHandlerTest, AnUnknownNameIsAnErrorAndDeletesNothing) {
  Put({"m", "host=a", kStartS, 1});
  const std::string before = Query();

  const HttpResponse response = Delete("/api/query?start=1356998400&m=sum:m&m=sum:n");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("No such name for 'metrics': 'n'"));
  EXPECT_EQ(Query(), before);
}

TEST_F(DeleteHandlerTest, TheRefusalIsOpenTsdbs) {
  const HttpResponse response = DeleteRefused();
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("\"message\":\"Bad request\""));
  EXPECT_FALSE(config().boolean("tsd.http.query.allow_delete")) << "by default";
}

}  // namespace
}  // namespace hourcell::delete_handler_test
