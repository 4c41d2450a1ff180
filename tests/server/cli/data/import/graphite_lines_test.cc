#include "server/cli/data/import/graphite_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/data/import/translated.h"

namespace hourcell::graphite_lines_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ForeignRules Rules() {
  return {.format = ImportFormat::kGraphite, .default_tag = " from=g"};
}

TEST(GraphiteLinesTest, APathIsAMetricAndItsTagsAreTags) {
  EXPECT_THAT(Translated(Rules(), "cpu.user;host=a;dc=x y 1 1356998400"),
              ElementsAre("! expected three words: path value time"));
  EXPECT_THAT(Translated(Rules(), "cpu.user;host=a;dc=lga 1.5 1356998400"),
              ElementsAre("cpu.user 1356998400 1.5 host=a dc=lga"));
  EXPECT_THAT(Translated(Rules(), "a.b\t 7  1356998400.75 "),
              ElementsAre("a.b 1356998400 7 from=g"));
}

TEST(GraphiteLinesTest, CharactersOfNamesThatAreNotAllowedBecomeUnderscores) {
  EXPECT_THAT(Translated(Rules(), "disk.C:\\;mount=/a=b 7 1356998400"),
              ElementsAre("disk.C__ 1356998400 7 mount=/a_b"));
}

TEST(GraphiteLinesTest, EmptyLinesAndCommentsHaveNoPoint) {
  EXPECT_THAT(Translated(Rules(), ""), IsEmpty());
  EXPECT_THAT(Translated(Rules(), "  \t"), IsEmpty());
  EXPECT_THAT(Translated(Rules(), "# a 1 2"), IsEmpty());
}

TEST(GraphiteLinesTest, ValuesAreThoseOfThePort) {
  for (const char* const value : {"nan", "NaN", "inf", "-inf", "Infinity"})
    EXPECT_THAT(Translated(Rules(), std::string("a ") + value + " 1356998400"), IsEmpty()) << value;
  EXPECT_THAT(Translated(Rules(), "a 18446744073709551615 1356998400"),
              ElementsAre("a 1356998400 1.8446744073709552E19 from=g"));
  EXPECT_THAT(Translated(Rules(), "a -9223372036854775809 1356998400"),
              ElementsAre("a 1356998400 -9.223372036854776E18 from=g"));
  EXPECT_THAT(Translated(Rules(), "a 9223372036854775807 1356998400"),
              ElementsAre("a 1356998400 9223372036854775807 from=g"));
}

TEST(GraphiteLinesTest, WhatIsWrongIsSaid) {
  for (const char* const path : {"a;b", "a;=b", "a;b=", "a;"}) {
    EXPECT_THAT(Translated(Rules(), std::string(path) + " 7 1356998400"),
                ElementsAre("! expected path;tag=value;tag=value"))
        << path;
  }
  EXPECT_THAT(Translated(Rules(), ";b=c 7 1356998400"), ElementsAre("! the series lacks a name"));
  EXPECT_THAT(Translated({.format = ImportFormat::kGraphite}, "a 7 1356998400"),
              ElementsAre("! the series lacks tags; --default-tag KEY=VALUE adds one"));
}

}  // namespace
}  // namespace hourcell::graphite_lines_test
