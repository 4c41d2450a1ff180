#include "server/inputs/statsd/statsd_line.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/limits.h"

namespace hourcell::statsd_line_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "10|ms@1 20|ms@0.5"
std::string SamplesOf(const StatsdLine& line) {
  std::string text;
  for (const StatsdSample& sample : line.samples) {
    constexpr std::array<std::string_view, 4> kWords = {"c", "g", "ms", "s"};
    fmt::format_to(std::back_inserter(text), "{}{}|{}@{}", text.empty() ? "" : " ", sample.value,
                   kWords[static_cast<size_t>(sample.type)], sample.rate);
  }
  return text;
}

// "k=v l=w"
std::string TagsOf(const StatsdLine& line) {
  std::string text;
  for (const TagView& tag : line.tags)
    fmt::format_to(std::back_inserter(text), "{}{}={}", text.empty() ? "" : " ", tag.key,
                   tag.value);
  return text;
}

TEST(StatsdLineTest, HasANameAValueAndAType) {
  const std::vector<std::pair<std::string, StatsdType>> types = {
      {"c", StatsdType::kCounter}, {"g", StatsdType::kGauge}, {"ms", StatsdType::kTimer},
      {"h", StatsdType::kTimer},   {"d", StatsdType::kTimer}, {"s", StatsdType::kSet}};
  for (const auto& [word, type] : types) {
    const std::string text = "a.b:-1.5|" + word + "\r";  // the line borrows of it
    StatsdLine line;
    ASSERT_EQ(ReadStatsdLine(text, &line), "");
    EXPECT_EQ(line.name, "a.b");
    ASSERT_EQ(line.samples.size(), 1U);
    EXPECT_EQ(line.samples[0].value, "-1.5");
    EXPECT_EQ(line.samples[0].type, type);
    EXPECT_EQ(line.samples[0].rate, 1);
    EXPECT_THAT(line.tags, IsEmpty());
    EXPECT_FALSE(line.is_skipped);
  }
}

TEST(StatsdLineTest, TakesTheSectionsOfDogStatsD) {
  StatsdLine line;
  ASSERT_EQ(ReadStatsdLine("a:1:2:3|h|@0.25|#host:web01,canary,path:/x:y,empty:|c:ci-1|T1356998400",
                           &line),
            "");
  EXPECT_EQ(SamplesOf(line), "1|ms@0.25 2|ms@0.25 3|ms@0.25");
  EXPECT_THAT(line.tags, ElementsAre(TagView{.key = "host", .value = "web01"},
                                     TagView{.key = "canary", .value = "true"},
                                     TagView{.key = "path", .value = "/x:y"}));
}

TEST(StatsdLineTest, TakesStatsDsPackedSamples) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"t:10|ms:20|ms|@0.5:10|ms", "10|ms@1 20|ms@0.5 10|ms@1"},
      {"c:1|c:2|c:3|c", "1|c@1 2|c@1 3|c@1"},
      {"a:1|c:2|g:x|s", "1|c@1 2|g@1 x|s@1"},
      {"a:1:2|c|@0.5:3|c|#k:v", "1|c@0.5 2|c@0.5 3|c@1"},
      {"a:1|c:2|c|#k:v|@0.25", "1|c@0.25 2|c@0.25"},  // the section of all
  };
  for (const auto& [text, want] : cases) {
    StatsdLine line;
    EXPECT_EQ(ReadStatsdLine(text, &line), "") << text;
    EXPECT_EQ(SamplesOf(line), want) << text;
  }
}

TEST(StatsdLineTest, TheWordOfASetKeepsItsColons) {
  StatsdLine line;
  ASSERT_EQ(ReadStatsdLine("u:192.168.0.7:8080|s", &line), "");
  EXPECT_EQ(SamplesOf(line), "192.168.0.7:8080|s@1");
  ASSERT_EQ(ReadStatsdLine("u:::1|s:::2|s", &line), "");
  EXPECT_EQ(SamplesOf(line), "::1|s@1 ::2|s@1");
}

TEST(StatsdLineTest, TakesTagsInTheName) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"a,k=v,l=w:1|c", "a", "k=v l=w"},       // Telegraf
      {"a;k=v;l=w=x:1|c", "a", "k=v l=w=x"},   // Graphite
      {"a[k=v,l=w:1]:1|c", "a", "k=v l=w:1"},  // SignalFx
      {"a.[k=v]b:1|c", "a.+b", "k=v"},         // the same, inside of the name
      {"a,k=v:1|c|#l:w", "a", "k=v l=w"},      // and DogStatsD's
      {"a,k=,l=w:1|c", "a", "l=w"},            // none
      {"a,b:1|c", "a,b", ""},
      {"a;b:1|c", "a;b", ""},  // names
      {"a[0]:1|c", "a[0]", ""},
      {"a[k=v:1|c", "a[k=v", ""},
  };
  for (const auto& [text, name, tags] : cases) {
    StatsdLine line;
    EXPECT_EQ(ReadStatsdLine(text, &line), "") << text;
    EXPECT_EQ(
        std::string(line.name) + (line.name_end.empty() ? "" : "+") + std::string(line.name_end),
        name)
        << text;
    EXPECT_EQ(TagsOf(line), tags) << text;
    EXPECT_EQ(SamplesOf(line), "1|c@1") << text;
  }
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
      {"a", "expected name:value|type"},
      {"a:1", "expected name:value|type"},
      {"a:1|", "expected name:value|type"},
      {"a:1|x", "expected name:value|type"},
      {":1|c", "expected name:value|type"},
      {"a:|c", "expected name:value|type"},
      {"a|c", "expected name:value|type"},
      {"a:1::2|c", "expected name:value|type"},
      {"a:1|c|@0", "expected a rate above 0 and at most 1"},
      {"a:1|c|@2", "expected a rate above 0 and at most 1"},
      {"a:1|c|@x", "expected a rate above 0 and at most 1"},
      {"a:1|c|#:v", "expected tags as #tag:value,tag:value"},
      {"a:1|c:", "expected name:value|type"},
      {"a:1|c:2", "expected name:value|type"},
      {"a:1|c|@0.5:", "expected name:value|type"},
      {"a:1|c|@2:1|c", "expected a rate above 0 and at most 1"},
      {"a,k=v,b:1|c", "expected tags as name,tag=value, name;tag=value or name[tag=value]"},
      {"a;=v:1|c", "expected tags as name,tag=value, name;tag=value or name[tag=value]"},
      {"[k=v]:1|c", "expected name:value|type"},
      {tags, "expected at most 64 tags"},
      {many + "|c", "expected at most 1024 values"}};
  for (const auto& [text, want] : cases) {
    StatsdLine line;
    EXPECT_EQ(ReadStatsdLine(text, &line), want) << text;
  }
}

}  // namespace
}  // namespace hourcell::statsd_line_test
