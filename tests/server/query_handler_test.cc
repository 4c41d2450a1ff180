#include "server/query_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

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

TEST(QueryErrorTest, MapsStatusesToHttp) {
  EXPECT_EQ(QueryError(absl::InvalidArgumentError("x")).status, 400);
  EXPECT_EQ(QueryError(absl::NotFoundError("x")).status, 400);
  EXPECT_EQ(QueryError(absl::UnimplementedError("x")).status, 400);
  EXPECT_EQ(QueryError(absl::ResourceExhaustedError("x")).status, 413);
  EXPECT_EQ(QueryError(absl::DeadlineExceededError("x")).status, 413);
  EXPECT_EQ(QueryError(absl::DataLossError("x")).status, 500);
  EXPECT_EQ(QueryError(absl::UnavailableError("x")).status, 503);
  EXPECT_EQ(QueryError(absl::NotFoundError("x")).body,
            R"({"error":{"code":400,"message":"x","details":"x"}})");
}

}  // namespace
}  // namespace hourcell
