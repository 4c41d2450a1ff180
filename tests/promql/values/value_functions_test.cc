#include "promql/values/value_functions.h"

#include <gtest/gtest.h>

#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

std::string ApplyText(Function function,
                      std::vector<double> values,
                      const std::vector<std::vector<double>>& parameters = {}) {
  const std::vector<std::span<const double>> columns(parameters.begin(), parameters.end());
  ApplyValueFunction(function, columns, values);
  return ColumnText(values);
}

TEST(ValueFunctionsTest, StepsWithoutAValueStayAsTheyAre) {
  EXPECT_EQ(ApplyText(Function::kAbs, {-1, kNoValue, kTestNan, -kTestInfinity}), "1 - NaN +Inf");
  EXPECT_EQ(ApplyText(Function::kClampMin, {-1, kNoValue}, {{0, 0}}), "0 -");
}

TEST(ValueFunctionsTest, EachFunctionIsCalculatedByItsName) {
  EXPECT_EQ(ApplyText(Function::kCeil, {1.2, -1.2}), "2 -1");
  EXPECT_EQ(ApplyText(Function::kFloor, {1.2, -1.2}), "1 -2");
  EXPECT_EQ(ApplyText(Function::kSqrt, {4, -1}), "2 NaN");
  EXPECT_EQ(ApplyText(Function::kExp, {1}), "2.718281828459045");
  EXPECT_EQ(ApplyText(Function::kLn, {10}), "2.302585092994046");
  EXPECT_EQ(ApplyText(Function::kLog2, {10}), "3.321928094887362");
  EXPECT_EQ(ApplyText(Function::kLog10, {1000}), "3");
  EXPECT_EQ(ApplyText(Function::kSgn, {-3, 0, 7, kTestNan}), "-1 0 1 NaN");
  EXPECT_EQ(ApplyText(Function::kDeg, {1}), "57.29577951308232");
  EXPECT_EQ(ApplyText(Function::kRad, {1}), "0.017453292519943295");
  EXPECT_EQ(ApplyText(Function::kSin, {1}), "0.8414709848078965");
  EXPECT_EQ(ApplyText(Function::kCos, {1}), "0.5403023058681398");
  EXPECT_EQ(ApplyText(Function::kTan, {1}), "1.557407724654902");
  EXPECT_EQ(ApplyText(Function::kAsin, {0.5}), "0.5235987755982989");
  EXPECT_EQ(ApplyText(Function::kAcos, {0.5}), "1.0471975511965976");
  EXPECT_EQ(ApplyText(Function::kAtan, {0.5}), "0.4636476090008061");
  EXPECT_EQ(ApplyText(Function::kSinh, {0.5}), "0.5210953054937474");
  EXPECT_EQ(ApplyText(Function::kCosh, {0.5}), "1.1276259652063807");
  EXPECT_EQ(ApplyText(Function::kTanh, {0.5}), "0.46211715726000974");
  EXPECT_EQ(ApplyText(Function::kAsinh, {0.5}), "0.48121182505960347");
  EXPECT_EQ(ApplyText(Function::kAcosh, {10}), "2.993222846126381");
  EXPECT_EQ(ApplyText(Function::kAtanh, {0.5}), "0.5493061443340548");
}

TEST(ValueFunctionsTest, CalendarFieldsAreOfUtc) {
  const std::vector<double> values{951782400 + 7384};
  EXPECT_EQ(ApplyText(Function::kYear, values), "2000");
  EXPECT_EQ(ApplyText(Function::kMonth, values), "2");
  EXPECT_EQ(ApplyText(Function::kDayOfMonth, values), "29");
  EXPECT_EQ(ApplyText(Function::kDayOfWeek, values), "2");
  EXPECT_EQ(ApplyText(Function::kDayOfYear, values), "60");
  EXPECT_EQ(ApplyText(Function::kDaysInMonth, values), "29");
  EXPECT_EQ(ApplyText(Function::kHour, values), "2");
  EXPECT_EQ(ApplyText(Function::kMinute, values), "3");
}

TEST(ValueFunctionsTest, HalvesAreRoundedUp) {
  EXPECT_EQ(ApplyText(Function::kRound, {2.5, -2.5, -0.5, 1e300, kTestNan, kTestInfinity}),
            "3 -2 0 1e+300 NaN +Inf");
  EXPECT_EQ(ApplyText(Function::kRound, {1.25, 5015, 1, 7}, {{0.1, 10, 0, -2}}), "1.3 5020 NaN 6");
}

TEST(ValueFunctionsTest, ClampsTakeBoundsOfEachStep) {
  EXPECT_EQ(ApplyText(Function::kClamp, {5, 5, 5}, {{6, 1, 1}, {9, 9, 3}}), "6 5 3");
  EXPECT_EQ(ApplyText(Function::kClampMin, {5, 5, kTestNan}, {{6, kTestNan, kTestInfinity}}),
            "6 NaN +Inf");
  EXPECT_EQ(ApplyText(Function::kClampMax, {5, 5, kTestNan}, {{3, 6, -kTestInfinity}}), "3 5 -Inf");
}

TEST(ValueFunctionsTest, NoValueIsBetweenBoundsInTheWrongOrder) {
  EXPECT_EQ(ApplyText(Function::kClamp, {5, 5}, {{6, 1}, {4, kTestNan}}), "- NaN");
}

TEST(ValueFunctionsTest, OtherFunctionsAreNotOfSingleValues) {
  EXPECT_TRUE(IsValueFunction(Function::kClampMax));
  EXPECT_TRUE(IsValueFunction(Function::kRound));
  EXPECT_TRUE(IsValueFunction(Function::kTanh));
  EXPECT_TRUE(IsValueFunction(Function::kYear));
  EXPECT_FALSE(IsValueFunction(Function::kRate));
  EXPECT_FALSE(IsValueFunction(Function::kSort));
}

}  // namespace
}  // namespace hourcell::promql
