#include "promql/text/parser.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/promql/text/query_cases.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ExpressionPtr Parse(std::string_view text) {
  auto query = ParseQuery(text);
  EXPECT_OK(query) << text;
  return query.ok() ? std::move(*query) : nullptr;
}

// The tree of an expression of names and operators, with all parentheses.
std::string TreeOf(const Expression& expression) {
  if (const auto* binary = std::get_if<Binary>(&expression.node)) {
    return fmt::format("({} {} {})", TreeOf(*binary->left), BinaryOperatorText(binary->op),
                       TreeOf(*binary->right));
  }
  if (const auto* unary = std::get_if<Unary>(&expression.node))
    return fmt::format("({}{})", unary->negate ? '-' : '+', TreeOf(*unary->inner));
  return ExpressionText(expression);
}

std::string Repeat(std::string_view text, size_t count) {
  std::string repeated;
  for (size_t i = 0; i < count; ++i)
    repeated += text;
  return repeated;
}

TEST(ParserTest, OperatorsBindInTheOrderOfPrometheus) {
  const TextCase cases[] = {
      {"a or b and c", "(a or (b and c))"},
      {"a and b unless c", "((a and b) unless c)"},
      {"a and b == c", "(a and (b == c))"},
      {"a < b + c", "(a < (b + c))"},
      {"a - b - c", "((a - b) - c)"},
      {"a + b * c", "(a + (b * c))"},
      {"a * b atan2 c", "((a * b) atan2 c)"},
      {"a * b ^ c", "(a * (b ^ c))"},
      {"a ^ b ^ c", "(a ^ (b ^ c))"},
      {"-a ^ b", "(-(a ^ b))"},
      {"-a * b", "((-a) * b)"},
      {"a ^ -b ^ c * d", "((a ^ (-(b ^ c))) * d)"},
      {"a * -b + c", "((a * (-b)) + c)"},
      {"-1 ^ 2", "(-(1 ^ 2))"},
      {"+-a", "(+(-a))"},
      {"a + b offset 5m", "(a + b offset 5m)"},
      {"-a @ 5", "(-a @ 5.000)"},
  };
  for (const auto& [query, tree] : cases)
    EXPECT_EQ(TreeOf(*Parse(query)), tree) << query;
}

TEST(ParserTest, ASignBeforeANumberIsPartOfIt) {
  const ExpressionPtr number = Parse(" --+-1");

  EXPECT_EQ(std::get<NumberLiteral>(number->node).value, -1);
  EXPECT_EQ(number->where, (TextRange{1, 6}));
}

TEST(ParserTest, ASelectorHasTheMetricAsItsLastMatcher) {
  const ExpressionPtr query = Parse(R"(up{job!="a",zone=~"b|c"} @ end() offset -90s)");

  const auto& selector = std::get<VectorSelector>(query->node);
  EXPECT_EQ(selector.metric, "up");
  EXPECT_THAT(selector.matchers,
              ElementsAre(LabelMatcher{"job", MatchOperator::kNotEqual, "a"},
                          LabelMatcher{"zone", MatchOperator::kRegexp, "b|c"},
                          LabelMatcher{"__name__", MatchOperator::kEqual, "up"}));
  EXPECT_EQ(selector.shift, (TimeShift{.offset_ms = -90'000, .at = TimeShift::At::kEnd}));
  EXPECT_EQ(query->type, ValueType::kVector);
}

TEST(ParserTest, ASubqueryHasItsOwnShift) {
  const ExpressionPtr query = Parse("a[1h:5m] @ 1.5 offset 1m");

  const auto& subquery = std::get<Subquery>(query->node);
  EXPECT_EQ(subquery.range_ms, 3'600'000);
  EXPECT_EQ(subquery.step_ms, 300'000);
  EXPECT_EQ(subquery.shift,
            (TimeShift{.offset_ms = 60'000, .at = TimeShift::At::kTime, .at_ms = 1500}));
  EXPECT_EQ(std::get<VectorSelector>(subquery.inner->node).shift, TimeShift());
  EXPECT_EQ(query->type, ValueType::kMatrix);
}

TEST(ParserTest, ARangeLeavesTheShiftToItsSelector) {
  const ExpressionPtr query = Parse("a[5m] offset 1m");

  const auto& matrix = std::get<MatrixSelector>(query->node);
  EXPECT_EQ(matrix.range_ms, 300'000);
  EXPECT_EQ(std::get<VectorSelector>(matrix.selector->node).shift.offset_ms, 60'000);
}

TEST(ParserTest, LabelsAreSortedAndOnce) {
  const ExpressionPtr query = Parse("sum by (b, a, b) (x) * on(d, c, d) group_left(f, e) y");

  const auto& binary = std::get<Binary>(query->node);
  EXPECT_THAT(std::get<Aggregation>(binary.left->node).grouping, ElementsAre("a", "b"));
  EXPECT_THAT(binary.matching->labels, ElementsAre("c", "d"));
  EXPECT_THAT(binary.matching->include, ElementsAre("f", "e"));
  EXPECT_EQ(binary.matching->cardinality, MatchCardinality::kManyToOne);
}

TEST(ParserTest, AnAggregationHasAParameterIfItsOperatorTakesOne) {
  const ExpressionPtr query = Parse("topk without (x) (3, a)");

  const auto& aggregation = std::get<Aggregation>(query->node);
  EXPECT_TRUE(aggregation.without);
  EXPECT_EQ(std::get<NumberLiteral>(aggregation.parameter->node).value, 3);
  EXPECT_EQ(std::get<Aggregation>(Parse("sum(a)")->node).parameter, nullptr);
}

TEST(ParserTest, KeywordsAreNamesOfMetricsAndLabels) {
  for (const std::string_view word :
       {"sum", "by", "without", "offset", "and", "or", "unless", "start", "end", "quantile"})
    EXPECT_EQ(std::get<VectorSelector>(Parse(word)->node).metric, word);
  for (const std::string_view word :
       {"sum", "by", "on", "bool", "offset", "and", "atan2", "group_left", "ignoring", "end"}) {
    EXPECT_THAT(std::get<Aggregation>(Parse(fmt::format("sum by ({}) (a)", word))->node).grouping,
                ElementsAre(word));
  }
}

TEST(ParserTest, NodesHaveTheirBytes) {
  const ExpressionPtr query = Parse(" sum(rate(a{b=\"c\"}[5m] offset 1m)) by (x) / (2)");

  EXPECT_EQ(query->where, (TextRange{1, 47}));
  const auto& binary = std::get<Binary>(query->node);
  EXPECT_EQ(binary.left->where, (TextRange{1, 41}));
  EXPECT_EQ(binary.right->where, (TextRange{44, 47}));
  const auto& call = *std::get<Aggregation>(binary.left->node).inner;
  EXPECT_EQ(call.where, (TextRange{5, 33}));
  const auto& matrix = *std::get<Call>(call.node).arguments[0];
  EXPECT_EQ(matrix.where, (TextRange{10, 32}));
  EXPECT_EQ(std::get<MatrixSelector>(matrix.node).selector->where, (TextRange{10, 18}));
}

// The texts and positions are those of Prometheus 2.42.
constexpr ErrorCase kSyntaxErrors[] = {
    {"# just a comment", "1:1", "no expression found in input"},
    {"1 /", "1:4", "unexpected end of input"},
    {"*1", "1:1", "unexpected <op:*>"},
    {"*test", "1:1", "unexpected <op:*>"},
    {"1 offset 1d", "1:1",
     "offset modifier must be preceded by an instant vector selector or range vector selector or "
     "a subquery"},
    {"foo offset 1s offset 2s", "1:1", "offset may not be set multiple times"},
    {"a - on(b) ignoring(c) d", "1:11", "unexpected <ignoring>"},
    {"foo @ +Inf", "1:1", "timestamp out of bounds for @ modifier: +Inf"},
    {"foo @ -Inf", "1:1", "timestamp out of bounds for @ modifier: -Inf"},
    {"foo @ NaN", "1:1", "timestamp out of bounds for @ modifier: NaN"},
    {"foo @ 9223372036854775808", "1:1",
     "timestamp out of bounds for @ modifier: 9223372036854775808.000000"},
    {"foo @ -9223372036854775808", "1:1",
     "timestamp out of bounds for @ modifier: -9223372036854775808.000000"},
    {"some_metric{a=b}", "1:15", "unexpected identifier \"b\" in label matching, expected string"},
    {"foo{gibberish}", "1:14",
     "unexpected \"}\" in label matching, expected label matching operator"},
    {"foo{__name__= =}", "1:15", "unexpected \"=\" in label matching, expected string"},
    {"foo{,}", "1:5", "unexpected \",\" in label matching, expected identifier or \"}\""},
    {R"(foo{__name__ == "bar"})", "1:15", "unexpected \"=\" in label matching, expected string"},
    {R"(foo{__name__="bar" lol})", "1:20",
     "unexpected identifier \"lol\" in label matching, expected \",\" or \"}\""},
    {"foo[5y1hs]", "1:5", "not a valid duration string: \"5y1hs\""},
    {"foo[5m1h]", "1:5", "not a valid duration string: \"5m1h\""},
    {"foo[5m1m]", "1:5", "not a valid duration string: \"5m1m\""},
    {"foo[0m]", "1:5", "duration must be greater than 0"},
    {"some_metric[5m] OFFSET 1", "1:24", "unexpected number \"1\" in offset, expected duration"},
    {"some_metric[5m] OFFSET", "1:23", "unexpected end of input in offset, expected duration"},
    {"some_metric OFFSET 1m[5m]", "1:22", "no offset modifiers allowed before range"},
    {"some_metric[5m] @ 1m", "1:19", "unexpected duration \"1m\" in @, expected timestamp"},
    {"some_metric[5m] @", "1:18", "unexpected end of input in @, expected timestamp"},
    {"some_metric @ 1234 [5m]", "1:20", "no @ modifiers allowed before range"},
    {"(foo + bar)[5m]", "1:12", "ranges only allowed for vector selectors"},
    {"sum without(==)(some_metric)", "1:13", "unexpected <op:==> in grouping opts, expected label"},
    {"sum without(,)(some_metric)", "1:13", "unexpected \",\" in grouping opts, expected label"},
    {"sum without(foo,,)(some_metric)", "1:17",
     "unexpected \",\" in grouping opts, expected label"},
    {"sum some_metric by (test)", "1:5", "unexpected identifier \"some_metric\""},
    {"sum (some_metric) by test", "1:22",
     "unexpected identifier \"test\" in grouping opts, expected \"(\""},
    {"sum () by (test)", "1:1", "no arguments for aggregate expression provided"},
    {"MIN keep_common (some_metric)", "1:5", "unexpected identifier \"keep_common\""},
    {"MIN (some_metric) keep_common", "1:19", "unexpected identifier \"keep_common\""},
    {"sum (some_metric) without (test) by (test)", "1:34", "unexpected <by>"},
    {"sum without (test) (some_metric) by (test)", "1:34", "unexpected <by>"},
    {"topk(some_metric)", "1:1",
     "wrong number of arguments for aggregate expression provided, expected 2, got 1"},
    {"topk(some_metric,)", "1:17", "trailing commas not allowed in function call args"},
    {"rate(some_metric[5m]) by (x)", "1:23", "unexpected <by>"},
    {"non_existent_function_far_bar()", "1:1",
     "unknown function with name \"non_existent_function_far_bar\""},
    {"-=", "1:2", "unexpected \"=\""},
    {"++-++-+-+-<", "1:11", "unexpected <op:<>"},
    {"e-+=/(0)", "1:4", "unexpected \"=\""},
    {R"((foo + bar{nm="val"})[5m])", "1:22", "ranges only allowed for vector selectors"},
    {"atan2", "1:1", "unexpected <op:atan2>"},
    {"a == on(x) bool b", "1:12", "unexpected <bool>"},
    {"a + on b", "1:8", "unexpected identifier \"b\" in grouping opts, expected \"(\""},
    {"a + on(x) group_left (b)", "1:25", "unexpected end of input"},
    {"a + group_left b", "1:5", "unexpected <group_left>"},
    {"a + on(x) group_left group_right b", "1:22",
     "unexpected <group_right> in grouping opts, expected \"(\""},
    {"a and on(x) bool b", "1:13", "unexpected <bool>"},
    {"bool", "1:1", "unexpected <bool>"},
    {"on", "1:1", "unexpected <on>"},
    {"ignoring", "1:1", "unexpected <ignoring>"},
    {"group_left", "1:1", "unexpected <group_left>"},
    {"group_right", "1:1", "unexpected <group_right>"},
    {"sum by", "1:7", "unexpected end of input in grouping opts, expected \"(\""},
    {"sum(x)(y)", "1:7", "unexpected \"(\""},
    {"sum x", "1:5", "unexpected identifier \"x\""},
    {"sum(,)", "1:5", "unexpected \",\" in aggregation"},
    {"sum(1,)", "1:6", "trailing commas not allowed in function call args"},
    {"foo(1,)", "1:6", "trailing commas not allowed in function call args"},
    {"abs(1,)", "1:6", "trailing commas not allowed in function call args"},
    {"abs(,1)", "1:5", "unexpected \",\""},
    {"1 @ 5", "1:1",
     "@ modifier must be preceded by an instant vector selector or range vector selector or a "
     "subquery"},
    {"a @ 5 @ 6", "1:1", "@ <timestamp> may not be set multiple times"},
    {"a @ start() @ 5", "1:1", "@ <timestamp> may not be set multiple times"},
    {"a @ start( 5 )", "1:12", "unexpected number \"5\" in @, expected timestamp"},
    {"a @ start", "1:10", "unexpected end of input in @, expected timestamp"},
    {"a @ begin()", "1:5", "unexpected identifier \"begin\" in @, expected timestamp"},
    {"a @ --5", "1:6", "unexpected <op:-> in @, expected timestamp"},
    {"a[5m] @ 5 @ 6", "1:1", "@ <timestamp> may not be set multiple times"},
    {"a[5m:] @ 5 @ 6", "1:1", "@ <timestamp> may not be set multiple times"},
    {"(a) @ 5", "1:1",
     "@ modifier must be preceded by an instant vector selector or range vector selector or a "
     "subquery"},
    {"(a) offset 5m", "1:1",
     "offset modifier must be preceded by an instant vector selector or range vector selector or "
     "a subquery"},
    {"sum(a) offset 5m", "1:1",
     "offset modifier must be preceded by an instant vector selector or range vector selector or "
     "a subquery"},
    {"a offset 0s", "1:10", "duration must be greater than 0"},
    {"a offset -0s", "1:11", "duration must be greater than 0"},
    {"a offset +5m", "1:10", "unexpected <op:+> in offset, expected duration"},
    {"a offset 5m5m", "1:10", "not a valid duration string: \"5m5m\""},
    {"a offset 5", "1:10", "unexpected number \"5\" in offset, expected duration"},
    {"a offset foo", "1:10", "unexpected identifier \"foo\" in offset, expected duration"},
    {"a offset 300y", "1:10", "duration out of range"},
    {"a[300y]", "1:3", "duration out of range"},
    {"a[99999999999999999999y]", "1:3", "duration out of range"},
    {"a[292y100w]", "1:3", "duration out of range"},
    {"a[5m:1", "1:6", "unexpected number \"1\" in subquery selector, expected duration or \"]\""},
    {"a[5m:1]", "1:6", "unexpected number \"1\" in subquery selector, expected duration or \"]\""},
    {"a[5m 5m]", "1:6", "unexpected duration \"5m\" in subquery or range, expected \":\" or \"]\""},
    {"a[5m,]", "1:5", "unexpected \",\" in subquery or range, expected \":\" or \"]\""},
    {"a[5m:-1m]", "1:6", "unexpected <op:-> in subquery selector, expected duration or \"]\""},
    {"a[5m:0s]", "1:6", "duration must be greater than 0"},
    {R"(a{b="c" d="e"})", "1:9",
     "unexpected identifier \"d\" in label matching, expected \",\" or \"}\""},
    {R"(a{b="c",,})", "1:9", "unexpected \",\" in label matching, expected identifier or \"}\""},
    {R"(a{b=~"["})", "1:3", "error parsing regexp: missing closing ]: `[)$`"},
    {R"(a{b!~"("})", "1:3", "error parsing regexp: missing closing ): `^(?:()$`"},
    {R"(a{b=~"a{1,2}{3}"})", "1:3",
     "error parsing regexp: invalid nested repetition operator: `{1,2}{3}`"},
    {R"(a{b=~"\\pX"})", "1:3", "error parsing regexp: invalid character class range: `\\pX`"},
    {R"(a{b=~"[[:foo:]]"})", "1:3",
     "error parsing regexp: invalid character class range: `[:foo:]`"},
    {R"(a{b=~"[z-a]"})", "1:3", "error parsing regexp: invalid character class range: `z-a`"},
    {R"(a{b=~"(?P<n"})", "1:3", "error parsing regexp: invalid named capture: `(?P<n)$`"},
    {R"q(a{b=~"(?=x)"})q", "1:3",
     "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
    {R"(a{b=~"\\C"})", "1:3", "error parsing regexp: invalid escape sequence: `\\C`"},
    {R"(a{b=~"+"})", "1:3", "error parsing regexp: missing argument to repetition operator: `+`"},
    {R"(a{b=~"a??+"})", "1:3", "error parsing regexp: invalid nested repetition operator: `??+`"},
    {R"(a{b=~"x{1001}"})", "1:3", "error parsing regexp: invalid repeat count: `{1001}`"},
    {R"q(a{b=~"(((((a{100}){100}){100})"})q", "1:3",
     "error parsing regexp: invalid repeat count: `{100}`"},
    {R"q(a{b=~")"})q", "1:3", "error parsing regexp: unexpected ): `^(?:))$`"},
    {"0x", "1:1", "error parsing number: strconv.ParseFloat: parsing \"0x\": invalid syntax"},
    {"0x1.8", "1:1", "error parsing number: strconv.ParseFloat: parsing \"0x1.8\": invalid syntax"},
    {"0xffffffffffffffffff", "1:1",
     "error parsing number: strconv.ParseFloat: parsing \"0xffffffffffffffffff\": invalid "
     "syntax"},
    {"1e", "1:1", "error parsing number: strconv.ParseFloat: parsing \"1e\": invalid syntax"},
    {"1e400", "1:1",
     "error parsing number: strconv.ParseFloat: parsing \"1e400\": value out of range"},
    {R"("a" "b")", "1:5", "unexpected string \"\\\"b\\\"\""},
    {"topk(1)", "1:1",
     "wrong number of arguments for aggregate expression provided, expected 2, got 1"},
    {"topk(1,a,b)", "1:1",
     "wrong number of arguments for aggregate expression provided, expected 2, got 3"},
    {"rate(a[5m]) offset 5m", "1:1",
     "offset modifier must be preceded by an instant vector selector or range vector selector or "
     "a subquery"},
    {"ABS(a)", "1:1", "unknown function with name \"ABS\""},
    {"Rate(a[5m])", "1:1", "unknown function with name \"Rate\""},
    {"# x", "1:1", "no expression found in input"},
    {"a + on(x) group_left", "1:21", "unexpected end of input in grouping opts, expected \"(\""},
    {"(a + on(x) group_left )", "1:23", "unexpected \")\" in grouping opts, expected \"(\""},
    {"sum(a + on(x) group_left )", "1:26", "unexpected \")\" in grouping opts, expected \"(\""},
    {R"(a{b=~"\\Q\\C\\E\\C"})", "1:3", "error parsing regexp: invalid escape sequence: `\\C`"},
    {R"(a{b=~"[\\C]"})", "1:3", "error parsing regexp: invalid escape sequence: `\\C`"},
    {"1 @ ", "1:5", "unexpected end of input in @, expected timestamp"},
    {"foo[5m:1m 3]", "1:11", "unexpected number \"3\" in subquery selector, expected \"]\""},
    {"sum(1 2)", "1:7", "unexpected number \"2\" in aggregation"},
    {"sum(1 + )", "1:9", "unexpected \")\" in aggregation"},
    {"sum by (without) (x)", "1:9", "unexpected <without> in grouping opts, expected label"},
    {"sum by (a:b) (x)", "1:9",
     "unexpected metric identifier \"a:b\" in grouping opts, expected label"},
    {"sum by (inf) (x)", "1:9", "unexpected number \"inf\" in grouping opts, expected label"},
    {R"(foo{a=~"(a"})", "1:5", "error parsing regexp: missing closing ): `^(?:(a)$`"},
    {R"(foo{a=~"*"})", "1:5", "error parsing regexp: missing argument to repetition operator: `*`"},
    {R"(foo{a=~"a**"})", "1:5", "error parsing regexp: invalid nested repetition operator: `**`"},
    {R"(foo{a=~"[b"})", "1:5", "error parsing regexp: missing closing ]: `[b)$`"},
    {R"(foo{a=~"\\"})", "1:5", "error parsing regexp: missing closing ): `^(?:\\)$`"},
    {R"(foo{a=~"\\q"})", "1:5", "error parsing regexp: invalid escape sequence: `\\q`"},
    {R"(foo{a=~"a{2000}"})", "1:5", "error parsing regexp: invalid repeat count: `{2000}`"},
    {R"q(foo{a=~"(?<a)"})q", "1:5",
     "error parsing regexp: invalid or unsupported Perl syntax: `(?<`"},
    {R"q(foo{a=~"a)"})q", "1:5", "error parsing regexp: unexpected ): `^(?:a))$`"},
    {"1e999", "1:1",
     "error parsing number: strconv.ParseFloat: parsing \"1e999\": value out of range"},
    {R"(1 "abcdefghijklmnop")", "1:3", "unexpected string \"\\\"abcdefghi\"..."},
    {"1 1.23456789012345", "1:3", "unexpected number \"1.23456789\"..."},
    {"foo(1) $", "1:1", "unknown function with name \"foo\""},
    {"foo @ 1e19", "1:1", "timestamp out of bounds for @ modifier: 10000000000000000000.000000"},
    {"foo @ Inf", "1:1", "timestamp out of bounds for @ modifier: +Inf"},
    {"foo offset 300", "1:12", "unexpected number \"300\" in offset, expected duration"},
    {"foo offset (5m)", "1:12", "unexpected \"(\" in offset, expected duration"},
};

TEST(ParserTest, WrongQueriesHaveTheErrorsOfPrometheus) {
  for (const ErrorCase& c : kSyntaxErrors)
    ExpectError(c);
}

TEST(ParserTest, PositionsCountLinesAndBytes) {
  ExpectError({"", "1:1", "no expression found in input"});
  ExpectError({"# a\n\n  # b", "1:1", "no expression found in input"});
  ExpectError({"a +\n  'x", "2:3", "unterminated quoted string"});
  ExpectError({"a +\n\n", "3:1", "unexpected end of input"});
  ExpectError({"'\u00e9' b", "1:6", "unexpected identifier \"b\""});
}

TEST(ParserTest, TheLanguageOfLaterVersionsIsRefusedByName) {
  const ErrorCase cases[] = {
      {"info(a)", "1:1", "info"},
      {"sum(mad_over_time(a[5m]))", "1:5", "mad_over_time"},
      {"double_exponential_smoothing(a[5m], 0.5, 0.5)", "1:1", "double_exponential_smoothing"},
      {"sort_by_label(a, 'b')", "1:1", "sort_by_label"},
      {"limitk(2, a)", "1:1", "limitk"},
      {"limit_ratio by (x) (0.5, a)", "1:1", "limit_ratio"},
      {"a + fill(0) b", "1:5", "fill"},
      {"a[5m] smoothed", "1:7", "smoothed"},
      {"{\"a.b\"}", "1:2", "a metric or label name in quotes"},
      {"a{b=\"c\",\"d.e\"=\"f\"}", "1:9", "a metric or label name in quotes"},
      {"sum by (\"a.b\") (c)", "1:9", "a label name in quotes"},
      {"a[5m + 1m]", "1:6", "an operator in a range"},
  };
  for (const auto& [query, position, name] : cases) {
    const std::string text = fmt::format("{} is not part of the language of Prometheus 2.42", name);
    ExpectError({query, position, text});
  }
  EXPECT_OK(ParseQuery("info + limitk + fill + smoothed{step='1'}"));
}

TEST(ParserTest, DepthIsBounded) {
  const auto parses = [](size_t count, std::string_view before, std::string_view middle,
                         std::string_view after) {
    return ParseQuery(Repeat(before, count) + std::string(middle) + Repeat(after, count));
  };
  const TextCase nests[] = {{"(", ")"},      {"-", ""},   {"a^", ""}, {"abs(", ")"},
                            {"sum((", "))"}, {"a==", ""}, {"", "+a"}, {"a+-(", ")"}};
  for (const auto& [before, after] : nests) {
    EXPECT_OK(parses(kQueryDepth / 4, before, "a", after)) << before;
    for (const size_t count : {kQueryDepth, kQueryDepth * 20}) {
      EXPECT_THAT(parses(count, before, "a", after),
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           HasSubstr("nested too deeply; expected at most 200 levels")))
          << before << after << count;
    }
  }
  for (const std::string_view operand : {"a", "-1", "Inf"})
    EXPECT_OK(parses(kQueryDepth - 1, "(", operand, ")")) << operand;
  EXPECT_OK(parses(kQueryDepth - 1, "", "a", "+a"));
}

TEST(ParserTest, UnclosedNestsAreErrorsAtAnyDepth) {
  for (const std::string_view open : {"(", "sum(", "a{", "a[5m:", "-", "abs(-(", "a^"}) {
    const auto query = ParseQuery(Repeat(open, kQueryBytes / open.size()));
    EXPECT_THAT(query, StatusIs(absl::StatusCode::kInvalidArgument)) << open;
  }
  const std::string ranges = "a" + Repeat("[5m:]", kQueryBytes / 5 - 1);
  EXPECT_THAT(ParseQuery(ranges), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ParserTest, SizeIsBounded) {
  EXPECT_OK(ParseQuery("a" + std::string(kQueryBytes - 1, ' ')));
  ExpectError(
      {"a" + std::string(kQueryBytes, ' '), "1:1", "expected at most 65536 bytes, got 65537"});
}

TEST(ParserTest, ASelectorOfSeriesHasMatchersOnly) {
  EXPECT_THAT(ParseSelector("up{a=\"b\"} # comment"),
              IsOkAndHolds(ElementsAre(LabelMatcher{"a", MatchOperator::kEqual, "b"},
                                       LabelMatcher{"__name__", MatchOperator::kEqual, "up"})));
  EXPECT_THAT(ParseSelector("{}"), IsOkAndHolds(ElementsAre()));
  const ErrorCase cases[] = {
      {"", "1:1", "unexpected end of input"},
      {"a offset 5m", "1:3", "unexpected <offset>"},
      {"a @ 5", "1:3", "unexpected <op:@>"},
      {"a[5m]", "1:2", "unexpected \"[\""},
      {"(a)", "1:1", "unexpected \"(\""},
      {"1", "1:1", "unexpected number \"1\""},
      {"a{b=~\"(\"}", "1:3", "error parsing regexp: missing closing ): `^(?:()$`"},
  };
  for (const auto& [selector, position, text] : cases) {
    EXPECT_THAT(ParseSelector(selector),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         fmt::format("{}: parse error: {}", position, text)));
  }
}

}  // namespace
}  // namespace hourcell::promql
