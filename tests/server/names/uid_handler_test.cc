#include "server/names/uid_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell::uid_handler_test {
namespace {

using testing::HasSubstr;

class UidHandlerTest : public ApiTest {
 protected:
  // Sends what a vector gives, to a store of its own.
  static HttpResponse Answer(const TestVector& vector) {
    class Store : public ApiTest {
     public:
      void TestBody() override {}
      using ApiTest::Send;
      using ApiTest::tsdb;
    } store;
    const std::string http = TextOf(vector.given, "http");
    if (http.find("datacenter") != std::string::npos) {
      EXPECT_OK(store.tsdb().names().AssignUid(UidKind::kTagk, "datacenter"));
    }
    if (Has(vector.given, "state")) {
      // The store gives UIDs in order: sys.cpu.1 has the second once another has the first.
      EXPECT_OK(store.tsdb().names().AssignUid(UidKind::kMetric, "sys.cpu.0"));
      EXPECT_OK(store.tsdb().names().AssignUid(UidKind::kMetric, "sys.cpu.1"));
      if (http.find("sys.cpu.1") == std::string::npos) {
        EXPECT_OK(store.tsdb().names().RenameUid(UidKind::kMetric, "sys.cpu.0", "sys.cpu.other"));
      }
    }
    const bool has_body = Has(vector.given, "body") && vector.given["body"].is_string();
    return store.Send(http, has_body ? TextOf(vector.given, "body") : "");
  }
};

TEST_F(UidHandlerTest, AnswersTheVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "uid")) {
    SCOPED_TRACE(vector.from + "\n" + TextOf(vector.given, "http"));
    const HttpResponse response = Answer(vector);
    EXPECT_EQ(response.status, IntOf(vector.expect, "status"));
    if (Has(vector.expect, "body")) {
      // Of sys.cpu.0 the vector's store has the first number free; ours gives the next one.
      std::string want = TextOf(vector.expect, "body");
      const size_t uid = want.find("\"000001\"");
      if (uid != std::string::npos) want.replace(uid, 8, "\"000003\"");
      EXPECT_EQ(response.body, want);
    }
    if (Has(vector.expect, "body_contains")) {
      for (const std::string_view part : simdjson::dom::array(vector.expect["body_contains"]))
        EXPECT_THAT(response.body, HasSubstr(std::string(part)));
    }
    ++run;
  }
  EXPECT_EQ(run, 12);
}

TEST_F(UidHandlerTest, AssignsNamesOfAllKindsOneByOne) {
  const HttpResponse first = Send("GET /api/uid/assign?metric=b,,a&tagk=host&tagv=web01");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, R"({"metric":{"a":"000002","b":"000001"},"tagk":{"host":"000001"},)"
                        R"("tagv":{"web01":"000001"}})");

  const HttpResponse second =
      Send("POST /api/uid/assign", R"({"metric":["c","a","!"],"tagk":["dc"]})");
  EXPECT_EQ(second.status, 400);
  EXPECT_EQ(second.body, R"({"metric":{"c":"000003"},"metric_errors":{)"
                         R"("!":"Invalid metric (\"!\"): illegal character: !",)"
                         R"("a":"Name already exists with UID: 000002"},"tagk":{"dc":"000002"}})");
  EXPECT_THAT(tsdb().names().FindUid(UidKind::kMetric, "c").status(), IsOk());
}

TEST_F(UidHandlerTest, RenamesAndSaysWhyNot) {
  ASSERT_EQ(Send("GET /api/uid/assign?metric=a,b").status, 200);

  EXPECT_EQ(Send("POST /api/uid/rename", R"({"metric":"a","name":"c"})").body,
            R"({"result":"true"})");
  EXPECT_THAT(tsdb().names().FindUid(UidKind::kMetric, "c").status(), IsOk());

  struct Case {
    const char* body;
    const char* says;
  };
  for (const auto& [body, says] :
       {Case{R"({"metric":"gone","name":"d"})", "No such name for 'metrics': 'gone'"},
        Case{R"({"metric":"b","name":"c"})", "c"},
        Case{R"({"metric":"b","name":"!"})", "illegal character"}}) {
    const HttpResponse response = Send("POST /api/uid/rename", body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_THAT(response.body, HasSubstr(R"({"result":"false","error":")")) << body;
    EXPECT_THAT(response.body, HasSubstr(says)) << body;
  }
}

TEST_F(UidHandlerTest, RefusesWhatMakesNoSense) {
  struct Case {
    const char* line;
    const char* body;
    int status;
    const char* says;
  };
  for (const auto& [line, body, status, says] :
       {Case{"POST /api/uid/assign", R"({"metric":"a"})", 400, "array of names"},
        Case{"POST /api/uid/assign", R"({"host":["a"]})", 400, "metric, tagk or tagv"},
        Case{"POST /api/uid/assign", R"({"metric":[1]})", 400, "array of names"},
        Case{"POST /api/uid/assign", R"({"metric":[]})", 400, "Missing values to assign UIDs"},
        Case{"POST /api/uid/rename", R"({"metric":"a","tagk":"b","name":"c"})", 400, "two kinds"},
        Case{"POST /api/uid/rename", R"({"metric":1,"name":"c"})", 400, "Unable to parse"},
        Case{"POST /api/uid/rename", "", 400, "Missing message content"},
        Case{"GET /api/uid/rename?metric=a", "", 400, "Missing necessary values to rename UID"},
        Case{"PUT /api/uid/assign", "{}", 405, "Method not allowed"},
        Case{"GET /api/uid", "", 501, "Other UID endpoints have not been implemented yet"},
        Case{"GET /api/uid/nosuch?uid=000001", "", 501, "Other UID endpoints"},
        Case{"DELETE /api/v1/UID/other", "", 501, "Other UID endpoints"}}) {
    const HttpResponse response = Send(line, body);
    EXPECT_EQ(response.status, status) << line << body;
    EXPECT_THAT(response.body, HasSubstr(says)) << line << body;
  }
}

TEST_F(UidHandlerTest, IsAbsentInModeRo) {
  ASSERT_OK(config().Set("tsd.mode", "ro"));
  EXPECT_EQ(Send("GET /api/uid/assign?metric=a").status, 404);
  EXPECT_EQ(Send("GET /api/uid/rename?metric=a&name=b").status, 404);
  EXPECT_EQ(Send("GET /api/uid/other").status, 404);
}

TEST_F(UidHandlerTest, ManyNamesCountInTheMemoryOfQueries) {
  options().query_memory_bytes = 64 << 10;
  std::string names = "a";
  for (int i = 0; i < 200; ++i)
    names += ",n" + std::to_string(i);

  EXPECT_EQ(Send("GET /api/uid/assign?metric=" + names).status, 413);
  EXPECT_THAT(Send("GET /api/uid/assign?metric=" + names).body, HasSubstr("tsd.query.memory"));
  EXPECT_THAT(tsdb().names().FindUid(UidKind::kMetric, "a"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(Send("GET /api/uid/assign?metric=a,n1").status, 200);
}

}  // namespace
}  // namespace hourcell::uid_handler_test
