#include "server/cli/lab/bench.h"

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
  EXPECT_THAT(terminal_.err(),
              AllOf(HasSubstr("2/2 fleet salt-4 packed increasing\n"), HasSubstr(" files to ")));
  for (const char* const name : {"report.txt", "report.csv", "report.json", "hot-share.svg",
                                 "hot-share.png", "read-time.svg", "load-opentsdb.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(options.out + "/" + name)) << name;
  }
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
