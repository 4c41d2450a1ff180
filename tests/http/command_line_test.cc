// The commands of the program: that all are there, and their errors for invalid flags.

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"

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
  ASSERT_THAT(CommandNames(), SizeIs(29U));
  for (const std::string& name : CommandNames()) {
    SCOPED_TRACE(name);

    const ProgramResult help = RunProgram({"help", name});

    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: hourcell " + name + " "));
    EXPECT_EQ(help.out, RunProgram({name, "--help"}).out);
  }
}

TEST(CommandLineProgramTest, TheTableOfExitCodesHasEveryCommand) {
  std::ifstream file(SourcePath("docs/command-line.md"));
  const std::string table{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const std::string& name : CommandNames()) {
    const size_t row = table.find("\n| `" + name + "` |");
    ASSERT_NE(row, std::string::npos) << name;
    const std::string help = RunProgram({"help", name}).out;
    EXPECT_THAT(help, HasSubstr("\nExit status:\n  0         done\n"));
    // For a command with the option, the table describes the output.
    const std::string line = table.substr(row + 1, table.find('\n', row + 1) - row - 1);
    EXPECT_FALSE(help.find(" --json ") != std::string::npos && line.ends_with("| |")) << line;
  }
}

TEST(CommandLineProgramTest, EveryCommandSaysWhichFlagItDoesNotKnow) {
  ASSERT_THAT(CommandNames(), SizeIs(29U));
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
  for (const std::string name : {"migrate", "simulate"}) {
    SCOPED_TRACE(name);

    const ProgramResult result = RunProgram({name, "--url", "http://localhost:1"});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, StartsWith("hourcell " + name + ": --url: this command works on"));
  }
}

// `timeout` sends the signal and returns the command's exit code. Without --foreground it would
// signal its process group, too, and a second signal ends a command at once.
TEST(CommandLineProgramTest, InterruptedBenchmarkLeavesNothing) {
  for (const std::string signal : {"TERM", "INT"}) {
    SCOPED_TRACE(signal);
    TempDir dir;
    const std::string command = fmt::format(
        "timeout --foreground --preserve-status -s {} 1 '{}' bench layouts --dir '{}' 2>'{}'",
        signal, ProgramPath(), dir.path(), dir.file("log"));
    const int status = std::system(command.c_str());  // NOLINT: the test's own command

    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), signal == "TERM" ? 143 : 130);
    std::filesystem::remove(dir.file("log"));
    EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  }
}

TEST(CommandLineProgramTest, AnUnknownCommandIsAnsweredWithTheNearest) {
  const ProgramResult unknown = RunProgram({"frobnicate"});
  const ProgramResult near = RunProgram({"quer"});
  const ProgramResult none = RunProgram({});

  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "hourcell: unknown command \"frobnicate\"\nTry 'hourcell help'.\n");
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_EQ(near.err,
            "hourcell: unknown command \"quer\"; did you mean \"query\"?\nTry 'hourcell help'.\n");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, StartsWith("usage: hourcell COMMAND "));
  EXPECT_EQ(RunProgram({"help"}).out, none.err);
}

// The exit code of a line of bash, in which $P is the program.
int Bash(const std::string& line) {
  const std::string command =
      fmt::format("P={} bash -c 'set -o pipefail; {}'", HOURCELL_BINARY, line);
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CommandLineProgramTest, MessagesThatCannotBeWrittenChangeNoExitCode) {
  TempDir directory;
  const std::string none = directory.file("none");
  EXPECT_EQ(Bash("$P nosuch 2>/dev/full"), 2);
  EXPECT_EQ(Bash("$P 2>/dev/full"), 2);
  EXPECT_EQ(Bash("$P region list --data " + none + " 2>/dev/full"), 1);
  EXPECT_EQ(Bash("$P query --data " + none + " 2>/dev/full"), 2);
  EXPECT_EQ(Bash("$P nosuch 2>&- >&-"), 2);
  EXPECT_EQ(Bash("echo m 1356998400 1 a=b | $P import - --data " + directory.file("s") +
                 " 2>/dev/full >/dev/null"),
            0);
}

TEST(CommandLineProgramTest, OutputThatCannotBeWrittenIsAFailure) {
  for (const std::string command : {"help", "help query", "version", "version --json",
                                    "serve --help-settings", "bench layouts --list"}) {
    EXPECT_EQ(Bash("$P " + command + " >/dev/full 2>/dev/null"), 1) << command;
    EXPECT_EQ(Bash("$P " + command + " >/dev/null"), 0) << command;
  }
}

TEST(CommandLineProgramTest, AnExportThatIsCutIsAFailure) {
  TempDir directory;
  const std::string store = directory.file("s");
  ASSERT_EQ(Bash("for i in {1..20000}; do echo m $((1356998400 + i)) 1.25 host=a; done | $P import "
                 "- --data " +
                 store + " >/dev/null 2>&1"),
            0);
  for (const std::string command : {"export", "scan"}) {
    EXPECT_EQ(Bash("$P " + command + " --data " + store + " 2>/dev/null | true"), 1) << command;
    EXPECT_EQ(Bash("$P " + command + " --data " + store + " 2>/dev/null | cat >/dev/null"), 0)
        << command;
  }
}

}  // namespace
}  // namespace hourcell::command_line_test
