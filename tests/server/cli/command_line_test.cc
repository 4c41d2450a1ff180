#include "server/cli/command_line.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"

namespace hourcell::command_line_test {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;

// One of each.
class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    line_.AddFlag("-f,--flag", &flag_, "a flag");
    line_.AddOption("--text", &text_, "TEXT", "a text");
    line_.AddOption("--count", &count_, "N", "a count");
    line_.AddOption("--ratio", &ratio_, "R", "a ratio");
    line_.AddOption("--id", &id_, "ID", "an id");
    line_.AddOption("--parts", &parts_, "N", "parts");
    line_.AddRepeated("--set", &settings_, "KEY=VALUE", "a setting");
    line_.AddList("--names", &names_, "names");
    line_.AddTaken(
        "--even",
        [this](const std::string& value) {
          taken_ = value;
          return value.ends_with('2') ? absl::OkStatus()
                                      : absl::InvalidArgumentError("--even: expected an even one");
        },
        "EVEN", "an even number");
    line_.AddRefused("--url", "--url: not here");
    line_.AddWords("WORD", &words_, "words");
    line_.Exclude("--id", "--parts");
    line_.set_footer("That is all.");
  }

  std::optional<int> Parse(const std::vector<std::string>& args) {
    return line_.Parse(args, terminal_.get());
  }
  // What is said of words that make no sense.
  std::string Refused(const std::vector<std::string>& args) {
    EXPECT_THAT(Parse(args), Optional(kExitUsage));
    EXPECT_EQ(terminal_.out(), "");
    return terminal_.err();
  }

  CapturedTerminal terminal_;
  CommandLine line_{"try", "Tries it."};
  bool flag_ = false;
  std::string text_ = "as before";
  uint64_t count_ = 7;
  double ratio_ = 0.5;
  std::optional<uint64_t> id_;
  std::optional<uint32_t> parts_;
  std::vector<std::string> settings_;
  std::vector<std::string> names_;
  std::string taken_;
  std::vector<std::string> words_;
};

TEST_F(CommandLineTest, WhatIsGivenIsWritten) {
  EXPECT_THAT(Parse({"-f", "--text=a b", "--count", "12", "--ratio", "1.25", "--id",
                     "18446744073709551615", "--even", "42"}),
              Eq(std::nullopt));

  EXPECT_TRUE(flag_);
  EXPECT_EQ(text_, "a b");
  EXPECT_EQ(count_, 12U);
  EXPECT_EQ(ratio_, 1.25);
  EXPECT_THAT(id_, Optional(UINT64_MAX));
  EXPECT_THAT(parts_, Eq(std::nullopt));
  EXPECT_EQ(taken_, "42");
}

TEST_F(CommandLineTest, WhatIsNotGivenStaysAsItWas) {
  EXPECT_THAT(Parse({}), Eq(std::nullopt));

  EXPECT_FALSE(flag_);
  EXPECT_EQ(text_, "as before");
  EXPECT_EQ(count_, 7U);
  EXPECT_EQ(ratio_, 0.5);
  EXPECT_THAT(id_, Eq(std::nullopt));
  EXPECT_THAT(words_, IsEmpty());
}

TEST_F(CommandLineTest, ARepeatedOptionTakesOneValueAndAListSeveral) {
  EXPECT_THAT(Parse({"--set", "a=1", "x", "--set", "b=2", "--names", "p,q", "y", "--", "--text"}),
              Eq(std::nullopt));

  EXPECT_THAT(settings_, ElementsAre("a=1", "b=2"));
  EXPECT_THAT(names_, ElementsAre("p", "q"));
  EXPECT_THAT(words_, ElementsAre("x", "y", "--text"));
}

TEST_F(CommandLineTest, HelpIsPrintedAndTheCommandDoesNotRun) {
  EXPECT_THAT(Parse({"--count", "1", "--help"}), Optional(kExitOk));

  EXPECT_THAT(terminal_.out(), HasSubstr("Tries it.\nUsage: hourcell try [OPTIONS] [WORD...]\n"));
  EXPECT_THAT(terminal_.out(), HasSubstr("\n  -f,--flag                   a flag\n"));
  EXPECT_THAT(terminal_.out(), HasSubstr("\n  --names A,B ...             names\n"));
  EXPECT_THAT(terminal_.out(), HasSubstr("\n  --even EVEN                 an even number\n"));
  EXPECT_THAT(terminal_.out(), HasSubstr("That is all.\n"));
  EXPECT_THAT(terminal_.out(), Not(HasSubstr("--url")));
  EXPECT_EQ(terminal_.err(), "");
}

TEST_F(CommandLineTest, AnUnknownFlagIsNamedWithTheCommand) {
  EXPECT_EQ(Refused({"--nonsense"}),
            "hourcell try: The following argument was not expected: --nonsense\n"
            "Try 'hourcell try --help'.\n");
}

TEST_F(CommandLineTest, NumbersAreNumbersThatFit) {
  EXPECT_THAT(Refused({"--count", "many"}), HasSubstr("Could not convert: --count = many"));
  EXPECT_THAT(Refused({"--ratio", "half"}), HasSubstr("Could not convert: --ratio = half"));
  EXPECT_THAT(Refused({"--parts", "4294967296"}),
              HasSubstr("Could not convert: --parts = 4294967296"));
}

// CLI11 itself takes 010 for 8, 0x10 for 16, -1 for the largest number, and so what is larger.
TEST_F(CommandLineTest, CountsAreDecimalAndNoneIsBelowZero) {
  EXPECT_THAT(Parse({"--count", "010", "--id", "08"}), Eq(std::nullopt));
  EXPECT_EQ(count_, 10U);
  EXPECT_THAT(id_, Optional(8U));
  EXPECT_THAT(Parse({"--parts", "4294967295"}), Eq(std::nullopt));
  EXPECT_THAT(parts_, Optional(4294967295U));

  for (const std::string text : {"-1", "0x10", "18446744073709551616", " 1", "1 ", "+1"}) {
    EXPECT_THAT(Refused({"--count", text}), HasSubstr("Could not convert: --count = " + text));
    EXPECT_THAT(Refused({"--id", text}), HasSubstr("Could not convert: --id = " + text));
  }
  EXPECT_EQ(count_, 10U);
}

TEST_F(CommandLineTest, OptionsThatExcludeEachOtherAreRefusedTogether) {
  EXPECT_THAT(Refused({"--id", "1", "--parts", "2"}), HasSubstr("excludes"));
  EXPECT_THAT(Parse({"--parts", "2"}), Eq(std::nullopt));
  EXPECT_THAT(parts_, Optional(2U));
}

TEST_F(CommandLineTest, RefusalsSayTheirOwnMessage) {
  EXPECT_THAT(Refused({"--even", "43"}),
              HasSubstr("hourcell try: --even: expected an even one\nTry"));
  EXPECT_THAT(Refused({"--url", "http://x"}), HasSubstr("hourcell try: --url: not here\nTry"));
}

TEST(CommandLineWordTest, AWordMustBeThere) {
  CapturedTerminal terminal;
  std::string from;
  std::string to;
  CommandLine line("copy", "Copies.");
  line.AddWord("FROM", &from, "where it is");
  line.AddWord("TO", &to, "where it shall be");

  EXPECT_THAT(line.Parse({"a"}, terminal.get()), Optional(kExitUsage));
  EXPECT_THAT(terminal.err(), HasSubstr("hourcell copy: TO is required\n"));
  EXPECT_THAT(line.Parse({"a", "b"}, terminal.get()), Eq(std::nullopt));
  EXPECT_EQ(from + to, "ab");
}

}  // namespace
}  // namespace hourcell::command_line_test
