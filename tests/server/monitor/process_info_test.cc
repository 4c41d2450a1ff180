#include "server/monitor/process_info.h"

#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

namespace hourcell::process_info_test {
namespace {

using simdjson::dom::element;

TEST(ProcessInfoTest, AThreadIsReadWhateverItsName) {
  const auto thread = ParseThreadStat(
      "4711 (hc) x (1 2) D 1 4711 4711 0 -1 4194560 1 0 0 0 1 2 0 0 24 4 9 0 100 200\n");
  ASSERT_TRUE(thread.has_value());
  EXPECT_EQ(thread->id, 4711);
  EXPECT_EQ(thread->name, "hc) x (1 2");
  EXPECT_EQ(thread->state, 'D');
  EXPECT_EQ(thread->nice, 4);
}

TEST(ProcessInfoTest, OtherTextsAreNoThreads) {
  for (const std::string_view text :
       {"", "1", "1 (a", "1 (a) ", "1 (a) S 1 2 3", ") (",
        "x (a) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "1 (a) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 x"}) {
    EXPECT_FALSE(ParseThreadStat(text).has_value()) << text;
  }
}

TEST(ProcessInfoTest, ListsTheThreadsOfThisProcess) {
  simdjson::dom::parser parser;
  element threads;
  ASSERT_FALSE(parser.parse(ThreadStats().body).get(threads));
  bool found = false;
  for (const element thread : threads.get_array()) {
    EXPECT_FALSE(std::string_view(thread["name"]).empty());
    EXPECT_FALSE(bool(thread["interrupted"]));
    EXPECT_EQ(thread["stack"].get_array().size(), 0U);
    if (int64_t(thread["threadID"]) != gettid()) continue;
    found = true;
    EXPECT_EQ(std::string_view(thread["state"]), "RUNNABLE");
    EXPECT_THAT(int64_t(thread["priority"]), testing::AllOf(testing::Ge(1), testing::Le(10)));
  }
  EXPECT_TRUE(found);
}

TEST(ProcessInfoTest, TheMachineHasItsMemoryAndUptime) {
  simdjson::dom::parser parser;
  element jvm;
  ASSERT_FALSE(parser.parse(JvmStats(1'000, 61'000).body).get(jvm));
  EXPECT_EQ(int64_t(jvm["runtime"]["startTime"]), 1'000);
  EXPECT_EQ(int64_t(jvm["runtime"]["uptime"]), 60'000);
  EXPECT_EQ(std::string_view(jvm["runtime"]["vmName"]), "hourcell");
  const element heap = jvm["memory"]["heapMemoryUsage"];
  EXPECT_GT(int64_t(heap["used"]), 1 << 20);
  EXPECT_GT(int64_t(heap["max"]), int64_t(heap["used"]));
  EXPECT_GE(double(jvm["os"]["systemLoadAverage"]), 0);
}

TEST(ProcessInfoTest, AClockThatWasSetBackGivesNoNegativeUptime) {
  EXPECT_THAT(JvmStats(61'000, 1'000).body, testing::HasSubstr("\"uptime\":0,"));
}

}  // namespace
}  // namespace hourcell::process_info_test
