#include "codec/base/named_thread.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::named_thread_test {
namespace {

std::string NameOfThisThread() {
  char name[16] = {};
  EXPECT_EQ(pthread_getname_np(pthread_self(), name, sizeof(name)), 0);
  return name;
}

TEST(NamedThreadTest, HasItsNameBeforeItRuns) {
  std::string name;
  NamedThread thread("hc-123456789012", [&] { name = NameOfThisThread(); });
  thread.Join();

  EXPECT_EQ(name, "hc-123456789012");
  EXPECT_NE(NameOfThisThread(), name);
}

TEST(NamedThreadTest, IsJoinedWhenItIsDestroyed) {
  std::atomic<bool> may_end = false;
  bool has_ended = false;
  {
    const NamedThread thread("hc-test", [&] {
      may_end.wait(false);
      has_ended = true;
    });
    may_end = true;
    may_end.notify_all();
  }

  EXPECT_TRUE(has_ended);
}

TEST(NamedThreadTest, AnAssignmentJoinsTheThreadBefore) {
  bool first_has_ended = false;
  bool second_has_ended = false;
  NamedThread thread("hc-first", [&] { first_has_ended = true; });
  NamedThread other("hc-second", [&] { second_has_ended = true; });

  thread = std::move(other);
  EXPECT_TRUE(first_has_ended);
  thread.Join();
  EXPECT_TRUE(second_has_ended);
  EXPECT_FALSE(thread.is_joinable());
}

TEST(NamedThreadTest, NoThreadIsJoinedAtOnce) {
  NamedThread thread;
  EXPECT_FALSE(thread.is_joinable());
  thread.Join();
}

TEST(NamedThreadDeathTest, RefusesANameThatLinuxWouldRefuse) {
  EXPECT_DEATH(NamedThread("hc-1234567890123", [] {}), "check failed");
  EXPECT_DEATH(NamedThread("", [] {}), "check failed");
}

TEST(ProcessorCountTest, IsAtLeastOne) {
  EXPECT_GE(ProcessorCount(), 1u);
}

TEST(ProcessorCountTest, CountsTheProcessorsThatMayBeUsed) {
  EXPECT_GE(ProcessorCount(), 1U);
  size_t count = 0;
  NamedThread thread("hc-pinned", [&count] {
    cpu_set_t allowed;
    ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    size_t first = 0;
    while (!CPU_ISSET(first, &allowed))
      ++first;
    CPU_ZERO(&allowed);
    CPU_SET(first, &allowed);
    ASSERT_EQ(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
    count = ProcessorCount();
  });
  thread.Join();
  EXPECT_EQ(count, 1U);
}

}  // namespace
}  // namespace hourcell::named_thread_test
