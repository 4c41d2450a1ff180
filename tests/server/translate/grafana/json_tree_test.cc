#include "server/translate/grafana/json_tree.h"

#include <memory>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/text/json_scalar.h"

namespace hourcell::json_tree_test {
namespace {

using testing::HasSubstr;

std::unique_ptr<JsonTree> Tree(std::string_view text) {
  auto tree = JsonTree::Parse(text);
  EXPECT_TRUE(tree.ok()) << tree.status();
  return tree.ok() ? *std::move(tree) : nullptr;
}

TEST(JsonTreeTest, AnUnchangedTextKeepsItsBytes) {
  for (const std::string_view text :
       {R"({})", R"( [ ] )", "\n{ \"a\" : 1.0 , \"b\":[1 ,2e3, {}],\t\"a\":\"\\u0041\\n\" }\n",
        R"([{"x":null},true,-0,123456789012345678901234567890])", R"("text")", "17"}) {
    EXPECT_EQ(Tree(text)->Text(), text);
  }
}

TEST(JsonTreeTest, ChangesKeepTheFormOfTheirNeighbours) {
  const auto tree = Tree("{\n  \"a\": 1,\n  \"b\": [\n    1\n  ],\n  \"c\": null\n}");
  tree->SetText(&tree->root(), "a", "x\"y");
  tree->Set(&tree->root(), "d", "true");
  JsonTree::Remove(&tree->root(), "c");
  tree->Append(tree->root().Find("b"), "{}");

  EXPECT_EQ(tree->Text(),
            "{\n  \"a\": \"x\\\"y\",\n  \"b\": [\n    1,\n    {}\n  ],\n  \"d\": true\n}");
}

TEST(JsonTreeTest, TheFirstMemberKeepsItsPlace) {
  const auto tree = Tree("{\"a\": 1, \"b\": 2}");
  JsonTree::Remove(&tree->root(), "a");
  EXPECT_EQ(tree->Text(), "{\"b\": 2}");
}

TEST(JsonTreeTest, EmptyContainersTakeItems) {
  const auto tree = Tree("{\"a\":[]}");
  tree->Append(tree->root().Find("a"), "1");
  tree->Append(tree->root().Find("a"), "2");
  JsonTree::Remove(&tree->root(), "none");
  EXPECT_EQ(tree->Text(), "{\"a\":[1,2]}");

  JsonTree::Remove(&tree->root(), "a");
  EXPECT_EQ(tree->Text(), "{}");
  tree->Set(&tree->root(), "b", "1");
  EXPECT_EQ(tree->Text(), "{\"b\": 1}");
}

TEST(JsonTreeTest, TheLastOfRepeatedMembersCounts) {
  const auto tree = Tree(R"({"a":1,"\u0061":2})");
  EXPECT_EQ(tree->root().TextOf("a"), "2");
  tree->Set(&tree->root(), "a", "3");
  EXPECT_EQ(tree->Text(), R"({"a":1,"\u0061":3})");
  JsonTree::Remove(&tree->root(), "a");
  EXPECT_EQ(tree->Text(), "{}");
}

TEST(JsonTreeTest, ValuesHaveTexts) {
  const auto tree = Tree(R"({"s":"a\tb","n":1.50,"t":true,"f":false,"z":null,"o":{},"q":"false"})");
  const JsonNode& root = tree->root();
  EXPECT_EQ(root.TextOf("s"), "a\tb");
  EXPECT_EQ(root.TextOf("n"), "1.50");
  EXPECT_EQ(root.TextOf("z"), "");
  EXPECT_EQ(root.TextOf("o"), "");
  EXPECT_EQ(root.TextOf("none"), "");
  EXPECT_TRUE(root.IsTrue("t"));
  EXPECT_TRUE(root.IsTrue("n"));
  for (const std::string_view key : {"f", "z", "o", "q", "none"})
    EXPECT_FALSE(root.IsTrue(key)) << key;
}

TEST(JsonTreeTest, OtherTextsAreRefused) {
  const auto error = [](const std::string& text) {
    const auto tree = JsonTree::Parse(text);
    return tree.ok() ? "" : std::string(tree.status().message());
  };
  for (const std::string_view text :
       {"", "{", "{\"a\"}", "{\"a\":}", "[1,]", "[1 2]", "{} {}", "nul", "\"a", "{a:1}"}) {
    EXPECT_THAT(error(std::string(text)), HasSubstr("dashboard: not JSON; expected an object"))
        << text;
  }
  EXPECT_THAT(error("\"\xff\""), HasSubstr("got bytes that are not UTF-8"));
  EXPECT_THAT(error(std::string(kJsonTreeBytesMax + 1, ' ')),
              HasSubstr("expected at most 4194304 bytes"));
  const std::string deep(kJsonDepthMax + 1, '[');
  const std::string deepest(kJsonDepthMax, '[');
  EXPECT_THAT(error(deep + "1" + std::string(deep.size(), ']')), HasSubstr("more than 64 nested"));
  EXPECT_EQ(error(deepest + "1" + std::string(deepest.size(), ']')), "");
}

}  // namespace
}  // namespace hourcell::json_tree_test
