#include "server/documents/view_handler.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/documents/stored_view.h"
#include "tests/server/api_fixture.h"

namespace hourcell::view_handler_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kDocument =
    "{\n  \"version\": 1, \"title\": \"Web\", \"start\": \"6h-ago\",\n"
    "  \"graphs\": [{\"queries\": [\"sum:m\"]}, {\"view\": \"Disks\"}]\n}\n";
constexpr const char* kEmpty = R"({"version":1,"graphs":[]})";

class ViewHandlerTest : public ApiTest {
 protected:
  // A change of the state `tag`.
  HttpResponse SendIf(std::string_view request_line, std::string tag, std::string body = "") {
    return Send(request_line, std::move(body),
                {{"content-type", "application/json"}, {"if-match", std::move(tag)}});
  }

  void StoreRow(std::string_view name, std::string text) {
    ASSERT_OK(tsdb().saved_views().Change(
        name, [&](const auto&) { return std::optional<std::string>(text); }));
  }
};

TEST_F(ViewHandlerTest, ADocumentComesBackAsItWasWritten) {
  const HttpResponse put = Send("PUT /api/views/Web%20servers", kDocument);
  EXPECT_EQ(put.status, 201);
  const HttpResponse got = Send("GET /api/v1/views/Web%20servers/");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, kDocument);
  EXPECT_EQ(Header(got, "ETag"), Header(put, "ETag"));
  EXPECT_EQ(Send("GET /api/views/web%20servers").status, 404) << "names differ by case";
}

TEST_F(ViewHandlerTest, TheListTellsOfEachView) {
  EXPECT_EQ(Send("GET /api/views").body, R"({"limit":1000,"views":[]})");
  const HttpResponse web = Send("PUT /api/views/Web", kDocument);
  const HttpResponse disks = Send("PUT /api/views/Disks", kEmpty);
  EXPECT_THAT(
      web.body,
      AllOf(HasSubstr(R"({"name":"Web","title":"Web","graphs":2,"start":"6h-ago","end":"")"),
            HasSubstr(R"("tz":"","refresh":0,"changed":1357300800000,"by":"","etag":)")));
  EXPECT_EQ(Send("GET /api/views").body,
            fmt::format(R"({{"limit":1000,"views":[{},{}]}})", disks.body, web.body));
}

TEST_F(ViewHandlerTest, OfTwoEditorsTheSecondIsTold) {
  const std::string seen = Header(Send("PUT /api/views/Web", kDocument), "ETag");
  clock_.Advance(60'000);
  const HttpResponse first = SendIf("PUT /api/views/Web", seen, kEmpty);
  EXPECT_EQ(first.status, 200);
  EXPECT_NE(Header(first, "ETag"), seen);

  const HttpResponse second = SendIf("PUT /api/views/Web", seen, kDocument);
  EXPECT_EQ(second.status, 412);
  EXPECT_EQ(Header(second, "ETag"), Header(first, "ETag"));
  EXPECT_THAT(second.body, HasSubstr("changed at 2013-01-04T12:01:00Z"));
  EXPECT_EQ(SendIf("DELETE /api/views/Web", seen).status, 412);
  EXPECT_EQ(Send("GET /api/views/Web").body, kEmpty);

  // A proxy that compresses makes the tag weak.
  EXPECT_EQ(SendIf("PUT /api/views/Web", "W/" + Header(first, "ETag"), kDocument).status, 200);
}

TEST_F(ViewHandlerTest, AViewThatWasRemovedIsNotCreatedByAnEditorOfItsOldState) {
  const std::string seen = Header(Send("PUT /api/views/Web", kDocument), "ETag");
  EXPECT_EQ(SendIf("DELETE /api/views/Web", seen).status, 204);
  const HttpResponse refused = SendIf("PUT /api/views/Web", seen, kDocument);
  EXPECT_EQ(refused.status, 412);
  EXPECT_THAT(refused.body, HasSubstr("there is none of that name"));
  EXPECT_EQ(Send("GET /api/views/Web").status, 404);
}

TEST_F(ViewHandlerTest, PostCreatesOnly) {
  EXPECT_EQ(Send("POST /api/views/Web", kDocument).status, 201);
  const HttpResponse again = Send("POST /api/views/Web", kEmpty);
  EXPECT_EQ(again.status, 409);
  EXPECT_THAT(again.body, HasSubstr("there is one of that name"));
  EXPECT_EQ(Send("GET /api/views/Web").body, kDocument);
}

TEST_F(ViewHandlerTest, AChangeNamesItsUser) {
  HttpRequest request;
  request.method = "PUT";
  request.target = "/api/views/Web";
  request.body = kDocument;
  request.user = "anna";
  ASSERT_OK(ParseTarget(&request));
  EXPECT_THAT(HandleViews(request, &tsdb(), &clock_).body, HasSubstr(R"("by":"anna")"));
  EXPECT_THAT(SendIf("DELETE /api/views/Web", "\"old\"").body, HasSubstr("changed by anna at "));
}

TEST_F(ViewHandlerTest, WhatCannotBeStoredIsRefused) {
  EXPECT_THAT(Send("PUT /api/views/Web", R"({"version":1,"graphs":{}})").body,
              HasSubstr("view: line 1, character 23: graphs: expected a list, got an object"));
  for (const char* const line : {"PUT /api/views", "PUT /api/views/a%2Fb", "PUT /api/views/a%0A"})
    EXPECT_EQ(Send(line, kEmpty).status, 400) << line;
  EXPECT_EQ(Send("GET /api/views/a%2Fb").status, 400);
  EXPECT_EQ(Send("DELETE /api/views/Web").status, 404);
  EXPECT_EQ(Send("GET /api/views").body, R"({"limit":1000,"views":[]})");
}

TEST_F(ViewHandlerTest, AFullStoreIsAConflict) {
  for (size_t i = 0; i < kSavedViewsMax; ++i)
    StoreRow(fmt::format("{}", i), PrintStoredView({}));
  EXPECT_EQ(Send("PUT /api/views/Web", kEmpty).status, 409);
  EXPECT_EQ(Send("PUT /api/views/1", kEmpty).status, 200);
}

TEST_F(ViewHandlerTest, DamageHidesNoOtherView) {
  StoreRow("damaged", "x");
  StoreRow("later", PrintStoredView({.document = R"({"version":2})"}));
  const std::string web = Send("PUT /api/views/Web", kEmpty).body;
  const std::string list = Send("GET /api/views").body;
  EXPECT_THAT(list, HasSubstr(R"({"name":"damaged","problem":"view: expected a line)"));
  EXPECT_THAT(list,
              HasSubstr(R"("problem":"view: line 1, character 12: version: expected 1, got 2")"));
  EXPECT_THAT(list, HasSubstr(web));
  EXPECT_EQ(Send("GET /api/views/damaged").status, 500);
  EXPECT_EQ(Send("PUT /api/views/damaged", kEmpty).status, 200);
  EXPECT_EQ(Send("DELETE /api/views/damaged").status, 204);
}

TEST_F(ViewHandlerTest, ReadersSeeAndWritersChange) {
  ASSERT_EQ(Send("PUT /api/views/Web", kEmpty).status, 201);
  rights_ = AccessRights::Read();
  EXPECT_EQ(Send("GET /api/views").status, 200);
  EXPECT_EQ(Send("GET /api/views/Web").status, 200);
  for (const char* const line :
       {"PUT /api/views/Web", "POST /api/views/x", "DELETE /api/views/Web"})
    EXPECT_EQ(Send(line, kEmpty).status, 403) << line;
  rights_ = AccessRights::Write();
  EXPECT_EQ(Send("GET /api/views").status, 403);
  EXPECT_EQ(Send("PUT /api/views/Web", kDocument).status, 200);
  EXPECT_EQ(Send("DELETE /api/views/Web").status, 204);
}

}  // namespace
}  // namespace hourcell::view_handler_test
