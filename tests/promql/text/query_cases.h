// Cases of queries that several tests of promql/text share.

#pragma once

#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/text/parser.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {

// A query that is refused, with the position and the text of the error.
struct ErrorCase {
  std::string_view query;
  std::string_view position;
  std::string_view text;
};

inline void ExpectError(const ErrorCase& error) {
  EXPECT_THAT(ParseQuery(error.query),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       fmt::format("{}: parse error: {}", error.position, error.text)))
      << error.query;
}

// A query, and its text as it is printed.
struct TextCase {
  std::string_view query;
  std::string_view text;
};

inline void ExpectText(const TextCase& text) {
  const auto query = ParseQuery(text.query);
  ASSERT_OK(query) << text.query;
  EXPECT_EQ(ExpressionText(**query), text.text) << text.query;
}

}  // namespace hourcell::promql
