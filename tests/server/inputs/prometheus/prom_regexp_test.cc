#include "server/inputs/prometheus/prom_regexp.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <re2/re2.h>

namespace hourcell::prom_regexp_test {
namespace {

const NameRule kLatin1(NameEncoding::kLatin1, "");

TEST(PromRegexpTest, TakesTheCharacterThatTheRuleWrites) {
  const auto check = [](std::string_view pattern, std::string_view want, int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    const std::string made = RegexpOfStored(pattern, kLatin1);
    EXPECT_EQ(made, want);
    EXPECT_TRUE(RE2(made, RE2::Quiet).ok());
  };
  check("web01:9100|web02:.*", "web01[:_]9100|web02[:_].*", __LINE__);
  check("1e\\+06", "1e[\\+_]06", __LINE__);
  check("[:+]x", "[:+_]x", __LINE__);
  check("[^:]+", "[^:]+", __LINE__);
  check("[]:a-c]", "[]:a-c_]", __LINE__);
  check("[[:alpha:]]+", "[[:alpha:]]+", __LINE__);
  check("a b", "a[ _]b", __LINE__);
  check("(?i:a:b)(?P<n>x)", "(?i:a[:_]b)(?P<n>x)", __LINE__);
  check("a{2,3},", "a{2,3}[,_]", __LINE__);
  check("\\d+\\.\\w-x/y", "\\d+\\.\\w-x/y", __LINE__);
  check("\\Qa:b\\E:", "\\Qa:b\\E[:_]", __LINE__);
  check("a_b", "a_b", __LINE__);
  check("", "", __LINE__);
}

TEST(PromRegexpTest, PatternsThatAreNoneStaySo) {
  for (const std::string_view pattern : {"(", "[a:", "a\\", "(?", "*"}) {
    const std::string made = RegexpOfStored(pattern, kLatin1);
    EXPECT_FALSE(RE2(made, RE2::Quiet).ok()) << made;
  }
}

TEST(PromRegexpTest, AStoreOfAnyNamesNeedsNoOther) {
  EXPECT_EQ(RegexpOfStored("web01:9100", NameRule(NameEncoding::kAny, "")), "web01:9100");
}

}  // namespace
}  // namespace hourcell::prom_regexp_test
