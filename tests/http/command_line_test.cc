// The commands of the program: that all are there, and what they say of flags that make no sense.

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"

namespace hourcell::command_line_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

// The names in the list that `hourcell help` prints, each at the start of an indented line.
std::vector<std::string> CommandNames() {
  std::istringstream help(RunProgram({"help"}).out);
  std::vector<std::string> names;
  for (std::string line; std::getline(help, line);) {
    if (line.starts_with("  ")) names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

TEST(CommandLineProgramTest, HelpOfEveryCommandSaysHowItIsCalled) {
  ASSERT_THAT(CommandNames(), SizeIs(19));
  for (const std::string& name : CommandNames()) {
    SCOPED_TRACE(name);

    const ProgramResult help = RunProgram({"help", name});

    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: hourcell " + name + " "));
    EXPECT_EQ(help.out, RunProgram({name, "--help"}).out);
  }
}

TEST(CommandLineProgramTest, EveryCommandSaysWhichFlagItDoesNotKnow) {
  ASSERT_THAT(CommandNames(), SizeIs(19));
  for (const std::string& name : CommandNames()) {
    SCOPED_TRACE(name);

    const ProgramResult result = RunProgram({name, "a", "b", "--nonsense"});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, StartsWith("hourcell " + name + ": The following argument"));
    EXPECT_THAT(result.err, HasSubstr("--nonsense"));
    EXPECT_THAT(result.err, HasSubstr("\nTry 'hourcell " + name + " --help'.\n"));
  }
}

TEST(CommandLineProgramTest, CommandsThatNeedTheDirectorySaySoWhenTheyGetAUrl) {
  for (const std::string name : {"scan", "export", "uid", "mkmetric", "migrate", "simulate"}) {
    SCOPED_TRACE(name);

    const ProgramResult result = RunProgram({name, "--url", "http://localhost:1"});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, StartsWith("hourcell " + name + ": --url: this command works on"));
  }
}

TEST(CommandLineProgramTest, AnUnknownCommandIsAnsweredWithThoseThereAre) {
  const ProgramResult unknown = RunProgram({"frobnicate"});
  const ProgramResult none = RunProgram({});

  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, StartsWith("hourcell: unknown command frobnicate\n\nusage: hourcell "));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, StartsWith("usage: hourcell COMMAND "));
  EXPECT_EQ(RunProgram({"help"}).out, none.err);
}

}  // namespace
}  // namespace hourcell::command_line_test
