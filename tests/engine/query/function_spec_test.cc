#include "engine/query/function_spec.h"

#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::function_spec_test {
namespace {

using testing::HasSubstr;

TEST(FunctionSpecTest, TextsAreParsedToWhatTheyWerePrintedFrom) {
  for (const std::string_view text :
       {"top(10,max)", "top(1,min)", "top(10000,avg)", "bottom(3,last)", "bottom(7,sum)"}) {
    const absl::StatusOr<FunctionSpec> spec = ParseFunctionSpec(text);
    ASSERT_OK(spec) << text;
    EXPECT_EQ(FunctionText(*spec), text);
  }
  EXPECT_EQ(*ParseFunctionSpec("bottom(12,avg)"),
            (FunctionSpec{
                .kind = FunctionSpec::Kind::kBottom, .count = 12, .by = FunctionSpec::By::kAvg}));
}

TEST(FunctionSpecTest, OtherTextsAreRefused) {
  for (const std::string_view text :
       {"", "top", "top()", "top(1)", "top(1,)", "top(,max)", "top(0,max)", "top(01,max)",
        "top(10001,max)", "top(18446744073709551617,max)", "top(1,max", "top(1,max) ",
        "top(1, max)", "top(1,count)", "Top(1,max)", "scale(2,max)", ",(top", "top,1(max)"}) {
    EXPECT_THAT(ParseFunctionSpec(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected top(N,BY)")))
        << text;
  }
}

}  // namespace
}  // namespace hourcell::function_spec_test
