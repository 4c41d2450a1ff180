#include "server/admin/undo_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::undo_handler_test {
namespace {

using testing::HasSubstr;

constexpr const char* kSelection = "/api/query?start=1356998400&end=1356998401&m=sum:m";

class UndoHandlerTest : public ApiTest {
 protected:
  void SetUp() override {
    ASSERT_OK(config().Set("tsd.http.query.allow_delete", "true"));
    options().undo_s = 86'400;
  }

  HttpResponse SetTtl(const std::string& ttl) {
    return Send("POST /api/admin/ttl", R"({"metric":"m","ttl":")" + ttl + R"("})");
  }

  std::string Points() { return Send("GET " + std::string(kSelection)).body; }
};

TEST_F(UndoHandlerTest, ADeleteIsUndone) {
  Put({"m", "host=a", kStartS, 1});
  const std::string before = Points();
  EXPECT_EQ(Send("GET /api/admin/undo").body, R"({"deletions":[],"changes":[]})");

  const HttpResponse deleted = Send("DELETE " + std::string(kSelection) + "&counts");
  EXPECT_EQ(deleted.body, R"({"metrics":1,"series":1,"points":1,"undoId":1,"dryRun":false})");
  EXPECT_EQ(Points(), "[]");
  const HttpResponse list = Send("GET /api/admin/undo");
  EXPECT_THAT(list.body, HasSubstr(R"({"deletions":[{"id":1,"kind":"delete",)"));
  EXPECT_THAT(list.body, HasSubstr(R"("metrics":["m"],"series":1,"canBeUndone":true})"));

  const HttpResponse undone = Send("POST /api/admin/undo?id=1");
  EXPECT_EQ(undone.status, 200) << undone.body;
  EXPECT_EQ(undone.body, R"({"deletions":[],"changes":[]})");
  EXPECT_EQ(Points(), before);
}

TEST_F(UndoHandlerTest, ListsLeaveOutWhatIsDeleted) {
  Put({"m", "host=a", kStartS, 1});
  Put({"n", "host=b", kStartS, 1});
  const auto names = [this] {
    return Send("GET /api/suggest?type=metrics&q=").body +
           Send("GET /api/suggest?type=tagv&q=").body;
  };
  const auto series = [this] { return Send("GET /api/search/lookup?m=m").body; };
  EXPECT_EQ(names(), R"(["m","n"]["a","b"])");
  EXPECT_THAT(series(), HasSubstr(R"("totalResults":1)"));

  Send("DELETE " + std::string(kSelection));
  EXPECT_EQ(names(), R"(["n"]["b"])");
  EXPECT_THAT(series(), HasSubstr(R"("totalResults":0)"));

  EXPECT_EQ(Send("POST /api/admin/undo?id=1").status, 200);
  EXPECT_EQ(names(), R"(["m","n"]["a","b"])");
  EXPECT_THAT(series(), HasSubstr(R"("totalResults":1)"));
}

TEST_F(UndoHandlerTest, AForgottenDeleteCannotBeUndone) {
  Put({"m", "host=a", kStartS, 1});
  Send("DELETE " + std::string(kSelection) + "&counts");
  EXPECT_EQ(Send("POST /api/admin/undo?id=1&forget").status, 200);
  EXPECT_EQ(Send("POST /api/admin/undo?id=1").status, 404);
  EXPECT_EQ(Points(), "[]");
}

TEST_F(UndoHandlerTest, AShortenedTtlIsUndone) {
  ASSERT_OK(config().Set("tsd.http.ttl.allow_shorter", "true"));
  Put({"m", "host=a", kStartS, 1});
  const std::string before = Points();
  ASSERT_EQ(SetTtl("1h").status, 200);
  EXPECT_EQ(Points(), "[]");
  const std::string list = Send("GET /api/admin/undo").body;
  EXPECT_THAT(list, HasSubstr(R"({"deletions":[],"changes":[{"id":1,"kind":"ttl","changed":)"));
  EXPECT_THAT(list, HasSubstr(R"("metric":"m","since":3600}]})"));

  const HttpResponse undone = Send("POST /api/admin/undo?id=1");
  EXPECT_EQ(undone.status, 200) << undone.body;
  EXPECT_EQ(undone.body, R"({"deletions":[],"changes":[]})");
  EXPECT_EQ(Points(), before);
}

TEST_F(UndoHandlerTest, ATtlThatWasChangedSinceIsNotUndone) {
  ASSERT_OK(config().Set("tsd.http.ttl.allow_shorter", "true"));
  Put({"m", "host=a", kStartS, 1});
  ASSERT_EQ(SetTtl("2h").status, 200);
  ASSERT_EQ(SetTtl("1h").status, 200);
  const HttpResponse refused = Send("POST /api/admin/undo?id=1");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("the TTL of m was changed since"));
  EXPECT_EQ(Send("POST /api/admin/undo?id=2&forget").status, 200);
  EXPECT_EQ(Send("POST /api/admin/undo?id=2").status, 404);
}

TEST_F(UndoHandlerTest, ARenameIsUndone) {
  Put({"m", "host=a", kStartS, 1});
  const std::string before = Points();
  ASSERT_EQ(Send("POST /api/uid/rename", R"({"metric":"m","name":"wrong"})").status, 200);
  EXPECT_NE(Points(), before);
  EXPECT_THAT(Send("GET /api/admin/undo").body,
              HasSubstr(R"("type":"metrics","uid":"000001","name":"wrong","oldName":"m"}]})"));
  Put({"m", "host=a", kStartS, 1});
  EXPECT_EQ(Send("POST /api/admin/undo?id=1").status, 409);
  ASSERT_EQ(Send("POST /api/uid/rename", R"({"metric":"m","name":"other"})").status, 200);
  const HttpResponse undone = Send("POST /api/admin/undo?id=1");
  EXPECT_EQ(undone.status, 200) << undone.body;
  EXPECT_EQ(Points(), before);
  EXPECT_EQ(Send("POST /api/admin/undo?id=2&forget").body, R"({"deletions":[],"changes":[]})");
  EXPECT_EQ(Send("POST /api/admin/undo?id=2").status, 404);
}

TEST_F(UndoHandlerTest, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(Send("POST /api/admin/undo").status, 400);
  EXPECT_EQ(Send("POST /api/admin/undo?id=x").status, 400);
  EXPECT_EQ(Send("POST /api/admin/undo?id=7").status, 404);
  EXPECT_EQ(Send("DELETE /api/admin/undo?id=7").status, 405);
}

}  // namespace
}  // namespace hourcell::undo_handler_test
