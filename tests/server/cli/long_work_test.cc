#include "server/cli/long_work.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"

namespace hourcell::long_work_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(LongWorkTest, ShowsHowFarItIsOnATerminalOnly) {
  CapturedTerminal plain;
  {
    LongWork work(plain.get(), "backup verify");
    EXPECT_TRUE(work.Update("", 1, 4, "bytes"));
  }
  EXPECT_THAT(plain.err(), IsEmpty());

  CapturedTerminal tty;
  tty.get().is_tty = true;
  LongWork work(tty.get(), "backup verify");
  EXPECT_TRUE(work.Update("", 1, 4, "bytes"));
  EXPECT_TRUE(work.Update("", 2, 4, "bytes"));  // too soon after the one before
  tty.clock().Advance(1000);
  EXPECT_TRUE(work.Update("names", 3, 0, "files"));
  work.Clear();
  EXPECT_EQ(
      tty.err(),
      "\r\x1b[Kbackup verify: 1 of 4 bytes (25 %)\r\x1b[Kbackup verify: names: 3 files\r\x1b[K");
}

TEST(LongWorkTest, ASignalEndsItWithItsExitCode) {
  for (const int signal : {SIGINT, SIGTERM}) {
    CapturedTerminal terminal;
    LongWork work(terminal.get(), "restore");
    EXPECT_EQ(LongWork::signal(), 0);
    EXPECT_FALSE(LongWork::cancelled()->load());
    std::raise(signal);
    EXPECT_FALSE(work.Update("", 1, 4, "bytes"));
    EXPECT_TRUE(LongWork::cancelled()->load());
    EXPECT_EQ(work.FailInterrupted("there is no store"), 128 + signal);
    EXPECT_EQ(terminal.err(), "hourcell restore: interrupted; there is no store\n");
  }
}

TEST(LongWorkTest, HandlersAreThoseOfBeforeAfterwards) {
  struct sigaction before = {};
  struct sigaction after = {};
  sigaction(SIGTERM, nullptr, &before);
  CapturedTerminal terminal;
  {
    const LongWork work(terminal.get(), "restore");
  }
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(LongWorkDeathTest, ASecondSignalEndsTheProcess) {
  CapturedTerminal terminal;
  const LongWork work(terminal.get(), "restore");
  EXPECT_EXIT(
      {
        std::raise(SIGTERM);
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace hourcell::long_work_test
