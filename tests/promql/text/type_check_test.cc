#include "promql/text/type_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/text/parser.h"
#include "tests/promql/text/query_cases.h"

namespace hourcell::promql {
namespace {

Binary ParseBinary(std::string_view text) {
  auto query = ParseQuery(text);
  EXPECT_OK(query) << text;
  return std::move(std::get<Binary>((*query)->node));
}

// The texts and positions are those of Prometheus 2.42.
constexpr ErrorCase kTypeErrors[] = {
    {"1 and 1", "1:1", "set operator \"and\" not allowed in binary scalar expression"},
    {"1 == 1", "1:3", "comparisons between scalars must use BOOL modifier"},
    {"1 or 1", "1:1", "set operator \"or\" not allowed in binary scalar expression"},
    {"1 unless 1", "1:1", "set operator \"unless\" not allowed in binary scalar expression"},
    {R"(-"string")", "1:1",
     "unary expression only allowed on expressions of type scalar or instant vector, got "
     "\"string\""},
    {"-test[5m]", "1:1",
     "unary expression only allowed on expressions of type scalar or instant vector, got \"range "
     "vector\""},
    {"foo and 1", "1:1", "set operator \"and\" not allowed in binary scalar expression"},
    {"1 or on(bar) foo", "1:1", "vector matching only allowed between instant vectors"},
    {"foo == on(bar) 10", "1:1", "vector matching only allowed between instant vectors"},
    {R"(foo > on(bar) "x")", "1:15",
     "binary expression must contain only scalar and instant vector types"},
    {"foo and on(bar) group_left(baz) bar", "1:1", "no grouping allowed for \"and\" operation"},
    {"foo and on(bar) group_right(baz) bar", "1:1", "no grouping allowed for \"and\" operation"},
    {"foo or on(bar) group_left(baz) bar", "1:1", "no grouping allowed for \"or\" operation"},
    {"foo or on(bar) group_right(baz) bar", "1:1", "no grouping allowed for \"or\" operation"},
    {"foo + bool bar", "1:5", "bool modifier can only be used on comparison operators"},
    {"foo + bool 10", "1:5", "bool modifier can only be used on comparison operators"},
    {"foo and bool 10", "1:5", "bool modifier can only be used on comparison operators"},
    {"{}", "1:1", "vector selector must contain at least one non-empty matcher"},
    {R"({x=""})", "1:1", "vector selector must contain at least one non-empty matcher"},
    {R"({x=~".*"})", "1:1", "vector selector must contain at least one non-empty matcher"},
    {R"({x!~".+"})", "1:1", "vector selector must contain at least one non-empty matcher"},
    {R"(foo{__name__="bar"})", "1:1", "metric name must not be set twice: \"foo\" or \"bar\""},
    {"topk(some_metric, other_metric)", "1:6",
     "expected type scalar in aggregation parameter, got instant vector"},
    {"count_values(5, other_metric)", "1:14",
     "expected type string in aggregation parameter, got scalar"},
    {"floor()", "1:1", "expected 1 argument(s) in call to \"floor\", got 0"},
    {"floor(some_metric, other_metric)", "1:1",
     "expected 1 argument(s) in call to \"floor\", got 2"},
    {"floor(some_metric, 1)", "1:1", "expected 1 argument(s) in call to \"floor\", got 2"},
    {"floor(1)", "1:7", "expected type instant vector in call to function \"floor\", got scalar"},
    {"hour(some_metric, some_metric, some_metric)", "1:1",
     "expected at most 1 argument(s) in call to \"hour\", got 3"},
    {"time(some_metric)", "1:1", "expected 0 argument(s) in call to \"time\", got 1"},
    {"rate(some_metric)", "1:6",
     "expected type range vector in call to function \"rate\", got instant vector"},
    {R"(label_join(a, "b"))", "1:1",
     "expected at least 3 argument(s) in call to \"label_join\", got 2"},
    {R"(label_join(a, "b", ",", c))", "1:25",
     "expected type string in call to function \"label_join\", got instant vector"},
    {"test[5d] OFFSET 10s [10m:5s]", "1:1",
     "subquery is only allowed on instant vector, got matrix instead"},
    {"foo[5m:1m][5m:1m]", "1:1", "subquery is only allowed on instant vector, got matrix instead"},
    {"foo[5m:1m] + 1", "1:1",
     "binary expression must contain only scalar and instant vector types"},
    {"1[5m:]", "1:1", "subquery is only allowed on instant vector, got scalar instead"},
    {R"("a"[5m:])", "1:1", "subquery is only allowed on instant vector, got string instead"},
    {R"(a + "b")", "1:5", "binary expression must contain only scalar and instant vector types"},
    {R"("a" + a)", "1:1", "binary expression must contain only scalar and instant vector types"},
    {"-(a[5m])", "1:1",
     "unary expression only allowed on expressions of type scalar or instant vector, got \"range "
     "vector\""},
    {"a * on(x) group_left(x) b", "1:3",
     "label \"x\" must not occur in ON and GROUP clause at once"},
    {"a * on(z,x,y) group_left(y,x) b", "1:3",
     "label \"x\" must not occur in ON and GROUP clause at once"},
    {"clamp(a,b,2)", "1:9",
     "expected type scalar in call to function \"clamp\", got instant vector"},
    {"histogram_quantile(a, b)", "1:20",
     "expected type scalar in call to function \"histogram_quantile\", got instant vector"},
    {R"(quantile("a", a))", "1:10", "expected type scalar in aggregation parameter, got string"},
    {"topk(a, a)", "1:6", "expected type scalar in aggregation parameter, got instant vector"},
    {"topk(1,2)", "1:8", "expected type instant vector in aggregation expression, got scalar"},
    {R"(sum("a"))", "1:5", "expected type instant vector in aggregation expression, got string"},
    {"sum(a[5m])", "1:5",
     "expected type instant vector in aggregation expression, got range vector"},
    {"sum(1)", "1:5", "expected type instant vector in aggregation expression, got scalar"},
    {"vector(a)", "1:8", "expected type scalar in call to function \"vector\", got instant vector"},
    {"hour(1)", "1:6", "expected type instant vector in call to function \"hour\", got scalar"},
    {"hour(a,b)", "1:1", "expected at most 1 argument(s) in call to \"hour\", got 2"},
    {"predict_linear(a, 3600)", "1:16",
     "expected type range vector in call to function \"predict_linear\", got instant vector"},
    {"1 == 2", "1:3", "comparisons between scalars must use BOOL modifier"},
    {"1 == bool 2 == 3", "1:13", "comparisons between scalars must use BOOL modifier"},
    {"1\t==\t2", "1:3", "comparisons between scalars must use BOOL modifier"},
    {"vector(1) + bool vector(2)", "1:11",
     "bool modifier can only be used on comparison operators"},
    {"vector(1) == on(a) 1", "1:1", "vector matching only allowed between instant vectors"},
    {"1 + ignoring(a) 1", "1:1", "vector matching only allowed between instant vectors"},
};

TEST(TypeCheckTest, WrongTypesHaveTheErrorsOfPrometheus) {
  for (const ErrorCase& c : kTypeErrors)
    ExpectError(c);
}

TEST(TypeCheckTest, TheFirstErrorIsTheInnermostOneOnTheLeft) {
  ExpectError({"1 == (1 == 2)", "1:9", "comparisons between scalars must use BOOL modifier"});
  ExpectError({"(a[5m] + 1) + (1 == 2)", "1:2",
               "binary expression must contain only scalar and instant vector types"});
}

TEST(TypeCheckTest, AnErrorOfSyntaxComesBeforeThatOfATypeBeforeIt) {
  ExpectError({"(1 == 2) + $", "1:12", "unexpected character: '$'"});
}

TEST(TypeCheckTest, OnlyTwoVectorsAreMatched) {
  EXPECT_FALSE(ParseBinary("a + 1").matching.has_value());
  EXPECT_FALSE(ParseBinary("1 + on() a").matching.has_value());
  ASSERT_TRUE(ParseBinary("a + b").matching.has_value());
  EXPECT_EQ(ParseBinary("a + b").matching->cardinality, MatchCardinality::kOneToOne);
}

TEST(TypeCheckTest, SetOperatorsMatchManyToMany) {
  EXPECT_EQ(ParseBinary("a and on(x) b").matching->cardinality, MatchCardinality::kManyToMany);
}

}  // namespace
}  // namespace hourcell::promql
