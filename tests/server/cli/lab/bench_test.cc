#include "server/cli/lab/bench.h"

#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

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
            .rounds = 1,
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
  EXPECT_THAT(terminal_.err(),
              AllOf(HasSubstr("2/2 fleet salt-4 packed increasing (round 1, 0 s)\n"),
                    HasSubstr(" files to ")));
  for (const char* const name : {"report.txt", "report.csv", "report.json", "hot-share.svg",
                                 "hot-share.png", "read-time.svg", "load-opentsdb.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(options.out + "/" + name)) << name;
  }
}

// A clock that moves at each look.
class SlowClock : public ManualClock {
 public:
  explicit SlowClock(int64_t step_ms) : ManualClock(0), step_ms_(step_ms) {}
  int64_t MonotonicMs() override {
    Advance(step_ms_);
    return ManualClock::MonotonicMs();
  }

 private:
  const int64_t step_ms_;
};

BenchOptions TwoCases(const BenchOptions& options) {
  BenchOptions two = options;
  two.is_short = false;
  two.rules = {"none"};
  two.workloads = {"single"};
  two.points = 0;
  two.rounds = 0;
  return two;
}

TEST_F(BenchTest, AFirstAnswerComesBeforeTheRounds) {
  const BenchOptions options = TwoCases(Options());

  EXPECT_EQ(RunBench(options, terminal_.get()), kExitOk);

  EXPECT_THAT(terminal_.out(),
              AllOf(StartsWith("First answer, of 20000 points a case\n"),
                    HasSubstr("rounds of a case: 1\n"), HasSubstr("rounds of a case: 3\n"),
                    Not(HasSubstr("Ended after"))));
  EXPECT_THAT(terminal_.err(), AllOf(HasSubstr("2/8 single salt-4 packed none (sample, 0 s)\n3/8 "),
                                     HasSubstr("8/8 single salt-4 packed none (round 3, 0 s)\n")));
}

TEST_F(BenchTest, RoundsEndWithinAMinute) {
  SlowClock clock(7'000);  // a round of two cases: 14 s
  terminal_.get().clock = &clock;

  EXPECT_EQ(RunBench(TwoCases(Options()), terminal_.get()), kExitOk);

  EXPECT_THAT(terminal_.err(), AllOf(HasSubstr("6/8 single salt-4 packed none (round 2, 42 s)"),
                                     Not(HasSubstr("7/8"))));
  EXPECT_THAT(terminal_.out(),
              AllOf(HasSubstr("rounds of a case: 2\n"), Not(HasSubstr("Ended after"))));

  CapturedTerminal unlimited;
  unlimited.get().clock = &clock;
  BenchOptions options = TwoCases(Options());
  options.rounds = 3;
  EXPECT_EQ(RunBench(options, unlimited.get()), kExitOk);
  EXPECT_THAT(unlimited.err(), HasSubstr("8/8"));
}

TEST_F(BenchTest, AnInterruptedRunReportsItsCasesAndIsResumed) {
  BenchOptions options = Options();
  options.out = dir_.file("report");
  SignallingClock clock(SIGTERM, 3);  // at the start, then at each case
  terminal_.get().clock = &clock;

  EXPECT_EQ(RunBench(options, terminal_.get()), 143);

  EXPECT_THAT(terminal_.out(), AllOf(HasSubstr("Ended after 1 of 2 measurements.\n"),
                                     HasSubstr("fleet     opentsdb  packed  increasing"),
                                     Not(HasSubstr("fleet     salt-4"))));
  EXPECT_THAT(ReadFile(options.out + "/report.json"), HasSubstr("\"planned\":2"));
  EXPECT_THAT(
      terminal_.err(),
      HasSubstr(
          "hourcell bench: interrupted; ended after 1 of 2 measurements; continue with --out " +
          options.out + " --resume\n"));

  CapturedTerminal resumed;
  options.resumes = true;
  EXPECT_EQ(RunBench(options, resumed.get()), kExitOk);
  EXPECT_THAT(resumed.err(),
              AllOf(HasSubstr("resuming after 1 of 2 measurements\n2/2 fleet salt-4 packed"),
                    Not(HasSubstr("1/2 fleet"))));
  EXPECT_THAT(resumed.out(), AllOf(HasSubstr("\nWrites\n"), HasSubstr("fleet     opentsdb"),
                                   HasSubstr("fleet     salt-4")));
}

// A line of report.csv without the quoted texts that contain commas.
std::string WithoutTemplate(std::string line) {
  const size_t begin = line.rfind(",\"");
  if (begin == std::string::npos) return line;
  const size_t end = line.find('"', begin + 2);
  return line.replace(begin, end + 1 - begin, ",template");
}

// The fields of report.csv that follow from the cases: no times, no instructions, and no sizes of
// files, which depend on when RocksDB flushes.
std::string CountsOf(const std::string& csv) {
  std::istringstream lines(csv);
  std::string counts;
  std::vector<bool> is_count;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(WithoutTemplate(line));
    size_t i = 0;
    for (std::string field; std::getline(fields, field, ','); ++i) {
      if (is_count.size() <= i) {  // the names
        is_count.push_back(!testing::Matches(
            testing::ContainsRegex("_us|_ms|_per_s|_blocks|_instructions|file_bytes"))(field));
      }
      if (is_count[i]) counts += field + ",";
    }
    counts += "\n";
  }
  return counts;
}

TEST_F(BenchTest, AResumedRunHasTheCountsOfOneThatWasNotInterrupted) {
  BenchOptions options = Options();
  options.layouts = {"opentsdb-day", "salt-4"};
  options.points = 4'000;
  options.out = dir_.file("whole");
  ASSERT_EQ(RunBench(options, terminal_.get()), kExitOk);
  const std::string whole = CountsOf(ReadFile(options.out + "/report.csv"));

  options.out = dir_.file("parts");
  SignallingClock clock(SIGINT, 3);  // at the start, then at each case
  CapturedTerminal interrupted;
  interrupted.get().clock = &clock;
  ASSERT_EQ(RunBench(options, interrupted.get()), 130);
  EXPECT_NE(CountsOf(ReadFile(options.out + "/report.csv")), whole);
  options.resumes = true;
  CapturedTerminal resumed;
  ASSERT_EQ(RunBench(options, resumed.get()), kExitOk);

  EXPECT_THAT(whole, HasSubstr("hot_share_percent"));
  EXPECT_EQ(CountsOf(ReadFile(options.out + "/report.csv")), whole);
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

TEST_F(BenchTest, RecommendsKeysForTheSeriesOfAFile) {
  BenchOptions options = Options();
  options.from = dir_.file("points");
  WriteFile(options.from,
            "cpu 1356998400 1 host=a\ncpu 1356998400 1 host=b\nmem 1356998400 1 host=a\n"
            "cpu 1356998430 1 host=a\ncpu 1356998430 1 host=b\nmem 1356998430 1 host=a\n");

  EXPECT_EQ(RunBench(options, terminal_.get()), kExitOk);

  EXPECT_THAT(terminal_.out(),
              AllOf(HasSubstr("Recommendation\n\nFor 3 series of 2 metrics in 6 lines of " +
                              options.from + " (measured: 7920 points of 3 series): keys with"),
                    HasSubstr("\ngiven     salt-4")));
}

TEST_F(BenchTest, SeriesComeFromOneSource) {
  BenchOptions both = Options();
  both.from = dir_.file("none");
  EXPECT_EQ(RunBench(both, terminal_.get()), kExitFailure);
  both.fleet = "metrics=2";
  EXPECT_EQ(RunBench(both, terminal_.get()), kExitUsage);

  EXPECT_THAT(terminal_.err(),
              AllOf(HasSubstr("none"),
                    HasSubstr("expected one of --from, --fleet and --workloads, got several")));
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
                    HasSubstr("expected one of --short, --thorough and --full, got several")));
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
