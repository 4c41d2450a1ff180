#include "server/names/suggest_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"
#include "tests/server/rollups/rollup_test_rules.h"
#include "tests/support/vectors.h"

namespace hourcell::suggest_handler_test {
namespace {

using testing::HasSubstr;

class SuggestHandlerTest : public ApiTest {
 protected:
  // The state the vectors speak of.
  void CreateNamesOfVectors() {
    Put({"sys.cpu.0.system", "host=web01.mysite.com", kStartS, 1});
    Put({"sys.mem.free", "host=web01.mysite.com", kStartS, 1});
  }
};

TEST_F(SuggestHandlerTest, AnswersTheVectors) {
  CreateNamesOfVectors();
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "suggest")) {
    const std::string http = TextOf(vector.given, "http");
    SCOPED_TRACE(http);
    const bool has_body = Has(vector.given, "body") && vector.given["body"].is_string();
    const HttpResponse response = Send(http, has_body ? TextOf(vector.given, "body") : "");
    EXPECT_EQ(response.status, IntOf(vector.expect, "status"));
    if (Has(vector.expect, "body")) {
      EXPECT_EQ(response.body, TextOf(vector.expect, "body"));
    }
    ++run;
  }
  EXPECT_EQ(run, 9);
}

TEST_F(SuggestHandlerTest, PostTakesNumbersAndTheirText) {
  CreateNamesOfVectors();

  EXPECT_EQ(Send("POST /api/suggest", R"({"type":"metrics","q":"sys","max":1})").body,
            R"(["sys.cpu.0.system"])");
  EXPECT_EQ(Send("POST /api/suggest", R"({"type":"metrics","max":"2"})").body,
            R"(["sys.cpu.0.system","sys.mem.free"])");
}

// A name gets its first series with its first point, and loses the last one when that is dropped.
TEST_F(SuggestHandlerTest, NamesWithoutSeriesAreLeftOut) {
  CreateNamesOfVectors();
  ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "sys.gone"));
  ASSERT_OK(tsdb().names().AssignUid(UidKind::kTagv, "web02"));

  EXPECT_EQ(Send("GET /api/suggest?type=metrics&q=sys").body,
            R"(["sys.cpu.0.system","sys.mem.free"])");
  EXPECT_EQ(Send("GET /api/suggest?type=metrics&q=sys&all").body,
            R"(["sys.cpu.0.system","sys.gone","sys.mem.free"])");
  EXPECT_EQ(Send("POST /api/suggest", R"({"type":"metrics","q":"sys.g","all":true})").body,
            R"(["sys.gone"])");
  EXPECT_EQ(Send("POST /api/suggest", R"({"type":"metrics","q":"sys.g"})").body, "[]");
  EXPECT_EQ(Send("GET /api/suggest?type=tagv&q=web0").body, R"(["web01.mysite.com"])");
  EXPECT_EQ(Send("GET /api/suggest?type=tagv&q=web0&all").body, R"(["web01.mysite.com","web02"])");

  Put({"sys.gone", "host=web02", kStartS, 1});
  EXPECT_EQ(Send("GET /api/suggest?type=metrics&q=sys.g").body, R"(["sys.gone"])");
  EXPECT_EQ(Send("GET /api/suggest?type=tagv&q=web0").body, R"(["web01.mysite.com","web02"])");
  ASSERT_OK(tsdb().maintenance().Flush());
  EXPECT_EQ(Send("GET /api/suggest?type=metrics&q=sys.g").body, R"(["sys.gone"])");
}

TEST_F(SuggestHandlerTest, MetricsOfRollupsAreLeftOut) {
  options().rollups = MakeTestRules().config;
  Put({"sys.cpu", "host=a", kStartS, 1});
  Put({"_rollup/1h-sum/sys.cpu", "host=a", kStartS, 1});
  Put({"_rollup/1h-sum/sys.mem", "host=a", kStartS, 1});
  ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "sys.gone"));

  EXPECT_EQ(Send("GET /api/suggest?type=metrics&q=").body, R"(["sys.cpu","sys.mem"])")
      << "sys.mem has rollups alone";
  EXPECT_EQ(Send("GET /api/suggest?type=metrics&q=_rollup/").body,
            R"(["_rollup/1h-sum/sys.cpu","_rollup/1h-sum/sys.mem"])");
  EXPECT_THAT(Send("GET /api/suggest?type=metrics&q=_&all").body, HasSubstr("_rollup/1h-sum"));
}

TEST_F(SuggestHandlerTest, GivesTwentyFiveNamesUnlessToldOtherwise) {
  for (int i = 0; i < 30; ++i) {
    Put({"m", "host=v" + std::to_string(100 + i), kStartS, 1});
  }

  const auto names_in = [](const std::string& body) {
    return std::count(body.begin(), body.end(), ',') + 1;
  };
  EXPECT_EQ(names_in(Send("GET /api/suggest?type=tagv").body), 25);
  EXPECT_EQ(names_in(Send("GET /api/suggest?type=tagv&max=1000000000000").body), 30);
  EXPECT_EQ(names_in(Send("GET /api/suggest?type=tagv&max=99999999999999999999").body), 30);
  EXPECT_EQ(names_in(Send("GET /api/suggest?type=tagv&max=3").body), 3);
}

TEST_F(SuggestHandlerTest, SaysWhatIsWrong) {
  const auto check = [this](std::string_view request, const std::string& body,
                            const std::string& want) {
    const HttpResponse response = Send(request, body);
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr("\"message\":\"" + want)) << request;
  };
  check("GET /api/suggest", "", "Missing parameter <code>type</code>");
  check("GET /api/suggest?type=x", "", "Invalid 'type' parameter:x");
  check("GET /api/suggest?type=tagv&max=1x", "", "Unable to parse 'max' as a number");
  check("GET /api/suggest?type=tagv&max=0", "", "Count must be greater than 0");
  check("GET /api/suggest?type=tagv&max=-99999999999999999999", "", "Count must be greater");
  check("POST /api/suggest", "", "Missing message content");
  check("POST /api/suggest", "[", "Unable to parse the given JSON");
  check("POST /api/suggest", "{}", "Missing 'type' parameter");
}

TEST_F(SuggestHandlerTest, AnswersOutsideOfTheApiToo) {
  CreateNamesOfVectors();

  EXPECT_EQ(Send("GET /suggest?type=tagk&q=h").body, R"(["host"])");
  EXPECT_EQ(Send("POST /suggest", "{}").status, 405);
}

}  // namespace
}  // namespace hourcell::suggest_handler_test
