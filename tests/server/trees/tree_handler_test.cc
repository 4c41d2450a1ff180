#include "server/trees/tree_handler.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/server/api_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::tree_handler_test {
namespace {

using simdjson::dom::element;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The trees of the vectors: "Test Tree" with the rules 0:0 TAGK host and 1:0 METRIC, "2nd Tree".
class TreeHandlerTest : public ApiTest {
 protected:
  void SetTrees() {
    ASSERT_EQ(Send("POST /api/tree", R"({"name":"Test Tree"})").status, 200);
    ASSERT_EQ(Send("POST /api/tree", R"({"name":"2nd Tree"})").status, 200);
    ASSERT_EQ(Send("POST /api/tree/rules",
                   R"([{"treeId":1,"level":0,"order":0,"type":"TAGK","field":"host"},)"
                   R"({"treeId":1,"level":1,"order":0,"type":"METRIC","notes":"Metric rule"}])")
                  .status,
              204);
  }
};

class OneVector : public TreeHandlerTest {
 public:
  explicit OneVector(const TestVector& vector) : vector_(vector) {}
  void TestBody() override {}

  void Run() {
    SetTrees();
    const element given = vector_.given;
    std::string body;
    if (Has(given, "body")) {
      body = given["body"].is_string() ? TextOf(given, "body") : simdjson::to_string(given["body"]);
    }
    const HttpResponse response = Send(TextOf(given, "method") + " " + TextOf(given, "url"), body);
    EXPECT_EQ(response.status, IntOf(vector_.expect, "status")) << response.body;
    if (Has(vector_.expect, "contains")) {
      for (const element part : vector_.expect["contains"].get_array())
        EXPECT_THAT(response.body, HasSubstr(std::string(std::string_view(part))));
    }
    if (!Has(vector_.expect, "lacks")) return;
    for (const element part : vector_.expect["lacks"].get_array())
      EXPECT_THAT(response.body, Not(HasSubstr(std::string(std::string_view(part)))));
  }

 private:
  const TestVector& vector_;
};

// branch_handler_test.cc has those of computed branches, whose store OpenTSDB's test makes up.
bool IsOfSeries(const TestVector& vector) {
  const std::string url = TextOf(vector.given, "url");
  return url.find("branch=") != url.npos || url.find("/collisions?treeid=1") != url.npos ||
         url.find("/notmatched") != url.npos;
}

TEST(TreeVectorsTest, TheVectorsAreAnswered) {
  int run = 0;
  for (const std::string area : {"tree-branch", "tree-rule"}) {
    for (const TestVector& vector : LoadVectors("rest.json", area)) {
      if (TextOf(vector.given, "kind") != "http" || IsOfSeries(vector)) continue;
      SCOPED_TRACE(simdjson::to_string(vector.given));
      OneVector(vector).Run();
      ++run;
    }
  }
  EXPECT_EQ(run, 27);
}

TEST_F(TreeHandlerTest, PutResetsTheFieldsThatAreNotGiven) {
  SetTrees();
  EXPECT_THAT(Send("POST /api/tree", R"({"treeId":1,"enabled":true,"notes":"n"})").body,
              AllOf(HasSubstr(R"("enabled":true)"), HasSubstr(R"("notes":"n")")));
  EXPECT_THAT(Send("PUT /api/tree", R"({"treeId":1,"name":"x"})").body,
              AllOf(HasSubstr(R"("enabled":false)"), HasSubstr(R"("notes":"")"),
                    HasSubstr(R"("field":"host")")));
  EXPECT_THAT(Send("POST /api/tree", R"({"treeId":1,"name":""})").body, HasSubstr(R"("name":"")"));
}

TEST_F(TreeHandlerTest, ANumberIsOneAboveTheHighest) {
  SetTrees();
  EXPECT_EQ(Send("DELETE /api/tree?treeid=1&definition=true").status, 204);
  EXPECT_EQ(Send("GET /api/tree?treeid=1").status, 404);
  EXPECT_THAT(Send("POST /api/tree", R"({"name":"3rd"})").body, HasSubstr(R"("treeId":3)"));
  EXPECT_EQ(Send("DELETE /api/tree?treeid=3").status, 204);
  EXPECT_EQ(Send("GET /api/tree?treeid=3").status, 200);
}

TEST_F(TreeHandlerTest, BadInputIsRefused) {
  SetTrees();
  const auto check = [this](std::string_view line, std::string body, std::string_view want,
                            int where) {
    testing::ScopedTrace trace(__FILE__, where, "this case");
    const HttpResponse response = Send(line, std::move(body));
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr(std::string(want)));
  };
  check("POST /api/tree", "{}", "Tree was missing the name", __LINE__);
  check("POST /api/tree", "[", "Unable to parse the given JSON", __LINE__);
  check("POST /api/tree", R"({"name":{}})", "name: not a string", __LINE__);
  check("GET /api/tree?treeid=x", "", "Unable to parse 'tree' value", __LINE__);
  check("GET /api/tree?treeid=-1", "", "Invalid Tree ID", __LINE__);
  check("POST /api/tree/rule", R"({"treeId":1,"level":2,"type":"metric","regex":"("})", "missing )",
        __LINE__);
  check("POST /api/tree/rule", R"({"treeId":1,"level":-2,"type":"metric"})", "Negative levels",
        __LINE__);
  check("POST /api/tree/rule", R"({"treeId":1,"level":"x","type":"metric"})",
        "Unable to parse the 'level' parameter", __LINE__);
  check("POST /api/tree/rules", R"([{"treeId":1,"type":"nosuch"}])", "expected METRIC", __LINE__);
  check("POST /api/tree/rules", "[]", "Missing tree rules", __LINE__);
  check("POST /api/tree/rules", "[1]", "rule: not an object", __LINE__);
}

TEST_F(TreeHandlerTest, ARefusedListOfRulesChangesNone) {
  SetTrees();
  const std::string before = Send("GET /api/tree?treeid=1").body;
  EXPECT_EQ(Send("PUT /api/tree/rules",
                 R"([{"treeId":1,"level":5,"type":"METRIC"},{"treeId":1,"type":"TAGK"}])")
                .status,
            400);
  EXPECT_EQ(Send("GET /api/tree?treeid=1").body, before);
}

TEST_F(TreeHandlerTest, DamageHidesNoOtherTree) {
  SetTrees();
  const std::string first = Send("GET /api/tree?treeid=1").body;
  const std::string third = Send("POST /api/tree", R"({"name":"3rd"})").body;
  ASSERT_OK(tsdb().names().ChangeTree(
      2, [](const auto&) { return std::optional<std::string>("damage"); }));
  const HttpResponse list = Send("GET /api/tree");
  EXPECT_EQ(list.status, 200);
  EXPECT_THAT(
      list.body,
      AllOf(StartsWith("[" + first +
                       R"(,{"treeId":2,"problem":"tree 2: expected the JSON of a tree, got )"),
            EndsWith("\"}," + third + "]")));
  EXPECT_EQ(Send("GET /api/tree?treeid=2").status, 500);
}

TEST_F(TreeHandlerTest, ADamagedTreeCanBeRemoved) {
  ASSERT_OK(tsdb().names().ChangeTree(
      1, [](const auto&) { return std::optional<std::string>("damage"); }));
  EXPECT_EQ(Send("GET /api/tree?treeid=1").status, 500);
  EXPECT_EQ(Send("DELETE /api/tree?treeid=1&definition=true").status, 204);
  EXPECT_EQ(Send("GET /api/tree").body, "[]");
}

}  // namespace
}  // namespace hourcell::tree_handler_test
