#include "server/http/body/send_window.h"

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace hourcell::send_window_test {
namespace {

TEST(SendWindowTest, HasRoomUpToItsLimit) {
  SendWindow window;
  window.Add(kUnsentBytesMax);

  EXPECT_TRUE(window.WaitForRoom());
  EXPECT_EQ(window.unsent_bytes(), kUnsentBytesMax);
}

TEST(SendWindowTest, WaitsUntilEnoughIsSent) {
  SendWindow window;
  window.Add(kUnsentBytesMax + 10);
  std::atomic<bool> has_room = false;
  std::jthread producer([&] { has_room = window.WaitForRoom(); });

  window.Sent(9);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(has_room);

  window.Sent(1);
  producer.join();
  EXPECT_TRUE(has_room);
}

TEST(SendWindowTest, CountsNoMoreAsSentThanWasAdded) {
  SendWindow window;
  window.Add(10);
  window.Sent(100);

  EXPECT_EQ(window.unsent_bytes(), 0U);
}

TEST(SendWindowTest, CloseLetsTheProducerGoAndCancelsItsQuery) {
  SendWindow window;
  const auto control = std::make_shared<QueryControl>();
  window.Bind(control);
  window.Add(kUnsentBytesMax + 1);
  std::atomic<bool> has_room = true;
  std::jthread producer([&] { has_room = window.WaitForRoom(); });

  window.Close();
  producer.join();

  EXPECT_FALSE(has_room);
  EXPECT_TRUE(window.is_closed());
  EXPECT_TRUE(control->is_cancelled());
}

TEST(SendWindowTest, ACancelledQueryDoesNotWait) {
  SendWindow window;
  const auto control = std::make_shared<QueryControl>();
  window.Bind(control);
  window.Add(kUnsentBytesMax + 1);
  std::atomic<bool> has_room = true;
  std::jthread producer([&] { has_room = window.WaitForRoom(); });

  control->Cancel();
  producer.join();

  EXPECT_FALSE(has_room);
  EXPECT_FALSE(window.is_closed());
}

TEST(SendWindowTest, AQueryBoundToAClosedWindowIsCancelled) {
  SendWindow window;
  window.Close();
  const auto control = std::make_shared<QueryControl>();

  window.Bind(control);

  EXPECT_TRUE(control->is_cancelled());
}

}  // namespace
}  // namespace hourcell::send_window_test
