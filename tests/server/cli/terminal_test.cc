#include "server/cli/terminal.h"

#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
