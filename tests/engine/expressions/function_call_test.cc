#include "engine/expressions/function_call.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::function_call_test {
namespace {

using Kind = FunctionCall::Kind;
using testing::HasSubstr;

// "name(...)"; a sub query in < >, a text in [ ].
std::string FormOf(const FunctionCall& call) {
  if (call.kind == Kind::kSubQuery) return "<" + call.text + ">";
  if (call.kind == Kind::kText) return "[" + call.text + "]";
  std::string form = call.text + "(";
  for (const FunctionCall& argument : call.arguments)
    form += FormOf(argument);
  return form + ")";
}

std::string FormOf(std::string_view text) {
  const auto call = ParseFunctionCall(text);
  EXPECT_OK(call);
  return call.ok() ? FormOf(*call) : "";
}

TEST(FunctionCallTest, ASubQueryIsTheWholeLanguageOfM) {
  EXPECT_EQ(FormOf("f(sum:rate{counter,,3}:1m-avg-scalar(2):a{h=*,x=regexp(a{1,2}(b|c))}{d=e},3)"),
            "f(<sum:rate{counter,,3}:1m-avg-scalar(2):a{h=*,x=regexp(a{1,2}(b|c))}{d=e}>[3])");
  EXPECT_EQ(FormOf("f(top(10,max):sum:a,bottom(1,min) :avg:b)"),
            "f(<top(10,max):sum:a><bottom(1,min) :avg:b>)");
  EXPECT_EQ(FormOf("f(sum:\"disk, ) usage\"{h=\"a:b\"})"), "f(<sum:\"disk, ) usage\"{h=\"a:b\"}>)");
}

TEST(FunctionCallTest, CallsNestAndBlanksAreSkipped) {
  EXPECT_EQ(FormOf(" sum ( scale( sum:a , 2 )\n,\tg (sum:b) ) "),
            "sum(scale(<sum:a>[2])g(<sum:b>))");
  EXPECT_EQ(FormOf("alias(sum:a,'my name, (of) @host',\"two'\")"),
            "alias(<sum:a>['my name, (of) @host'][\"two'\"])");
}

TEST(FunctionCallTest, AnErrorNamesItsCharacter) {
  const auto expect_error = [](std::string_view text, std::string_view error) {
    EXPECT_THAT(ParseFunctionCall(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(error))))
        << text;
  };
  expect_error("", "expression: character 1: expected the name of a function, got the end");
  expect_error("scale", "expression: character 6: expected '(', got the end");
  expect_error("f(sum:a", "expression: character 8: expected ',' or ')', got the end");
  expect_error("f(sum:a))", "expression: character 9: expected the end, got \")\"");
  expect_error("f()", "expression: character 3: expected an argument, got \")\"");
  expect_error("f(sum:a,,1)", "expression: character 9: expected an argument");
  expect_error("f(sum:a,'x)", "expression: character 9: expected a closing quote");
  expect_error("f(sum:a,'x'y)", "expression: character 12: expected ',' or ')'");
  expect_error("f(sum:a,my name)", "expression: character 9: expected quotes around a text with");
}

TEST(FunctionCallTest, DepthIsBounded) {
  const auto nested = [](size_t depth) {
    std::string text;
    for (size_t i = 0; i < depth; ++i)
      text += "f(";
    return text + "sum:a" + std::string(depth, ')');
  };
  EXPECT_OK(ParseFunctionCall(nested(kExpressionDepthMax)));
  EXPECT_THAT(ParseFunctionCall(nested(kExpressionDepthMax + 1)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 32 calls")));
  EXPECT_THAT(ParseFunctionCall("f(sum:" + std::string(kExpressionBytesMax, 'a') + ")"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too long")));
}

}  // namespace
}  // namespace hourcell::function_call_test
