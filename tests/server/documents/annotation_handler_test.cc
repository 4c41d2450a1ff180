#include "server/documents/annotation_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell::annotation_handler_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTsuid = "000001000001000001";
constexpr const char* kStored =
    R"({"tsuid":"000001000001000001","startTime":1388450562,"endTime":0,)"
    R"("description":"Hello!","notes":"My Notes","custom":null})";

class AnnotationHandlerTest : public ApiTest {
 protected:
  // The state that the vectors speak of.
  void StoreThoseOfVectors() {
    const AnnotationEdit edits[] = {
        {.tsuid = kTsuid, .start_time = 1388450562, .description = "Hello!", .notes = "My Notes"},
        {.tsuid = "", .start_time = 1328140800, .description = "Description", .notes = "Notes"}};
    ASSERT_OK(tsdb().annotations().Put(edits, AnnotationWrite::kMerge));
  }

  int StatusOf(std::string_view request_line, std::string body = "") {
    return Send(request_line, std::move(body)).status;
  }
};

TEST_F(AnnotationHandlerTest, AnswersTheVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "annotation")) {
    const std::string http = TextOf(vector.given, "http");
    SCOPED_TRACE(vector.from + "\n" + http);
    StoreThoseOfVectors();
    const bool has_body = vector.given["body"].is_string();
    const HttpResponse response = Send(http, has_body ? TextOf(vector.given, "body") : "");
    EXPECT_EQ(response.status, IntOf(vector.expect, "status"));
    if (Has(vector.expect, "message")) {
      EXPECT_THAT(response.body, HasSubstr(TextOf(vector.expect, "message")));
    }
    if (Has(vector.expect, "contains")) {
      for (const std::string_view part : simdjson::dom::array(vector.expect["contains"]))
        EXPECT_THAT(response.body, HasSubstr(std::string(part)));
    }
    ++run;
  }
  EXPECT_EQ(run, 6);
  EXPECT_THAT(tsdb().annotations().Get(kTsuid, 1388450562), IsOkAndHolds(std::nullopt));
}

TEST_F(AnnotationHandlerTest, GetsOneByQueryStringOrBody) {
  StoreThoseOfVectors();

  for (const char* const request :
       {"GET /api/annotation?tsuid=000001000001000001&start_time=1388450562",
        "GET /api/annotation?tsuid=000001000001000001&start_time=1388450562000",
        "GET /api/v1/Annotation/?tsuid=000001000001000001&start_time=2013/12/31-00:42:42"}) {
    EXPECT_EQ(Send(request).body, kStored) << request;
  }
  EXPECT_EQ(
      Send("GET /api/annotation", R"({"tsuid":"000001000001000001","startTime":"1388450562"})")
          .body,
      kStored);
  EXPECT_THAT(Send("GET /api/annotation?start_time=1328140800").body,
              HasSubstr(R"({"tsuid":null,"startTime":1328140800,)"));
  EXPECT_THAT(Send("GET /api/annotation?start_time=1388450562").body,
              HasSubstr("Unable to locate annotation in storage"));
}

TEST_F(AnnotationHandlerTest, PostMergesAndPutReplaces) {
  StoreThoseOfVectors();

  const HttpResponse merged = Send(
      "POST /api/annotation?tsuid=000001000001000001&start_time=1388450562"
      "&end_time=1388450600&description=d");
  EXPECT_EQ(merged.status, 200);
  EXPECT_EQ(merged.body, R"({"tsuid":"000001000001000001","startTime":1388450562,)"
                         R"("endTime":1388450600,"description":"d","notes":"My Notes",)"
                         R"("custom":null})");

  const HttpResponse replaced =
      Send("PUT /api/annotation",
           R"({"tsuid":"000001000001000001","startTime":1388450562,"custom":{"b":"2","a":"1"}})");
  EXPECT_EQ(replaced.status, 200);
  EXPECT_EQ(replaced.body, R"({"tsuid":"000001000001000001","startTime":1388450562,"endTime":0,)"
                           R"("description":"","notes":"","custom":{"a":"1","b":"2"}})");
  EXPECT_EQ(Send("GET /api/annotation?tsuid=000001000001000001&start_time=1388450562").body,
            replaced.body);
}

TEST_F(AnnotationHandlerTest, WritesMillisecondsBySpelling) {
  EXPECT_THAT(Send("POST /api/annotation?start_time=1388450562500&notes=n").body,
              HasSubstr(R"("startTime":1388450562500,)"));
  EXPECT_THAT(Send("POST /api/annotation?start_time=1388450563000&notes=n").body,
              HasSubstr(R"("startTime":1388450563,)"));
  EXPECT_THAT(Send("POST /api/annotation", R"({"startTime":1388450564000,"notes":"n"})").body,
              HasSubstr(R"("startTime":1388450564000,)"));
}

TEST_F(AnnotationHandlerTest, WhatSetsNothingIsNotModified) {
  StoreThoseOfVectors();
  for (const char* const method : {"POST", "PUT"}) {
    const std::string line = std::string(method) + " /api/annotation";
    const HttpResponse response =
        Send(line, R"({"tsuid":"000001000001000001","startTime":1388450562})");
    EXPECT_EQ(response.status, 304);
    EXPECT_EQ(response.body, "");
  }
  EXPECT_EQ(Send("GET /api/annotation?tsuid=000001000001000001&start_time=1388450562").body,
            kStored);
  // OpenTSDB compares with nothing but the defaults: the same once more is a change to it.
  EXPECT_EQ(StatusOf("POST /api/annotation?start_time=1328140800&notes=Notes"), 200);
}

TEST_F(AnnotationHandlerTest, DeletesOne) {
  StoreThoseOfVectors();
  const HttpResponse response = Send("DELETE /api/annotation?start_time=1328140800");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(StatusOf("GET /api/annotation?start_time=1328140800"), 404);
  EXPECT_EQ(StatusOf("DELETE /api/annotation", R"({"startTime":1328140800})"), 204);
}

TEST_F(AnnotationHandlerTest, RefusesWhatMakesNoSense) {
  struct Case {
    const char* line;
    const char* body;
    int status;
    const char* says;
  };
  for (const auto& [line, body, status, says] :
       {Case{"GET /api/annotation", "", 400, "Missing start time"},
        Case{"POST /api/annotation", R"({"notes":"n"})", 400, "Missing start time"},
        Case{"POST /api/annotation?start_time=0&notes=n", "", 400, "Missing start time"},
        Case{"POST /api/annotation", "[]", 400, "Unable to parse the given JSON"},
        Case{"GET /api/annotation?start_time=yesterday", "", 400, "yesterday"},
        Case{"GET /api/annotation?start_time=5000000000000", "", 400, "bad timestamp"},
        Case{"GET /api/annotation?start_time=1&tsuid=00", "", 400, "tsuid 00"},
        Case{"POST /api/annotation?start_time=1&notes=n&tsuid=host", "", 400, "not hex"},
        Case{"DELETE /api/annotation?start_time=1&tsuid=000001", "", 400, "tsuid 000001"},
        Case{"POST /api/annotation?start_time=1&notes=%ff", "", 400, "not UTF-8"},
        Case{"GET /api/annotation?start_time=1&method_override=patch", "", 405, "not permitted"},
        Case{"GET /api/annotation/bulk", "", 405, "not permitted"},
        Case{"POST /api/annotation/bulk", "", 400, "Missing message content"},
        Case{"POST /api/annotation/bulk", R"([{"startTime":5,"notes":"n"},{"notes":"n"}])", 400,
             "Annotation error: number 2"},
        Case{"GET /api/annotation/other", "", 404, "Endpoint not found"},
        Case{"GET /api/annotations", "", 400, "Missing start time"},
        Case{"GET /api/annotations?start_time=20&end_time=10", "", 400, "cannot be less"}}) {
    const HttpResponse response = Send(line, body);
    EXPECT_EQ(response.status, status) << line;
    EXPECT_THAT(response.body, HasSubstr(says)) << line;
  }
  EXPECT_EQ(StatusOf("GET /api/annotation?start_time=5"), 404);
}

TEST_F(AnnotationHandlerTest, BulkWritesAnswerWhatIsStored) {
  StoreThoseOfVectors();
  const HttpResponse merged =
      Send("POST /api/annotation/bulk",
           R"([{"startTime":1328140800,"notes":"n"},{"startTime":7},)"
           R"({"tsuid":"000001000001000001","startTime":8,"description":"d"}])");
  EXPECT_EQ(merged.status, 200);
  EXPECT_EQ(merged.body,
            R"([{"tsuid":null,"startTime":1328140800,"endTime":0,"description":"Description",)"
            R"("notes":"n","custom":null},{"tsuid":"000001000001000001","startTime":8,)"
            R"("endTime":0,"description":"d","notes":"","custom":null}])");
  EXPECT_EQ(Send("PUT /api/annotation/bulk", R"([{"startTime":1328140800,"notes":"m"}])").body,
            R"([{"tsuid":null,"startTime":1328140800,"endTime":0,"description":"",)"
            R"("notes":"m","custom":null}])");
  EXPECT_EQ(Send("PUT /api/annotation/bulk", "[]").body, "[]");

  // One that cannot be stored keeps the others out.
  EXPECT_EQ(StatusOf("POST /api/annotation/bulk",
                     R"([{"startTime":9,"notes":"n"},{"startTime":9,"tsuid":"0","notes":"n"}])"),
            400);
  EXPECT_EQ(StatusOf("GET /api/annotation?start_time=9"), 404);
}

TEST_F(AnnotationHandlerTest, BulkDeletesByRange) {
  StoreThoseOfVectors();
  ASSERT_EQ(StatusOf("POST /api/annotation?start_time=1388450561&notes=n"), 200);

  EXPECT_EQ(Send("DELETE /api/annotation/bulk",
                 R"({"startTime":"1388450560","endTime":1388450568000,)"
                 R"("tsuids":["000001000001000001","000001000001000002"]})")
                .body,
            R"({"tsuids":["000001000001000001","000001000001000002"],"global":false,)"
            R"("startTime":1388450560000,"endTime":1388450568000,"totalDeleted":1})");
  // The clock stands at 2013-01-04, before that global one.
  EXPECT_THAT(Send("DELETE /api/annotation/bulk?start_time=1328140800&global").body,
              HasSubstr(R"({"tsuids":null,"global":true,"startTime":1328140800000,)"
                        R"("endTime":1357300800000,"totalDeleted":1})"));
  EXPECT_THAT(Send("GET /api/annotation/bulk?start_time=0&end_time=1388450600&global&tsuids="
                   "000001000001000001,%20000001000001000002&method_override=delete")
                  .body,
              HasSubstr(R"("totalDeleted":1})"));

  struct Case {
    const char* body;
    const char* says;
  };
  for (const auto& [body, says] :
       {Case{R"({"global":true})", "Missing the start time value"},
        Case{R"({"startTime":0})", "Missing the TSUIDs or global annotations flag"},
        Case{R"({"startTime":0,"tsuids":[]})", "Missing the TSUIDs or global annotations flag"},
        Case{R"({"startTime":0,"tsuids":["x"]})", "not hex"},
        Case{R"({"startTime":0,"tsuids":[""]})", "tsuid: empty"},
        Case{R"({"startTime":"soon","global":true})", "soon"},
        Case{R"({"startTime":10,"endTime":9,"global":true})", "cannot be less"}}) {
    const HttpResponse response = Send("DELETE /api/annotation/bulk", body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_THAT(response.body, HasSubstr(says)) << body;
  }
}

TEST_F(AnnotationHandlerTest, ListsGlobalOnes) {
  StoreThoseOfVectors();
  ASSERT_EQ(StatusOf("POST /api/annotations?start_time=1328140900&notes=second"), 200);

  const std::string both = Send("GET /api/annotations?start_time=1328140000").body;
  EXPECT_THAT(both, HasSubstr(R"([{"tsuid":null,"startTime":1328140800,)"));
  EXPECT_THAT(both, HasSubstr(R"(},{"tsuid":null,"startTime":1328140900,)"));
  EXPECT_EQ(Send("GET /api/annotations?start_time=1328140000&end_time=1328140799").body, "[]");
  EXPECT_THAT(Send("GET /api/annotations", R"({"startTime":1328140801})").body,
              Not(HasSubstr("1328140800")));
}

TEST_F(AnnotationHandlerTest, ReadsAreAbsentInModeWo) {
  ASSERT_OK(config().Set("tsd.mode", "wo"));
  EXPECT_EQ(StatusOf("POST /api/annotation?start_time=5&notes=n"), 200);
  EXPECT_EQ(StatusOf("GET /api/annotation?start_time=5"), 404);
  EXPECT_EQ(StatusOf("GET /api/annotations?start_time=5"), 404);
  EXPECT_EQ(StatusOf("GET /api/annotation?start_time=5&method_override=delete"), 204);
}

TEST_F(AnnotationHandlerTest, WritesAreAbsentInModeRo) {
  ASSERT_OK(config().Set("tsd.mode", "ro"));
  for (const char* const method : {"POST", "PUT", "DELETE"}) {
    EXPECT_EQ(StatusOf(std::string(method) + " /api/annotation?start_time=5&notes=n"), 404);
    EXPECT_EQ(StatusOf(std::string(method) + " /api/annotation/bulk?start_time=5&global"), 404);
  }
  EXPECT_EQ(StatusOf("GET /api/annotation?start_time=5&notes=n&method_override=post"), 404);
  EXPECT_EQ(StatusOf("GET /api/annotations?start_time=5"), 200);
}

TEST_F(AnnotationHandlerTest, QueriesShowThem) {
  Put({"m", "host=a", kStartS, 1});
  ASSERT_EQ(StatusOf("POST /api/annotation",
                     R"({"tsuid":"000001000001000001","startTime":1356998401,"notes":"n"})"),
            200);
  ASSERT_EQ(StatusOf("POST /api/annotation?start_time=1356998402&notes=g"), 200);
  const std::string query = "GET /api/query?start=1356998400&end=1356998410&m=sum:m";
  constexpr const char* kLocal =
      R"("annotations":[{"tsuid":"000001000001000001","startTime":1356998401,"endTime":0,)"
      R"("description":"","notes":"n","custom":null}])";
  constexpr const char* kGlobal =
      R"("globalAnnotations":[{"tsuid":null,"startTime":1356998402,"endTime":0,)"
      R"("description":"","notes":"g","custom":null}])";

  EXPECT_EQ(Send(query).body,
            std::string(R"([{"metric":"m","tags":{"host":"a"},"aggregateTags":[],)") + kLocal +
                R"(,"dps":{"1356998400":1}}])");
  EXPECT_THAT(Send(query + "&global_annotations").body,
              HasSubstr(std::string(kLocal) + "," + kGlobal + R"(,"dps")"));
  EXPECT_THAT(Send(query + "&global_annotations&no_annotations").body,
              Not(HasSubstr("nnotations")));
  EXPECT_THAT(Send("POST /api/query", R"({"start":1356998400,"end":1356998410,)"
                                      R"("globalAnnotations":true,)"
                                      R"("queries":[{"aggregator":"sum","metric":"m"}]})")
                  .body,
              HasSubstr(kGlobal));
  // Out of the time range, though in the hour.
  EXPECT_THAT(Send("GET /api/query?start=1356998400&end=1356998400500&m=sum:m").body,
              Not(HasSubstr("annotations")));
}

}  // namespace
}  // namespace hourcell::annotation_handler_test
