#include "server/cli/lab/bench.h"

#include <csignal>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/support/temp_dir.h"

namespace hourcell::bench_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class BenchTest : public testing::Test {
 protected:
  BenchOptions Options() const {
    return {.words = {"layouts"},
            .is_short = true,
            .layouts = {"opentsdb", "salt-4"},
            .cells = {"packed"},
            .points = 8'000,
            .scratch = dir_.path()};
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(BenchTest, PrintsTheTableAndWritesTheReport) {
  BenchOptions options = Options();
  options.out = dir_.file("a/report");

  EXPECT_EQ(RunBench(options, terminal_.get()), kExitOk);

  EXPECT_THAT(terminal_.out(), AllOf(HasSubstr("fleet     opentsdb  packed  increasing"),
                                     HasSubstr("fleet     salt-4    packed  increasing")));
  EXPECT_THAT(terminal_.err(), AllOf(HasSubstr("2/2 fleet salt-4 packed increasing (0 s)\n"),
                                     HasSubstr(" files to ")));
  for (const char* const name : {"report.txt", "report.csv", "report.json", "hot-share.svg",
                                 "hot-share.png", "read-time.svg", "load-opentsdb.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(options.out + "/" + name)) << name;
  }
}

TEST_F(BenchTest, AnInterruptedRunReportsItsCasesAndIsResumed) {
  BenchOptions options = Options();
  options.out = dir_.file("report");
  SignallingClock clock(SIGTERM, 3);  // at the start, then at each case
  terminal_.get().clock = &clock;

  EXPECT_EQ(RunBench(options, terminal_.get()), 143);

  EXPECT_THAT(terminal_.out(), AllOf(StartsWith("Ended after 1 of 2 cases.\n"),
                                     HasSubstr("fleet     opentsdb  packed  increasing"),
                                     Not(HasSubstr("fleet     salt-4"))));
  EXPECT_THAT(ReadFile(options.out + "/report.json"), HasSubstr("\"planned\":2"));
  EXPECT_THAT(
      terminal_.err(),
      HasSubstr("hourcell bench: interrupted; ended after 1 of 2 cases; continue with --out " +
                options.out + " --resume\n"));

  CapturedTerminal resumed;
  options.resumes = true;
  EXPECT_EQ(RunBench(options, resumed.get()), kExitOk);
  EXPECT_THAT(resumed.err(),
              AllOf(HasSubstr("resuming after 1 of 2 cases\n2/2 fleet salt-4 packed"),
                    Not(HasSubstr("1/2 fleet"))));
  EXPECT_THAT(resumed.out(), AllOf(StartsWith("Writes\n"), HasSubstr("fleet     opentsdb"),
                                   HasSubstr("fleet     salt-4")));
}

TEST_F(BenchTest, AResumedRunNeedsItsOptions) {
  BenchOptions options = Options();
  options.layouts = {"opentsdb"};
  options.out = dir_.file("report");
  ASSERT_EQ(RunBench(options, terminal_.get()), kExitOk);
  options.resumes = true;
  options.points = 9'000;
  EXPECT_EQ(RunBench(options, terminal_.get()), kExitFailure);
  EXPECT_THAT(terminal_.err(),
              HasSubstr("report/cases.state: --points: expected \"8000\", as in the run to resume, "
                        "got \"9000\""));

  options.out = dir_.file("none");
  EXPECT_EQ(RunBench(options, terminal_.get()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("none/cases.state: missing; expected a state file"));
  options.out.clear();
  EXPECT_EQ(RunBench(options, terminal_.get()), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("--resume: expected --out DIR as well"));
}

TEST_F(BenchTest, ListsNames) {
  BenchOptions options = Options();
  options.lists_names = true;

  EXPECT_EQ(RunBench(options, terminal_.get()), kExitOk);

  EXPECT_THAT(terminal_.out(),
              AllOf(HasSubstr("salt-16         salt:16+metric,time,tags"), HasSubstr(" append-ms"),
                    HasSubstr(" key-prefix"), HasSubstr(" backfill")));
}

TEST_F(BenchTest, RefusesWhatItDoesNotKnow) {
  BenchOptions unknown = Options();
  unknown.layouts = {"pepper-4"};
  BenchOptions wordless = Options();
  wordless.words.clear();
  BenchOptions both = Options();
  both.is_full = true;

  EXPECT_EQ(RunBench(unknown, terminal_.get()), kExitUsage);
  EXPECT_EQ(RunBench(wordless, terminal_.get()), kExitUsage);
  EXPECT_EQ(RunBench(both, terminal_.get()), kExitUsage);

  EXPECT_THAT(terminal_.err(),
              AllOf(HasSubstr("pepper-4"), HasSubstr("expected layouts, got no argument"),
                    HasSubstr("expected --short or --full, got both")));
}

TEST_F(BenchTest, SaysWhereNoStoreCanBeMade) {
  BenchOptions options = Options();
  options.scratch = dir_.file("none");

  EXPECT_EQ(RunBench(options, terminal_.get()), kExitFailure);

  EXPECT_THAT(terminal_.err(),
              AllOf(HasSubstr("none/hourcell-layouts-"), HasSubstr(": No such file")));
}

TEST_F(BenchTest, WritesAPageOfItsOwn) {
  BenchOptions options = Options();
  options.html = dir_.file("bench.html");
  EXPECT_EQ(RunBench(options, terminal_.get()), kExitOk);
  EXPECT_THAT(ReadFile(options.html), HasSubstr("<title>Hourcell: layouts measured</title>"));
}

}  // namespace
}  // namespace hourcell::bench_test
