#include "promql/text/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::promql {
namespace {

using testing::ElementsAre;

TEST(FunctionTest, EachFunctionIsFoundByItsName) {
  for (int i = 0; i <= static_cast<int>(Function::kYear); ++i) {
    const auto function = static_cast<Function>(i);
    const FunctionSignature& signature = SignatureOf(function);
    EXPECT_EQ(signature.function, function);
    EXPECT_EQ(FindFunction(signature.name), &signature) << signature.name;
  }
}

TEST(FunctionTest, OtherNamesAndOtherCasesAreNoFunctions) {
  EXPECT_EQ(FindFunction("RATE"), nullptr);
  EXPECT_EQ(FindFunction("sum"), nullptr);
  EXPECT_EQ(FindFunction(""), nullptr);
}

TEST(FunctionTest, SignaturesHaveTheTypesOfPrometheus) {
  const FunctionSignature& join = SignatureOf(Function::kLabelJoin);
  EXPECT_THAT(join.arguments, ElementsAre(ValueType::kVector, ValueType::kString,
                                          ValueType::kString, ValueType::kString));
  EXPECT_TRUE(join.is_variadic);
  EXPECT_EQ(join.optional_arguments, 1);
  const FunctionSignature& quantile = SignatureOf(Function::kQuantileOverTime);
  EXPECT_THAT(quantile.arguments, ElementsAre(ValueType::kScalar, ValueType::kMatrix));
  EXPECT_EQ(quantile.result, ValueType::kVector);
  EXPECT_EQ(SignatureOf(Function::kRound).optional_arguments, 1);
  EXPECT_EQ(SignatureOf(Function::kHour).optional_arguments, 1);
  EXPECT_EQ(SignatureOf(Function::kScalar).result, ValueType::kScalar);
  EXPECT_EQ(SignatureOf(Function::kTime).result, ValueType::kScalar);
}

TEST(FunctionTest, TypesHaveTheNamesOfErrors) {
  EXPECT_EQ(ValueTypeText(ValueType::kScalar), "scalar");
  EXPECT_EQ(ValueTypeText(ValueType::kVector), "instant vector");
  EXPECT_EQ(ValueTypeText(ValueType::kMatrix), "range vector");
  EXPECT_EQ(ValueTypeText(ValueType::kString), "string");
}

}  // namespace
}  // namespace hourcell::promql
