#include "server/inputs/graphite/graphite_line.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::graphite_line_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GraphiteLineTest, IsAPathAValueAndATime) {
  GraphiteLine line;
  ASSERT_EQ(ReadGraphiteLine("cpu.user;host=a;dc=lga=1 1.5 1356998400.75", &line), "");
  EXPECT_TRUE(line.has_point());
  EXPECT_EQ(line.name, "cpu.user");
  EXPECT_THAT(line.tags, ElementsAre(TagView{.key = "host", .value = "a"},
                                     TagView{.key = "dc", .value = "lga=1"}));
  EXPECT_EQ(line.value, "1.5");
  EXPECT_EQ(line.time, "1356998400");

  ASSERT_EQ(ReadGraphiteLine(" a.b\t 7  -1 \r", &line), "");
  EXPECT_EQ(line.name, "a.b");
  EXPECT_THAT(line.tags, IsEmpty()) << "those of the line before are gone";
  EXPECT_EQ(line.time, "-1");
}

TEST(GraphiteLineTest, EmptyLinesAndCommentsHaveNoPoint) {
  for (const char* const text : {"", " \t", "# a 1 2", "\r"}) {
    GraphiteLine line;
    EXPECT_EQ(ReadGraphiteLine(text, &line), "") << text;
    EXPECT_FALSE(line.has_point()) << text;
  }
}

TEST(GraphiteLineTest, WhatIsWrongIsSaid) {
  GraphiteLine line;
  for (const char* const text : {"a", "a 1", "a 1 2 3"})
    EXPECT_EQ(ReadGraphiteLine(text, &line), "expected three words: path value time") << text;
  for (const char* const text : {"a;b 1 2", "a;=b 1 2", "a;b= 1 2", "a; 1 2", "a;;b=c 1 2"})
    EXPECT_EQ(ReadGraphiteLine(text, &line), "expected path;tag=value;tag=value") << text;
  EXPECT_EQ(ReadGraphiteLine(";b=c 1 2", &line), "");
  EXPECT_TRUE(line.has_point() && line.name.empty());
}

}  // namespace
}  // namespace hourcell::graphite_line_test
