#include "server/cli/data/query/compare.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"

namespace hourcell::compare_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ResultSeries SeriesOf(const std::string& host, std::vector<ResultPoint> points) {
  ResultSeries series;
  series.metric = "m";
  series.tags = {{"host", host}};
  series.points = std::move(points);
  return series;
}

TEST(CompareTest, AnswersThatAreTheSameHaveNoDifferences) {
  const ResultSeries a = SeriesOf("a", {{1000, Value::Integer(1)}, {2000, Value::Float(0.1)}});
  const ResultSeries b =
      SeriesOf("a", {{1000, Value::Float(1)}, {2000, Value::Float(0.1 + 1e-12)}});

  EXPECT_THAT(DifferencesOf({a, SeriesOf("x", {})}, {b}), IsEmpty());
}

TEST(CompareTest, WhatDiffersIsSaidInSentences) {
  const std::vector<ResultSeries> a = {
      SeriesOf("a",
               {{1000, Value::Integer(1)}, {2000, Value::Integer(2)}, {3000, Value::Integer(9)}}),
      SeriesOf("b", {{1000, Value::Integer(1)}})};
  const std::vector<ResultSeries> b = {
      SeriesOf("a",
               {{1000, Value::Integer(1)}, {2000, Value::Integer(5)}, {4000, Value::Integer(9)}}),
      SeriesOf("c", {{1000, Value::Integer(1)}})};

  EXPECT_THAT(DifferencesOf(a, b),
              ElementsAre("B lacks 1 of 3 instants of m{host=a}; the first is 3000 ms.",
                          "A lacks 1 of 3 instants of m{host=a}; the first is 4000 ms.",
                          "1 of 2 values of m{host=a} differ, by at most 3; at 2000 ms A has 2 and "
                          "B 5.",
                          "B lacks the series m{host=b}, of 1 point.",
                          "A lacks the series m{host=c}, of 1 point."));
}

std::string Answer(int value) {
  return HttpReplyText(
      200, R"([{"metric":"m","tags":{"h":"a"},"dps":[[1,)" + std::to_string(value) + "]]}]");
}

TEST(CompareTest, ExitCodesSayWhetherTheServersAreTheSame) {
  for (const int value : {1, 2}) {
    ScriptedServer a({{HttpReplyText(200, R"(["m"])")},
                      {HttpReplyText(200, R"({"results":[{"tags":{"h":"a"}}]})")},
                      {Answer(1)}});
    ScriptedServer b({{Answer(value)}});
    CapturedTerminal terminal;
    EXPECT_EQ(RunCompare({.url_a = a.url(), .url_b = b.url(), .queries = 1}, terminal.get()),
              value == 1 ? kExitOk : kExitFailure);
    EXPECT_THAT(terminal.out(), HasSubstr(value == 1 ? "1 query has the same answer, 0 without"
                                                     : "0 without points; 1 differs;"));
    EXPECT_EQ(a.requests().back().substr(a.requests().back().find("\r\n\r\n")),
              b.requests().back().substr(b.requests().back().find("\r\n\r\n")));
  }
}

TEST(CompareTest, AnswersWithoutPointsAreNoAgreement) {
  ScriptedServer a({{HttpReplyText(200, R"(["m"])")},
                    {HttpReplyText(200, R"({"results":[{"tags":{"h":"a"}}]})")},
                    {HttpReplyText(200, "[]")},
                    {HttpReplyText(200, "[]")}});
  ScriptedServer b({{HttpReplyText(200, "[]")}, {HttpReplyText(200, "[]")}});
  CapturedTerminal terminal;
  EXPECT_EQ(RunCompare({.url_a = a.url(), .url_b = b.url(), .queries = 2}, terminal.get()),
            kExitFailure);
  EXPECT_THAT(terminal.out(), HasSubstr("2 queries have the same answer, 2 without"));
  EXPECT_THAT(terminal.err(), HasSubstr("hourcell compare: nothing was compared: no query found a "
                                        "point in the range from --start to --end"));
}

TEST(CompareTest, WordsThatMakeNoSenseAreUsageErrors) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"a"}, {"a", "ftp://b"}, {"a", "b", "--start", "x"}, {"a", "b", "--end", "2d-ago"}}) {
    CapturedTerminal terminal;
    EXPECT_EQ(CompareMain(args, terminal.get()), kExitUsage) << args.back();
  }
}

}  // namespace
}  // namespace hourcell::compare_test
