// The manual pages and completions of the packages, which scripts/lib/documents makes of the help.

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"

namespace hourcell::documents_test {
namespace {

using testing::HasSubstr;

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

std::string Text(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The text of a page in troff's language, without its escapes.
std::string Unescaped(const std::string& page) {
  std::string text;
  for (size_t i = 0; i < page.size(); ++i) {
    if (page[i] != '\\' || i + 1 == page.size()) {
      text += page[i];
      continue;
    }
    ++i;
    if (page[i] == 'e') text += '\\';
    if (page[i] == '-') text += '-';
  }
  return text;
}

class DocumentsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string command = fmt::format("{} {} {}", SourcePath("scripts/lib/documents"),
                                            HOURCELL_BINARY, directory_.file("d"));
    ASSERT_EQ(std::system(command.c_str()), 0);
    for (const std::string& line : Lines(RunProgram({"help"}).out)) {
      if (line.starts_with("  ")) commands_.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    ASSERT_GT(commands_.size(), 15u);
  }

  std::string Document(std::string_view name) {
    return Text(directory_.file("d/" + std::string(name)));
  }

  TempDir directory_;
  std::vector<std::string> commands_;
};

TEST_F(DocumentsTest, AManualPageSaysWhatTheHelpSays) {
  for (const std::string& command : commands_) {
    SCOPED_TRACE(command);
    const std::string page = Unescaped(Document("man/hourcell-" + command + ".1"));
    EXPECT_THAT(page, HasSubstr(".SH NAME\nhourcell-" + command + " - "));
    for (const std::string& line : Lines(RunProgram({"help", command}).out)) {
      const bool is_usage = line.starts_with("Usage: ");
      // "Options:" is ".SH OPTIONS".
      std::string heading = ".SH ";
      for (const char c : line.substr(0, line.size() - 1))
        heading += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      EXPECT_TRUE(page.find("\n" + line + "\n") != std::string::npos ||
                  (line.ends_with(':') && page.find(heading + "\n") != std::string::npos) ||
                  (is_usage && page.find(".B " + line.substr(7)) != std::string::npos))
          << line;
    }
  }
}

TEST_F(DocumentsTest, CompletionsHaveEachCommandAndOption) {
  const std::string bash = Document("bash/hourcell");
  const std::string zsh = Document("zsh/_hourcell");
  const std::string fish = Document("fish/hourcell.fish");
  for (const std::string& command : commands_) {
    SCOPED_TRACE(command);
    EXPECT_THAT(zsh, HasSubstr("\n  '" + command + ":"));
    EXPECT_THAT(fish, HasSubstr("-n __fish_use_subcommand -f -a " + command + " "));
    EXPECT_THAT(bash, HasSubstr("\n    " + command + ") options='--help "));
  }
  EXPECT_THAT(bash, HasSubstr(" --help-settings "));
  EXPECT_THAT(zsh, HasSubstr(" --help-settings "));
  EXPECT_THAT(fish, HasSubstr("__fish_seen_subcommand_from serve' -l help-settings\n"));
}

TEST_F(DocumentsTest, BashTakesItsCompletion) {
  struct Case {
    std::string words;
    int at;
    std::string reply;
  };
  for (const Case& c :
       {Case{"serve --help-s", 2, "--help-settings"}, Case{"--vers", 1, "--version"},
        Case{"uid ren", 2, "rename"}, Case{"store ''", 2, "seal flush compact ttl salt"},
        Case{"cluster s", 2, "status"}, Case{"opentsdb a", 2, "adopt"},
        Case{"region roll", 2, "rolling-split"}, Case{"import --format g", 3, "graphite"},
        Case{"export --format v", 3, "vm"}, Case{"simulate --format cl", 3, "classic"},
        Case{"serve --tsd.http.jso", 2, "--tsd.http.jsonp="},
        Case{"query --set tsd.http.jso", 3, "tsd.http.jsonp="}, Case{"help verso", 2, ""},
        Case{"help versi", 2, "version"}}) {
    const std::string command = fmt::format(
        "bash -c \"source {}; COMP_WORDS=(hourcell {}); COMP_CWORD={}; _hourcell; "
        "[[ \\\"\\${{COMPREPLY[*]}}\\\" == '{}' ]]\" 2>&1",
        directory_.file("d/bash/hourcell"), c.words, c.at, c.reply);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

TEST_F(DocumentsTest, TheOtherShellsHaveSubcommandsChoicesAndSettings) {
  const std::string zsh = Document("zsh/_hourcell");
  EXPECT_THAT(
      zsh, HasSubstr(
               "  uid) compadd -- grep assign rename delete import fsck treesync treepurge  ;;\n"));
  EXPECT_THAT(zsh, HasSubstr("  'export --format') compadd -- opentsdb vm csv; return ;;\n"));
  EXPECT_THAT(zsh, HasSubstr(" tsd.http.jsonp "));
  const std::string fish = Document("fish/hourcell.fish");
  EXPECT_THAT(fish, HasSubstr("__fish_seen_subcommand_from uid' -a rename\n"));
  EXPECT_THAT(fish, HasSubstr("from export' -l format -x -a 'opentsdb vm csv'\n"));
  EXPECT_THAT(fish, HasSubstr(" -l tsd.http.jsonp -r\n"));
}

TEST_F(DocumentsTest, ManualPagesNameEachOther) {
  const std::string main_page = Unescaped(Document("man/hourcell.1"));
  for (const std::string& command : commands_) {
    EXPECT_THAT(main_page, HasSubstr("hourcell-" + command + "(1)"));
    const std::string page = Document("man/hourcell-" + command + ".1");
    EXPECT_THAT(page, HasSubstr("\n.SH EXIT STATUS\n")) << command;
    EXPECT_TRUE(page.ends_with("\n.SH SEE ALSO\nhourcell(1)\n")) << command;
  }
}

}  // namespace
}  // namespace hourcell::documents_test
