#include "promql/text/query_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

TEST(QueryErrorTest, HasTheLineAndThePlaceInItFromOne) {
  const auto check = [](std::string_view text, size_t at, std::string_view message) {
    EXPECT_THAT(QueryError(text, at, "x"),
                StatusIs(absl::StatusCode::kInvalidArgument, std::string(message)));
  };
  check("", 0, "1:1: parse error: x");
  check("abc", 2, "1:3: parse error: x");
  check("abc", 3, "1:4: parse error: x");
  check("a\nbc\nd", 1, "1:2: parse error: x");
  check("a\nbc\nd", 2, "2:1: parse error: x");
  check("a\nbc\nd", 5, "3:1: parse error: x");
  check("a\n", 2, "2:1: parse error: x");
}

}  // namespace
}  // namespace hourcell::promql
