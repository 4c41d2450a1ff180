// Formulas of /api/query/exp: tests/data/expressions.json has formulas with their values, and
// refused texts.

#include "engine/expressions/formula.h"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/expressions/function_call.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::formula_test {
namespace {

using simdjson::dom::element;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double NumberOf(element value) {
  return value.is_number() ? double(value) : kNan;  // "NaN"
}

double ValueOf(std::string_view text, double a = 0, double b = 0) {
  const auto formula = Formula::Parse(text);
  EXPECT_OK(formula);
  if (!formula.ok()) return kNan;
  std::vector<std::vector<double>> columns;
  for (const std::string& variable : formula->variables())
    columns.push_back({variable == "a" ? a : b});
  return formula->Evaluate(columns, 1)[0];
}

TEST(FormulaTest, EachFormulaHasItsValue) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("expressions.json", "exp arith")) {
    const std::string text = TextOf(vector.given, "expr");
    SCOPED_TRACE(text);
    const auto formula = Formula::Parse(text);
    ASSERT_OK(formula);
    std::vector<std::vector<double>> columns;
    for (const std::string& variable : formula->variables())
      columns.push_back({NumberOf(vector.given["vars"].at_key(variable))});
    const double got = formula->Evaluate(columns, 1)[0];
    const double want = NumberOf(vector.expect["value"]);
    EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want))) << got;
    ++run;
  }
  EXPECT_EQ(run, 19);
}

TEST(FormulaTest, OtherTextsAreRefused) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("expressions.json", "exp parse")) {
    EXPECT_THAT(Formula::Parse(TextOf(vector.given, "expr")),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expression: character")));
    ++run;
  }
  EXPECT_EQ(run, 7);
}

TEST(FormulaTest, OperatorsBindAsInC) {
  EXPECT_EQ(ValueOf("2 + 3 * 4 - 6 / 2"), 11);
  EXPECT_EQ(ValueOf("10 - 4 - 3"), 3);
  EXPECT_EQ(ValueOf("-2 * -3"), 6);
  EXPECT_EQ(ValueOf("1 < 2 == 1"), 1);
  EXPECT_EQ(ValueOf("6 & 3 | 8 ^ 1"), 11);
  EXPECT_EQ(ValueOf("not 0 and 1 or 0"), 1);
  EXPECT_EQ(ValueOf("a ? 1 : b ? 2 : 3", 0, 1), 2);
  EXPECT_EQ(ValueOf("a ?: b ?: 5", 0, 0), 5);
  EXPECT_EQ(ValueOf("(a + b) * 2 >= 6 ? a : -b", 1, 2), 1);
  EXPECT_EQ(ValueOf("~0"), -1);
}

TEST(FormulaTest, NumbersHaveTheFormsOfJexl) {
  EXPECT_EQ(ValueOf("0x1F + 017 + 1.5d + 2e1 + 1E-1 + 3L"), 31 + 15 + 1.5 + 20 + 0.1 + 3);
  EXPECT_EQ(ValueOf("true + false"), 1);
  for (const char* const text : {"1.", ".5", "08", "0x", "1e", "2a", "1e999", "1..2", "0x1d1g"})
    EXPECT_FALSE(Formula::Parse(text).ok()) << text;
}

TEST(FormulaTest, ZeroAndNanHaveTheirOwnRules) {
  EXPECT_EQ(ValueOf("a / b", kNan, 0), 0);
  EXPECT_EQ(ValueOf("a % b", -7, 3), -1);
  EXPECT_EQ(ValueOf("a > b", -1, kNan), 1);
  EXPECT_EQ(ValueOf("a ? 1 : 2", kNan), 2);
  EXPECT_EQ(ValueOf("!a", kNan), 1);
  EXPECT_EQ(ValueOf("a | 1", kNan), 1);
}

TEST(FormulaTest, AnErrorNamesItsCharacter) {
  const auto expect_error = [](std::string_view text, std::string_view error) {
    EXPECT_THAT(Formula::Parse(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(error))))
        << text;
  };
  expect_error("", "character 1: expected a number, a variable or '(', got the end");
  expect_error("a +", "character 4: expected a number, a variable or '(', got the end");
  expect_error("a b", R"(character 3: expected an operator or the end, got "b")");
  expect_error("(a + b", "character 7: expected ')', got the end");
  expect_error("a ? b", "character 6: expected ':', got the end");
  expect_error("a + size", "character 5: expected a number, a variable or '('; the word is");
}

TEST(FormulaTest, DepthAndSizeAreBounded) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')');
  };
  EXPECT_OK(Formula::Parse(nested(kExpressionDepthMax - 1)));
  EXPECT_FALSE(Formula::Parse(nested(kExpressionDepthMax)).ok());
  EXPECT_FALSE(Formula::Parse(std::string(100, '-') + "a").ok());
  std::string sum = "a";
  for (int i = 0; i < 400; ++i)
    sum += "+a";
  EXPECT_EQ(ValueOf(sum, 1), 401);
  for (int i = 0; i < 200; ++i)
    sum += "+a";
  EXPECT_FALSE(Formula::Parse(sum).ok());
  EXPECT_FALSE(Formula::Parse(std::string(kExpressionBytesMax + 1, ' ')).ok());
}

// A random formula with its value by recursion, written with all parentheses.
struct Naive {
  std::string text;
  double value;
};

Naive RandomFormula(Random* random, int depth, double a, double b) {
  switch (depth == 0 ? random->Below(3) : random->Below(9)) {
    case 0:
      return {"a", a};
    case 1:
      return {"b", b};
    case 2: {
      const auto number = static_cast<double>(random->Below(5));
      return {fmt::format("{}", number), number};
    }
    default:
      break;
  }
  const Naive x = RandomFormula(random, depth - 1, a, b);
  const Naive y = RandomFormula(random, depth - 1, a, b);
  const auto joined = [&](std::string_view sign, double value) -> Naive {
    return {fmt::format("({} {} {})", x.text, sign, y.text), value};
  };
  switch (random->Below(7)) {
    case 0:
      return joined("+", x.value + y.value);
    case 1:
      return joined("-", x.value - y.value);
    case 2:
      return joined("*", x.value * y.value);
    case 3:
      return joined("/", y.value == 0 ? 0 : x.value / y.value);
    case 4:
      return joined("<", x.value < y.value ? 1 : 0);
    case 5:
      return joined("==", x.value == y.value ? 1 : 0);
    default:
      return {fmt::format("({} ? {} : {})", x.text, y.text, "a"), x.value != 0 ? y.value : a};
  }
}

TEST(FormulaTest, AgreesWithARecursionOnRandomFormulas) {
  Random random(11);
  for (int round = 0; round < 2000; ++round) {
    const double a = static_cast<double>(random.Below(7)) - 3;
    const double b = static_cast<double>(random.Below(7)) - 3;
    const Naive naive = RandomFormula(&random, 4, a, b);
    EXPECT_EQ(ValueOf(naive.text, a, b), naive.value) << naive.text;
  }
}

TEST(FormulaTest, RowsAreCalculatedAlone) {
  const auto formula = Formula::Parse("a > 1000 ? a * 2 : b");
  ASSERT_OK(formula);
  std::vector<std::vector<double>> columns(2, std::vector<double>(3000));
  for (size_t i = 0; i < 3000; ++i)
    columns[0][i] = static_cast<double>(i);

  const std::vector<double> values = formula->Evaluate(columns, 3000);

  for (size_t i = 0; i < 3000; ++i)
    ASSERT_EQ(values[i], i > 1000 ? 2 * static_cast<double>(i) : 0);
}

}  // namespace
}  // namespace hourcell::formula_test
