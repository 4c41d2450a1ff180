#include "promql/values/elementary.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

// Prometheus' digits are those of Go's library.
using Elementary = double (*)(double);

std::string Text(Elementary function, std::vector<double> values) {
  for (double& value : values)
    value = function(value);
  return ColumnText(values);
}

TEST(ElementaryTest, ExponentialsAndLogarithmsHaveGosDigits) {
  EXPECT_EQ(Text(Exp, {0, 1, -1, 10, 100, 1e-9, 3.14159265358979}),
            "1 2.718281828459045 0.36787944117144233 22026.465794806718 2.6881171418161356e+43 "
            "1.000000001 23.140692632779192");
  EXPECT_EQ(Text(Log, {0.5, 1, 10, 100, 1e-9, 1.7e9}),
            "-0.6931471805599453 0 2.302585092994046 4.605170185988092 -20.72326583694641 "
            "21.253894088008582");
  EXPECT_EQ(Text(Log2, {0.5, 8, 10, 1000, 1e-9, 1.7e9}),
            "-1 3 3.321928094887362 9.965784284662087 -29.897352853986263 30.662887600349237");
  EXPECT_EQ(Text(Log10, {0.5, 10, 100, 1000, 1e-9, 1.7e9}),
            "-0.3010299956639812 1 2 3 -9 9.230448921378274");
}

TEST(ElementaryTest, ExponentialsAndLogarithmsHaveLimits) {
  EXPECT_EQ(Text(Exp, {710, -1000, kTestInfinity, -kTestInfinity, kTestNan}), "+Inf 0 +Inf 0 NaN");
  EXPECT_EQ(Exp(709.78), 1.7928227943945155e308);
  EXPECT_GT(Exp(-745), 0);
  for (const Elementary log : {Log, Log2, Log10}) {
    EXPECT_EQ(Text(log, {0, -1, kTestInfinity, -kTestInfinity, kTestNan}), "-Inf NaN +Inf NaN NaN");
  }
}

TEST(ElementaryTest, TrigonometryHasGosDigits) {
  EXPECT_EQ(Text(Sine, {0.5, 1, -1, 10, 1000, 3.14159265358979, 1e-9}),
            "0.479425538604203 0.8414709848078965 -0.8414709848078965 -0.5440211108893699 "
            "0.8268795405320026 3.2310891488651735e-15 1e-09");
  EXPECT_EQ(Text(Cosine, {0.5, 1, -1, 10, 1000, 3.14159265358979, 100}),
            "0.8775825618903728 0.5403023058681398 0.5403023058681398 -0.8390715290764524 "
            "0.5623790762907029 -1 0.8623188722876839");
  EXPECT_EQ(Text(Tangent, {0.5, 1, 10, 1000, 3.14159265358979, 100}),
            "0.5463024898437905 1.557407724654902 0.6483608274590867 1.4703241557027187 "
            "-3.2310891488651735e-15 -0.587213915156929");
  EXPECT_EQ(Sine(std::numbers::pi), 1.2246467991473515e-16);
}

TEST(ElementaryTest, LargeAnglesHaveGosDigits) {
  EXPECT_EQ(Text(Sine, {1.5e9, 1.7e9, -1.7e9}),
            "-0.7618038601331997 0.9992359103362585 -0.9992359103362585");
  EXPECT_EQ(Text(Cosine, {1.7e9}), "-0.03908446615304646");
  EXPECT_EQ(Text(Tangent, {1.7e9}), "-25.566062650656736");
  for (double angle = 1e9; angle < 1e307; angle *= 37.7) {
    EXPECT_NEAR(Sine(angle), std::sin(angle), 1e-15) << angle;
    EXPECT_NEAR(Cosine(angle), std::cos(angle), 1e-15) << angle;
  }
}

TEST(ElementaryTest, InfiniteAnglesHaveNoSine) {
  for (const Elementary function : {Sine, Cosine, Tangent}) {
    EXPECT_EQ(Text(function, {kTestInfinity, -kTestInfinity, kTestNan}), "NaN NaN NaN");
  }
}

TEST(ElementaryTest, ArcFunctionsHaveGosDigits) {
  EXPECT_EQ(Text(ArcSine, {0, 0.5, 1, -1, 1.1}),
            "0 0.5235987755982989 1.5707963267948966 -1.5707963267948966 NaN");
  EXPECT_EQ(Text(ArcCosine, {0, 0.5, 1, -1, -1.1, 1e-9}),
            "1.5707963267948966 1.0471975511965976 0 3.141592653589793 NaN 1.5707963257948965");
  EXPECT_EQ(Text(ArcTangent, {0.5, 1, -1, 10, 1.7e9, kTestInfinity}),
            "0.4636476090008061 0.7853981633974483 -0.7853981633974483 1.4711276743037345 "
            "1.5707963262066613 1.5707963267948966");
}

TEST(ElementaryTest, TheArcTangentOfTwoKnowsTheQuadrant) {
  EXPECT_EQ(ArcTangent2(1, 2), 0.4636476090008061);
  EXPECT_EQ(ArcTangent2(-1, -2), -2.677945044588987);
  EXPECT_EQ(ArcTangent2(3, -4), 2.498091544796509);
  EXPECT_EQ(ArcTangent2(0, -1), 3.141592653589793);
  EXPECT_EQ(ArcTangent2(-0.0, -1), -3.141592653589793);
  EXPECT_EQ(ArcTangent2(1, 0), 1.5707963267948966);
  EXPECT_EQ(ArcTangent2(kTestInfinity, -kTestInfinity), 2.356194490192345);
  EXPECT_EQ(NumberText(ArcTangent2(kTestNan, 1)), "NaN");
}

TEST(ElementaryTest, HyperbolicFunctionsHaveGosDigits) {
  EXPECT_EQ(Text(HyperbolicSine, {0, 0.5, 1, -1, 10, 100, 1000}),
            "0 0.5210953054937474 1.1752011936438014 -1.1752011936438014 11013.232874703393 "
            "1.3440585709080678e+43 +Inf");
  EXPECT_EQ(Text(HyperbolicCosine, {0, 0.5, 1, -1, 10, 100, 1000}),
            "1 1.1276259652063807 1.5430806348152437 1.5430806348152437 11013.232920103324 "
            "1.3440585709080678e+43 +Inf");
  EXPECT_EQ(Text(HyperbolicTangent, {0, 0.5, 1, -1, 10, 100, -1000, kTestNan}),
            "0 0.46211715726000974 0.7615941559557649 -0.7615941559557649 0.9999999958776927 1 -1 "
            "NaN");
}

TEST(ElementaryTest, InverseHyperbolicFunctionsHaveTheirDomains) {
  EXPECT_EQ(Text(AreaSine, {0.5, 1, -1, 10, 1.7e9, 1e-9, -kTestInfinity}),
            "0.48121182505960347 0.881373587019543 -0.881373587019543 2.99822295029797 "
            "21.947041268568526 1e-09 -Inf");
  EXPECT_EQ(Text(AreaCosine, {0.5, 1, 10, 1000, 1.7e9, -1, kTestInfinity}),
            "NaN 0 2.993222846126381 7.600902209541989 21.947041268568526 NaN +Inf");
  EXPECT_EQ(Text(AreaTangent, {0, 0.5, 1, -1, 10, 1e-9, kTestNan}),
            "0 0.5493061443340548 +Inf -Inf NaN 1e-09 NaN");
}

TEST(ElementaryTest, OddFunctionsKeepTheSignOfZero) {
  for (const Elementary function : {Sine, Tangent, ArcSine, ArcTangent, HyperbolicSine,
                                    HyperbolicTangent, AreaSine, AreaTangent}) {
    EXPECT_TRUE(std::signbit(function(-0.0)));
    EXPECT_FALSE(std::signbit(function(0.0)));
  }
}

TEST(ElementaryTest, PowersHaveGosDigits) {
  EXPECT_EQ(Power(2, 10), 1024);
  EXPECT_EQ(Power(2, -1), 0.5);
  EXPECT_EQ(Power(10, 15), 1e15);
  EXPECT_EQ(Power(10, -5), 0.00001);
  EXPECT_EQ(Power(1.1, 100), 13780.612339822364);
  EXPECT_EQ(Power(1.0001, 12345.678), 3.4366806414318827);
  EXPECT_EQ(Power(-2, 3), -8);
  EXPECT_EQ(Power(2, 0.5), 1.4142135623730951);
  EXPECT_EQ(Power(4, -0.5), 0.5);
}

TEST(ElementaryTest, PowersHaveSpecialCases) {
  EXPECT_EQ(Power(kTestNan, 0), 1);
  EXPECT_EQ(Power(1, kTestNan), 1);
  EXPECT_EQ(NumberText(Power(2, kTestNan)), "NaN");
  EXPECT_EQ(NumberText(Power(-8, 1.0 / 3)), "NaN");
  EXPECT_EQ(Power(0, -1), kTestInfinity);
  EXPECT_EQ(Power(-0.0, -3), -kTestInfinity);
  EXPECT_EQ(Power(-0.0, -2), kTestInfinity);
  EXPECT_EQ(Power(0, 3), 0);
  EXPECT_EQ(Power(-1, kTestInfinity), 1);
  EXPECT_EQ(Power(0.5, kTestInfinity), 0);
  EXPECT_EQ(Power(0.5, -kTestInfinity), kTestInfinity);
  EXPECT_EQ(Power(-kTestInfinity, 3), -kTestInfinity);
  EXPECT_EQ(Power(-kTestInfinity, 2), kTestInfinity);
  EXPECT_EQ(Power(kTestInfinity, -3), 0);
  EXPECT_EQ(Power(2, 1e20), kTestInfinity);
  EXPECT_EQ(Power(2, -1e20), 0);
  EXPECT_EQ(Power(-1, 1e20), 1);
  EXPECT_EQ(Power(1e300, 1e9), kTestInfinity);
  EXPECT_EQ(Power(2, -1074), 5e-324);
}

TEST(ElementaryTest, AnInfinityThatDecidesCountsMoreThanNan) {
  EXPECT_EQ(Maximum(kTestNan, kTestInfinity), kTestInfinity);
  EXPECT_EQ(NumberText(Maximum(kTestNan, 3)), "NaN");
  EXPECT_EQ(NumberText(Maximum(-kTestInfinity, kTestNan)), "NaN");
  EXPECT_EQ(Minimum(kTestNan, -kTestInfinity), -kTestInfinity);
  EXPECT_EQ(NumberText(Minimum(kTestInfinity, kTestNan)), "NaN");
  EXPECT_EQ(Maximum(2, 3), 3);
  EXPECT_EQ(Minimum(2, 3), 2);
  EXPECT_FALSE(std::signbit(Maximum(-0.0, 0.0)));
  EXPECT_TRUE(std::signbit(Minimum(0.0, -0.0)));
}

}  // namespace
}  // namespace hourcell::promql
