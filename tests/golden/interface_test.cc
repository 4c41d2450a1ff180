// The settings, commands, options and endpoints of each release still exist.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden/golden_set.h"
#include "tests/http/server_process.h"
#include "tests/support/source_dir.h"

namespace hourcell::interface_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(InterfaceTest, EverySettingOfAReleaseIsStillKnown) {
  const std::string help = "\n" + RunProgram({"serve", "--help-settings"}).out;
  for (const std::string& version : GoldenVersions()) {
    const std::vector<std::string> settings = LinesOf(GoldenPath(version, "settings.txt"));
    EXPECT_THAT(settings, SizeIs(testing::Ge(80u)));
    for (const std::string& setting : settings)
      EXPECT_THAT(help, HasSubstr("\n" + setting + "=")) << version;
  }
}

// A line is a command, or a command and one of its options.
TEST(InterfaceTest, EveryCommandAndOptionOfAReleaseIsStillThere) {
  for (const std::string& version : GoldenVersions()) {
    const std::vector<std::string> lines = LinesOf(GoldenPath(version, "commands.txt"));
    EXPECT_THAT(lines, SizeIs(testing::Ge(150u)));
    std::string help;
    for (const std::string& line : lines) {
      const size_t blank = line.find(' ');
      if (blank == std::string::npos) {
        const ProgramResult result = RunProgram({"help", line});
        EXPECT_EQ(result.exit_code, 0) << version << ": " << line;
        help = result.out;
        continue;
      }
      const std::string option = line.substr(blank + 1);
      EXPECT_TRUE(help.find(" " + option + " ") != std::string::npos ||
                  help.find(" " + option + ",") != std::string::npos ||
                  help.find("," + option + " ") != std::string::npos)
          << version << ": " << line;
    }
  }
}

// The first field after the verb is the status that an admin gets.
TEST(InterfaceTest, EveryEndpointOfAReleaseIsStillServed) {
  std::vector<std::string> served;
  for (const std::string& line : LinesOf(SourcePath("tests/server/api/route_table.golden"))) {
    const size_t verb = line.find_first_not_of(' ', line.find(' '));
    const size_t end = line.find(' ', verb);
    const size_t status = line.find(" rw ") + 4;
    const std::string code = line.substr(status, 3);
    if (code == "405" || code == "404") continue;
    served.push_back(line.substr(verb, end - verb) + " " + line.substr(0, line.find(' ')));
  }
  for (const std::string& version : GoldenVersions()) {
    const std::vector<std::string> endpoints = LinesOf(GoldenPath(version, "endpoints.txt"));
    EXPECT_THAT(endpoints, SizeIs(testing::Ge(60u)));
    for (const std::string& endpoint : endpoints)
      EXPECT_THAT(served, testing::Contains(endpoint)) << version;
  }
}

}  // namespace
}  // namespace hourcell::interface_test
