#include "server/cli/data/scan/aggregate.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cli/data/scan/scan.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/server/running_server.h"

namespace hourcell::aggregate_test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class AggregateTest : public RunningServerTest {
 protected:
  struct Printed {
    int exit_code = 0;
    std::string out;
    std::string err;
  };

  void PutSome() {
    for (int64_t i = 0; i < 4; ++i) {
      ASSERT_OK(tsdb_->points().Put(OwnedPoint("cpu", "host=a", kStartS + i, i).view()));
      ASSERT_OK(tsdb_->points().Put(OwnedPoint("mem", "host=b", kStartS + i, 10 * i).view()));
    }
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }

  static Printed Run(const ScanOptions& options) {
    CapturedTerminal terminal;
    const int exit_code = RunScan(options, terminal.get());
    return {exit_code, terminal.out(), terminal.err()};
  }
};

TEST_F(AggregateTest, AServerAndItsDirectoryHaveTheSameTotals) {
  PutSome();
  Start();
  std::vector<ScanOptions> commands = {
      {.aggregate = {.aggregate = "rows,points,sum", .by = {"metric", "tag:host"}}},
      {.aggregate = {.aggregate = "rows,points,min,max,sum,avg,dev,first,last,key_bytes"}},
      {.aggregate = {.aggregate = "points,max", .values = {">0", "!=20"}},
       .words = {"1356998400", "1356998402"}},
      {.aggregate = {.aggregate = "avg"}, .words = {"1356998400", "cpu", "host=a"}}};
  std::vector<Printed> of_server;
  for (ScanOptions options : commands) {
    options.url = url();
    of_server.push_back(Run(options));
  }
  server_.reset();
  ASSERT_OK(tsdb_->Close());
  tsdb_.reset();

  EXPECT_EQ(of_server[0].out,
            "metric  tag:host  rows  points  sum\n"
            "cpu     a            1       4    6\n"
            "mem     b            1       4   60\n"
            "total                2       8   66\n");
  EXPECT_EQ(of_server[2].out, "points  max\n     3   10\n");
  EXPECT_EQ(of_server[3].out, "avg\n1.5\n");
  EXPECT_THAT(of_server[0].err, MatchesRegex("start  end  region  rows  points +ms\n"
                                             "-      -   +[0-9]+ +2 +8 +[0-9.]+\n"));
  for (size_t i = 0; i < commands.size(); ++i) {
    commands[i].store = {.data = dir_.file("store")};
    const Printed of_store = Run(commands[i]);
    EXPECT_EQ(of_store.exit_code, kExitOk) << of_store.err;
    EXPECT_EQ(of_store.out, of_server[i].out);
  }
}

TEST_F(AggregateTest, JsonIsTheAnswerOfTheServer) {
  ASSERT_OK(tsdb_->points().Put(OwnedPoint("cpu", "host=a", kStartS, 7).view()));
  Start();

  const Printed printed =
      Run({.url = url(), .aggregate = {.aggregate = "max", .by = {"tag:host"}}, .json = true});

  EXPECT_EQ(printed.exit_code, kExitOk);
  EXPECT_THAT(printed.out, HasSubstr(R"({"total":{"max":7},"groups":[{"by":{"tag:host":"a"},)"));
  EXPECT_THAT(printed.out, testing::EndsWith("}\n"));
}

TEST_F(AggregateTest, AServersErrorIsTheCommands) {
  ASSERT_OK(tsdb_->points().Put(OwnedPoint("cpu", "host=a", kStartS, 7).view()));
  ASSERT_OK(tsdb_->points().Put(OwnedPoint("cpu", "host=b", kStartS, 7).view()));
  Start();

  const Printed printed =
      Run({.url = url(), .aggregate = {.aggregate = "rows", .by = {"tag:host"}, .groups = "1"}});

  EXPECT_EQ(printed.exit_code, kExitFailure);
  EXPECT_THAT(printed.err, HasSubstr("groups: expected at most 1"));
}

TEST(AggregateArgumentsTest, WrongOnesAreUsageErrors) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"--aggregate", "median"},
                                             {"--by", "metric"},
                                             {"--aggregate", "rows", "--by", "host"},
                                             {"--aggregate", "rows", "--value", "5"},
                                             {"--aggregate", "rows", "--groups", "0"},
                                             {"--aggregate", "rows", "--hex"},
                                             {"--aggregate", "rows", "--import"},
                                             {"--json"}}) {
    CapturedTerminal terminal;
    EXPECT_EQ(ScanMain(args, terminal.get()), kExitUsage) << args.front();
  }
}

TEST(AggregateOfServerTest, AnAnswerWithoutTotalsFails) {
  const ScriptedServer server({{.bytes = HttpReplyText(200, "{\"lines\":0}\n"), .close = true}});
  CapturedTerminal terminal;

  EXPECT_EQ(RunScan({.url = server.url(), .aggregate = {.aggregate = "rows"}}, terminal.get()),
            kExitFailure);
  EXPECT_THAT(terminal.err(), HasSubstr("expected aggregates of rows"));
}

}  // namespace
}  // namespace hourcell::aggregate_test
