#include "server/cli/terminal.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/status_matchers.h"

namespace hourcell::terminal_test {
namespace {

TEST(TerminalTest, FailuresNameTheCommand) {
  CapturedTerminal terminal;

  EXPECT_EQ(Fail(terminal.get(), "scan", absl::DataLossError("row: cut")), kExitFailure);
  EXPECT_EQ(FailUsage(terminal.get(), "scan", "no such word"), kExitUsage);

  EXPECT_EQ(terminal.err(),
            "hourcell scan: row: cut\n"
            "hourcell scan: no such word\nTry 'hourcell scan --help'.\n");
  EXPECT_EQ(terminal.out(), "");
}

TEST(TerminalTest, WordsThatAreNotTakenAreQuotedBesideWhatIs) {
  CapturedTerminal terminal;
  EXPECT_EQ(FailWords(terminal.get(), "user", {}, "add NAME"), kExitUsage);
  EXPECT_EQ(FailWords(terminal.get(), "user", std::vector<std::string>{"a", "b"}, "add NAME"),
            kExitUsage);
  EXPECT_EQ(
      terminal.err(),
      "hourcell user: expected add NAME, got no argument\nTry 'hourcell user --help'.\nhourcell "
      "user: expected add NAME, got \"a b\"\nTry 'hourcell user --help'.\n");
}

TEST(TerminalTest, CountsHaveASingular) {
  EXPECT_EQ(Counted(0, "point"), "0 points");
  EXPECT_EQ(Counted(1, "bad line"), "1 bad line");
  EXPECT_EQ(Counted(2, "bad line"), "2 bad lines");
  EXPECT_EQ(Counted(1, "query"), "1 query");
  EXPECT_EQ(Counted(2, "query"), "2 queries");
}

// Streams as a shell may give them: /dev/full, and a pipe that nobody reads.
class BrokenStreamTest : public testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }
  void TearDown() override {
    for (std::FILE* const file : files_)
      std::fclose(file);
    std::signal(SIGPIPE, SIG_DFL);
  }
  std::FILE* Full() { return Hold(std::fopen("/dev/full", "w")); }
  std::FILE* Unread() {
    int ends[2] = {};
    HOURCELL_CHECK(::pipe(ends) == 0);
    ::close(ends[0]);
    return Hold(::fdopen(ends[1], "w"));
  }

 private:
  std::FILE* Hold(std::FILE* file) {
    HOURCELL_CHECK(file != nullptr);
    return files_.emplace_back(file);
  }
  std::vector<std::FILE*> files_;
};

TEST_F(BrokenStreamTest, MessagesThatCannotBeWrittenAreLeftOut) {
  for (std::FILE* const err : {Full(), Unread()}) {
    std::setvbuf(err, nullptr, _IONBF, 0);  // as stderr
    Terminal terminal{.err = err};
    EXPECT_EQ(Fail(terminal, "scan", absl::DataLossError("row: cut")), kExitFailure);
    EXPECT_EQ(FailUsage(terminal, "scan", "no such word"), kExitUsage);
    PrintTo(err, "{} {}\n", 1, "x");
  }
}

TEST_F(BrokenStreamTest, ACommandWhoseOutputIsNotWrittenFails) {
  CapturedTerminal captured;
  Terminal terminal = captured.get();
  PrintTo(terminal.out, "all of it\n");
  EXPECT_EQ(FinishOutput(terminal, "help", kExitOk), kExitOk);

  terminal.out = Full();
  PrintTo(terminal.out, "all of it\n");
  EXPECT_EQ(FinishOutput(terminal, "help", kExitOk), kExitFailure);
  terminal.out = Unread();
  PrintTo(terminal.out, "all of it\n");
  EXPECT_EQ(FinishOutput(terminal, "help", kExitOk), kExitFailure);
  terminal.out = Full();
  PrintTo(terminal.out, "all of it\n");
  EXPECT_EQ(FinishOutput(terminal, "help", kExitUsage), kExitUsage) << "it is said already";

  EXPECT_EQ(captured.err(),
            "hourcell help: cannot write the output: No space left on device\n"
            "hourcell help: the output was cut short: its reader has gone\n");
}

TEST_F(BrokenStreamTest, AReaderThatGoesAwayEndsTheOutputWithAFailure) {
  std::FILE* const file = Unread();
  TextOutput output(file);
  output.buffer()->append(std::string(1'000'000, 'x'));
  EXPECT_FALSE(output.WriteIfLarge());
  EXPECT_THAT(output.Finish(),
              StatusIs(absl::StatusCode::kUnavailable, testing::HasSubstr("its reader has gone")));
}

TEST(TextOutputTest, WritesLargeBuffersAtOnceAndTheRestAtTheEnd) {
  CapturedTerminal terminal;
  TextOutput output(terminal.get().out);

  output.buffer()->append("small");
  EXPECT_TRUE(output.WriteIfLarge());
  EXPECT_EQ(terminal.out(), "");
  output.buffer()->append(std::string(100'000, 'x'));
  EXPECT_TRUE(output.WriteIfLarge());
  EXPECT_EQ(output.buffer()->size(), 0u);
  output.buffer()->append("rest");
  EXPECT_OK(output.Finish());

  EXPECT_EQ(terminal.out(), "small" + std::string(100'000, 'x') + "rest");
}

TEST(TextOutputTest, FullDiskIsAnError) {
  std::FILE* const full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  TextOutput output(full);

  output.buffer()->append(std::string(1'000'000, 'x'));
  EXPECT_FALSE(output.WriteIfLarge());

  EXPECT_THAT(output.Finish(), StatusIs(absl::StatusCode::kUnavailable,
                                        testing::HasSubstr("No space left on device")));
  std::fclose(full);
}

}  // namespace
}  // namespace hourcell::terminal_test
