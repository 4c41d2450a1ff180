#include "server/inputs/statsd/statsd_line.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/limits.h"

namespace hourcell::statsd_line_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StatsdLineTest, HasANameAValueAndAType) {
  const std::vector<std::pair<std::string, StatsdType>> types = {
      {"c", StatsdType::kCounter}, {"g", StatsdType::kGauge}, {"ms", StatsdType::kTimer},
      {"h", StatsdType::kTimer},   {"d", StatsdType::kTimer}, {"s", StatsdType::kSet}};
  for (const auto& [word, type] : types) {
    const std::string text = "a.b:-1.5|" + word + "\r";  // the line borrows of it
    StatsdLine line;
    ASSERT_EQ(ReadStatsdLine(text, &line), "");
    EXPECT_EQ(line.name, "a.b");
    EXPECT_THAT(line.values, ElementsAre("-1.5"));
    EXPECT_EQ(line.type, type);
    EXPECT_EQ(line.rate, 1);
    EXPECT_THAT(line.tags, IsEmpty());
    EXPECT_FALSE(line.is_skipped);
  }
}

TEST(StatsdLineTest, TakesTheSectionsOfDogStatsD) {
  StatsdLine line;
  ASSERT_EQ(ReadStatsdLine("a:1:2:3|h|@0.25|#host:web01,canary,path:/x:y,empty:|c:ci-1|T1356998400",
                           &line),
            "");
  EXPECT_THAT(line.values, ElementsAre("1", "2", "3"));
  EXPECT_EQ(line.rate, 0.25);
  EXPECT_THAT(line.tags, ElementsAre(TagView{.key = "host", .value = "web01"},
                                     TagView{.key = "canary", .value = "true"},
                                     TagView{.key = "path", .value = "/x:y"}));
}

TEST(StatsdLineTest, SkipsWhatHasNoSamples) {
  for (const char* const text : {"", "\r", "_e{5,4}:title|text", "_sc|redis|0"}) {
    StatsdLine line;
    EXPECT_EQ(ReadStatsdLine(text, &line), "") << text;
    EXPECT_TRUE(line.is_skipped) << text;
  }
}

TEST(StatsdLineTest, WhatIsWrongIsSaid) {
  std::string many = "a";
  for (size_t i = 0; i <= kStatsdLineValuesMax; ++i)
    many += ":1";
  std::string tags = "a:1|c|#";
  for (size_t i = 0; i <= kTagsMax; ++i)
    tags += "k:v,";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a", "want name:value|type"},
      {"a:1", "want name:value|type"},
      {"a:1|", "want name:value|type"},
      {"a:1|x", "want name:value|type"},
      {":1|c", "want name:value|type"},
      {"a:|c", "want name:value|type"},
      {"a|c", "want name:value|type"},
      {"a:1::2|c", "want name:value|type"},
      {"a:1|c|@0", "want a rate above 0 and at most 1"},
      {"a:1|c|@2", "want a rate above 0 and at most 1"},
      {"a:1|c|@x", "want a rate above 0 and at most 1"},
      {"a:1|c|#:v", "want tags as #tag:value,tag:value"},
      {tags, "want at most 64 tags"},
      {many + "|c", "want at most 1024 values"}};
  for (const auto& [text, want] : cases) {
    StatsdLine line;
    EXPECT_EQ(ReadStatsdLine(text, &line), want) << text;
  }
}

}  // namespace
}  // namespace hourcell::statsd_line_test
