#include "server/log/log.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

namespace hourcell::log_test {
namespace {

using testing::MatchesRegex;

class LogTest : public testing::Test {
 protected:
  void SetUp() override { testing::internal::CaptureStderr(); }
  void TearDown() override { SetLogFormat(LogFormat::kText); }

  static std::string Written() { return testing::internal::GetCapturedStderr(); }
};

TEST_F(LogTest, ALineHasTimeLevelAndMessage) {
  LogWarning("disk {} is\nfull", 7);
  EXPECT_THAT(Written(), MatchesRegex("20..-..-..T..:..:..\\....Z warning disk 7 is full\n"));
}

TEST_F(LogTest, AJsonLineIsOneObject) {
  SetLogFormat(LogFormat::kJson);
  LogError("a \"quoted\"\npath C:\\x %v");
  const std::string written = Written();
  EXPECT_EQ(written.find('\n'), written.size() - 1);
  simdjson::dom::parser parser;
  simdjson::dom::element line;
  ASSERT_FALSE(parser.parse(written).get(line)) << written;
  EXPECT_EQ(std::string_view(line["level"]), "error");
  EXPECT_EQ(std::string_view(line["message"]), "a \"quoted\" path C:\\x %v");
  EXPECT_THAT(std::string(std::string_view(line["time"])),
              MatchesRegex("20..-..-..T..:..:..\\....Z"));
}

TEST_F(LogTest, TheFormatCanBeChangedBack) {
  SetLogFormat(LogFormat::kJson);
  SetLogFormat(LogFormat::kText);
  LogInfo("x");
  EXPECT_THAT(Written(), MatchesRegex("20.*Z info x\n"));
}

TEST_F(LogTest, TheNewestLinesStayInMemory) {
  SetLogFormat(LogFormat::kJson);
  LogInfo("first\t\"one\"");
  LogWarning("second");
  Written();

  const std::vector<LogLine> lines = RecentLog();

  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[0].message, "second");
  EXPECT_EQ(lines[0].level, LogLevel::kWarning);
  EXPECT_EQ(lines[1].message, "first \"one\"") << "without control characters, and not quoted";
  EXPECT_GT(lines[1].time_s, 1'700'000'000);
  EXPECT_FALSE(lines[1].thread.empty());
}

}  // namespace
}  // namespace hourcell::log_test
