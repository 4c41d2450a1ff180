#include "server/names/search_terms.h"

#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::search_terms_test {
namespace {

const std::vector<SearchField> kFields = {
    {"name", "sys.CPU.user"}, {"host", "web01"}, {"notes", "of the second rack"}};

bool Matches(std::string_view query) {
  const auto terms = SearchTerms::Parse(query);
  EXPECT_OK(terms) << query;
  return terms.ok() && terms->Matches(kFields);
}

TEST(SearchTermsTest, AllWordsMustMatch) {
  for (const std::string_view query :
       {"", " ", "*", "*:*", "cpu", "name:sys.*", "name:SYS*user", "NAME:cpu", "web* rack",
        "host:web01 AND notes:second", "\"second rack\"", "notes:\"the second\"", "s*r",
        "host:", "*:cpu"}) {
    EXPECT_TRUE(Matches(query)) << query;
  }
  for (const std::string_view query : {"mem", "name:web01", "cpu mem", "user*sys", "nosuch:*",
                                       "nosuch:", "\"rack second\"", "\"s*k\"", "name:cpu*cpu"}) {
    EXPECT_FALSE(Matches(query)) << query;
  }
}

TEST(SearchTermsTest, AnythingMatchesNoWords) {
  EXPECT_TRUE(SearchTerms::Parse("*")->Matches({}));
  EXPECT_FALSE(SearchTerms::Parse("a")->Matches({}));
}

TEST(SearchTermsTest, RefusesOtherSyntax) {
  for (const std::string_view query :
       {"a OR b", "NOT a", "(a)", "name:(a b)", "name:[1 TO 2]", "{", "\"open", "name:\"open"}) {
    EXPECT_THAT(SearchTerms::Parse(query), StatusIs(absl::StatusCode::kInvalidArgument)) << query;
  }
  EXPECT_OK(SearchTerms::Parse("\"OR (\""));
}

}  // namespace
}  // namespace hourcell::search_terms_test
