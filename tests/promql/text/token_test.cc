#include "promql/text/token.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/text/parser.h"
#include "tests/promql/text/query_cases.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;

// The tokens up to the end or the error, as errors name them.
std::vector<std::string> DescriptionsOf(std::string_view text) {
  std::vector<std::string> descriptions;
  Lexer lexer(text);
  while (true) {
    const Token token = lexer.Next();
    descriptions.push_back(token.kind == TokenKind::kError ? token.error : DescribeToken(token));
    if (token.kind == TokenKind::kError || token.kind == TokenKind::kEnd) return descriptions;
  }
}

TEST(TokenTest, AnErrorNamesATokenAsPrometheusDoes) {
  EXPECT_THAT(DescriptionsOf("a b:c 1 5m \"s\" sum by START @ + ( , = !="),
              ElementsAre("identifier \"a\"", "metric identifier \"b:c\"", "number \"1\"",
                          "duration \"5m\"", "string \"\\\"s\\\"\"", "<aggr:sum>", "<by>",
                          "\"START\"", "<op:@>", "<op:+>", "\"(\"", "\",\"", "\"=\"", "<op:!=>",
                          "unclosed left parenthesis"));
}

TEST(TokenTest, ALongNumberOrStringIsCut) {
  EXPECT_THAT(DescriptionsOf("1.23456789012 'abcdefghijkl'"),
              ElementsAre("number \"1.23456789\"...", "string \"'abcdefghi\"...", "end of input"));
}

TEST(TokenTest, WordsInBracesAreLabels) {
  EXPECT_THAT(DescriptionsOf("sum{sum=~\"a\"}"),
              ElementsAre("<aggr:sum>", "\"{\"", "identifier \"sum\"", "<op:=~>",
                          "string \"\\\"a\\\"\"", "\"}\"", "end of input"));
}

TEST(TokenTest, KeywordsHaveAnyCaseAndKeepTheirText) {
  Lexer lexer("SuM aNd iNf");

  const Token sum = lexer.Next();
  EXPECT_EQ(sum.kind, TokenKind::kAggregate);
  EXPECT_EQ(sum.aggregate, AggregateOperator::kSum);
  EXPECT_EQ(sum.text, "SuM");
  EXPECT_TRUE(lexer.Next().is(BinaryOperator::kAnd));
  EXPECT_EQ(lexer.Next().kind, TokenKind::kNumber);
}

TEST(TokenTest, ATokenHasItsBytes) {
  Lexer lexer("  foo # comment\n +");

  EXPECT_EQ(lexer.Next().where, (TextRange{2, 5}));
  EXPECT_EQ(lexer.Next().where, (TextRange{17, 18}));
  EXPECT_EQ(lexer.Next().where, (TextRange{18, 18}));
  EXPECT_EQ(lexer.Next().kind, TokenKind::kEnd);
}

// The texts and positions are those of Prometheus 2.42.
constexpr ErrorCase kLexerErrors[] = {
    {"0deadbeef", "1:1", "bad number or duration syntax: \"0de\""},
    {"(1))", "1:5", "unexpected right parenthesis ')'"},
    {"((1)", "1:5", "unclosed left parenthesis"},
    {"(", "1:2", "unclosed left parenthesis"},
    {"1 !~ 1", "1:3", "unexpected character after '!': '~'"},
    {"1 =~ 1", "1:3", "unexpected character after '=': '~'"},
    {"{", "1:2", "unexpected end of input inside braces"},
    {"}", "1:1", "unexpected character: '}'"},
    {"some{", "1:6", "unexpected end of input inside braces"},
    {"some}", "1:5", "unexpected character: '}'"},
    {R"(some_metric{a:b="b"})", "1:14", "unexpected character inside braces: ':'"},
    {R"(foo{a*"b"})", "1:6", "unexpected character inside braces: '*'"},
    {R"(foo{a>="b"})", "1:6", "unexpected character inside braces: '>'"},
    {"foo{1}", "1:5", "unexpected character inside braces: '1'"},
    {"foo[5mm]", "1:5", "bad duration syntax: \"5mm\""},
    {"foo[5m1]", "1:5", "bad duration syntax: \"5m1\""},
    {"foo[5m:1m1]", "1:8", "bad number or duration syntax: \"1m1\""},
    {R"(foo["5m"])", "1:5", "missing unit character in duration"},
    {"foo[]", "1:5", "missing unit character in duration"},
    {"foo[1]", "1:5", "missing unit character in duration"},
    {"some_metric[5m] OFFSET 1mm", "1:24", "bad number or duration syntax: \"1mm\""},
    {R"("\)", "1:1", "escape sequence not terminated"},
    {R"("\c")", "1:1", "unknown escape sequence U+0063 'c'"},
    {R"("\x.")", "1:1", "illegal character U+002E '.' in escape sequence"},
    {"test[5d] OFFSET 10s [10m:5s", "1:28", "unclosed left bracket"},
    {"sum by (", "1:9", "unclosed left parenthesis"},
    {"sum by (x", "1:10", "unclosed left parenthesis"},
    {"a[5m", "1:5", "unclosed left bracket"},
    {"a[5m:", "1:6", "unclosed left bracket"},
    {"a[5m:a]", "1:6", "unexpected colon 'a'"},
    {"a[5m::]", "1:6", "unexpected colon ':'"},
    {"a[[5m]]", "1:3", "missing unit character in duration"},
    {"a]", "1:2", "unexpected right bracket ']'"},
    {"a[5m]]", "1:6", "unexpected right bracket ']'"},
    {"a[5M]", "1:3", "bad duration syntax: \"5\""},
    {"a . b", "1:3", "unexpected character: '.'"},
    {"a $ b", "1:3", "unexpected character: '$'"},
    {"a { b", "1:6", "unexpected end of input inside braces"},
    {R"(a{b="c")", "1:8", "unexpected end of input inside braces"},
    {"a{{", "1:3", "unexpected left brace '{'"},
    {"a{b!c}", "1:4", "unexpected character after '!' inside braces: 'c'"},
    {"a{b!", "1:4", "unexpected character after '!' inside braces: '\357\277\275'"},
    {"0x1p4", "1:1", "bad number or duration syntax: \"0x1\""},
    {R"("unterminated)", "1:1", "unterminated quoted string"},
    {"'unterminated", "1:1", "unterminated quoted string"},
    {"`unterminated", "1:1", "unterminated raw string"},
    {R"("\x4")", "1:1", "illegal character U+0022 '\"' in escape sequence"},
    {R"("\x)", "1:1", "escape sequence not terminated"},
    {R"("\u12")", "1:1", "illegal character U+0022 '\"' in escape sequence"},
    {R"("\U00110000")", "1:1", "escape sequence is an invalid Unicode code point"},
    {R"("\400")", "1:1", "escape sequence is an invalid Unicode code point"},
    {R"("\08")", "1:1", "illegal character U+0038 '8' in escape sequence"},
    {R"("\'")", "1:1", "unknown escape sequence U+0027 '''"},
    {R"('\"')", "1:1", "unknown escape sequence U+0022 '\"'"},
    {"a !b", "1:3", "unexpected character after '!': 'b'"},
    {"a ! b", "1:3", "unexpected character after '!': ' '"},
    {")", "1:2", "unexpected right parenthesis ')'"},
    {"(a))", "1:5", "unexpected right parenthesis ')'"},
    {"a)", "1:3", "unexpected right parenthesis ')'"},
    {"a[5m #x", "1:8", "unclosed left bracket"},
    {R"("a\q")", "1:1", "unknown escape sequence U+0071 'q'"},
    {R"("a\xzz")", "1:1", "illegal character U+007A 'z' in escape sequence"},
    {R"("\ud800")", "1:1", "escape sequence is an invalid Unicode code point"},
    {R"("abcdefghijklmnop" ")", "1:20", "unterminated quoted string"},
};

TEST(TokenTest, WrongCharactersHaveTheErrorsOfPrometheus) {
  for (const ErrorCase& c : kLexerErrors)
    ExpectError(c);
}

TEST(TokenTest, BytesThatAreNotUtf8AreErrors) {
  ExpectError({"\"a\xff\"", "1:1", "invalid UTF-8 rune"});
  ExpectError({"`a\xff`", "1:1", "invalid UTF-8 rune"});
  ExpectError({"a \xff", "1:3", "unexpected character: '\xef\xbf\xbd'"});
  ExpectError({"a{\xff", "1:3", "unexpected character inside braces: '\xef\xbf\xbd'"});
  ExpectError({std::string_view("a \0", 3), "1:3", "unexpected character: '\\x00'"});
}

}  // namespace
}  // namespace hourcell::promql
