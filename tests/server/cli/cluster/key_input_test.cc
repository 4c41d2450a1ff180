#include "server/cli/cluster/key_input.h"

#include <pty.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>

namespace hourcell::key_input_test {
namespace {

class KeyInputTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(openpty(&user_, &terminal_, nullptr, nullptr, nullptr), 0); }
  void TearDown() override {
    close(user_);
    close(terminal_);
  }
  bool Echoes() const {
    termios now = {};
    return tcgetattr(terminal_, &now) == 0 && (now.c_lflag & ECHO) != 0;
  }

  int user_ = -1;
  int terminal_ = -1;
};

TEST_F(KeyInputTest, AKeyComesWithoutALineEnd) {
  KeyInput keys(terminal_);
  ASSERT_EQ(write(user_, "k", 1), 1);

  EXPECT_EQ(keys.Wait(10'000), 'k');
  EXPECT_EQ(keys.Wait(0), std::nullopt);
}

TEST_F(KeyInputTest, TheTerminalIsAfterwardsAsItWas) {
  ASSERT_TRUE(Echoes());
  {
    const KeyInput keys(terminal_);
    EXPECT_FALSE(Echoes());
  }
  EXPECT_TRUE(Echoes());
}

TEST_F(KeyInputTest, ASignalEndsTheWaitsAndIsNoted) {
  KeyInput keys(terminal_);
  ASSERT_EQ(raise(SIGINT), 0);

  EXPECT_EQ(keys.Wait(10'000), std::nullopt);
  EXPECT_EQ(KeyInput::signal(), SIGINT);
}

TEST_F(KeyInputTest, WithoutATerminalItOnlyWaits) {
  KeyInput keys(-1);

  EXPECT_EQ(keys.Wait(1), std::nullopt);
}

}  // namespace
}  // namespace hourcell::key_input_test
