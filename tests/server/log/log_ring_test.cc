#include "server/log/log_ring.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::log_ring_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> MessagesOf(const LogRing& ring) {
  std::vector<std::string> messages;
  for (const LogLine& line : ring.Newest())
    messages.push_back(line.message);
  return messages;
}

TEST(LogRingTest, KeepsTheNewestLines) {
  LogRing ring(2);
  EXPECT_THAT(MessagesOf(ring), IsEmpty());

  for (const char* const message : {"a", "b", "c"})
    ring.Add({.time_s = 7, .level = LogLevel::kError, .thread = "hc-x", .message = message});

  EXPECT_THAT(MessagesOf(ring), ElementsAre("c", "b"));
  const LogLine newest = ring.Newest().front();
  EXPECT_EQ(newest.time_s, 7);
  EXPECT_EQ(newest.level, LogLevel::kError);
  EXPECT_EQ(newest.thread, "hc-x");
}

TEST(LogRingTest, CutsALongMessageBetweenCharacters) {
  LogRing ring(2);
  const std::string start(kLogRingMessageBytesMax - 1, 'x');

  ring.Add({.message = start + "\xC3\xA9 and more"});
  ring.Add({.message = start + "yz"});

  EXPECT_THAT(MessagesOf(ring), ElementsAre(start + "y", start));
}

}  // namespace
}  // namespace hourcell::log_ring_test
