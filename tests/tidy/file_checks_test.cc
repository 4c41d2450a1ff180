#include "tests/tidy/file_checks.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::tidy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The messages of findings, for matchers.
std::vector<std::string> Messages(const std::vector<Finding>& findings) {
  std::vector<std::string> messages;
  for (const Finding& finding : findings)
    messages.push_back(finding.message);
  return messages;
}

std::string Repeat(std::string_view line, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i)
    text += line;
  return text;
}

TEST(SourceFileTest, BlanksCommentsAndLiteralsInCode) {
  const SourceFile file("codec/a.cc", "f(\"x // y\"); // new\n'\\'' /* new\n*/ 1'000;\n");

  EXPECT_EQ(file.code, "f(\"      \");       \n'  '       \n   1'000;\n");
  EXPECT_EQ(file.comments, "f(\"      \"); // new\n'  ' /* new\n*/ 1'000;\n");
}

TEST(SourceFileTest, BlanksRawStrings) {
  const SourceFile file("codec/a.cc", "auto a = R\"x(new \")\" new)x\"; new_b;\n");

  EXPECT_EQ(file.code, "auto a = R\"x(             \"; new_b;\n");
}

TEST(CheckLinesTest, ReportsWidthTabsBlanksAndMissingNewline) {
  const SourceFile file("codec/a.cc", "\tint a;\nint b; \n" + std::string(101, 'x'));

  EXPECT_THAT(Messages(CheckLines(file)), ElementsAre("tab; expected blanks", "blank at the end",
                                                      "101 characters; expected at most 100",
                                                      "no newline at the end of the file"));
}

TEST(CheckLinesTest, CountsCharactersNotBytes) {
  EXPECT_THAT(CheckLines(SourceFile("codec/a.cc", "// " + Repeat("ä", 97) + "\n")), IsEmpty());
}

TEST(CheckLinesTest, LeavesWideMarkdownAlone) {
  EXPECT_THAT(CheckLines(SourceFile("README.md", std::string(300, 'x') + "\n")), IsEmpty());
}

TEST(CheckHeaderFormTest, AcceptsCommentThenPragma) {
  EXPECT_THAT(CheckHeaderForm(SourceFile("codec/a.h", "// What.\n\n#pragma once\n")), IsEmpty());
}

TEST(CheckHeaderFormTest, ReportsMissingCommentAndPragma) {
  EXPECT_THAT(Messages(CheckHeaderForm(SourceFile("codec/a.h", "#include <vector>\n"))),
              ElementsAre(HasSubstr("no comment at the head"), HasSubstr("#pragma once")));
}

TEST(CheckFileLengthTest, GivesTestsMoreRoom) {
  const std::string text = Repeat("\n", kTestLinesMax);

  EXPECT_THAT(CheckFileLength(SourceFile("tests/codec/a_test.cc", text)), IsEmpty());
  EXPECT_THAT(Messages(CheckFileLength(SourceFile("codec/a.cc", text))),
              ElementsAre("800 lines; expected at most 700: split it by noun"));
}

TEST(CheckFunctionLengthTest, ReportsTheLineOfTheBrace) {
  const SourceFile file(
      "codec/a.cc", "namespace a {\nvoid F() {\n" + Repeat("  if (a) { b(); }\n", 69) + "}\n}\n");

  const auto findings = CheckFunctionLength(file);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].line, 2u);
  EXPECT_EQ(findings[0].message, "function of 71 lines; expected at most 70");
}

TEST(CheckFunctionLengthTest, LeavesLongClassesTablesAndMacrosAlone) {
  const std::string body = Repeat("  int a;\n", 80);
  const SourceFile file("codec/a.cc", "class A {\n" + body + "};\nint b[] = {\n" + body +
                                          "};\nauto d = F({\n" + body + "};\n#define C() {\\\n" +
                                          "\nvoid F() {\n}\n");

  EXPECT_THAT(CheckFunctionLength(file), IsEmpty());
}

TEST(CheckWordsTest, NamesTheReplacement) {
  const SourceFile file("codec/a.cc", "std::cout << rand();\nauto t = system_clock::now();\n");

  EXPECT_THAT(
      Messages(CheckWords(file)),
      ElementsAre("std::cout: use a stream passed in, or the log", "rand(: use codec/base/random.h",
                  "system_clock::now: use Clock (codec/base/clock.h)"));
}

TEST(CheckWordsTest, LeavesAllowedFilesLiteralsAndLongerWordsAlone) {
  EXPECT_THAT(CheckWords(SourceFile("codec/base/clock.cc", "system_clock::now();\n")), IsEmpty());
  EXPECT_THAT(CheckWords(SourceFile("codec/a.cc", "Say(\"std::cout\"); // rand(\n")), IsEmpty());
  EXPECT_THAT(CheckWords(SourceFile("codec/a.cc", "operand(); static_assert(1);\n")), IsEmpty());
}

TEST(CheckWordsTest, AsksAWallClockThatWasPassedIn) {
  const std::string text = "const int64_t end_ms = Clock::System()->NowMs() + 500;\n";
  EXPECT_THAT(Messages(CheckWords(SourceFile("server/api/http_job.cc", text))),
              ElementsAre("Clock::System()->NowMs: use a WallClock passed in"));
  EXPECT_THAT(CheckWords(SourceFile("engine/rocks/rocks_log.cc", text)), IsEmpty());
  EXPECT_THAT(CheckWords(SourceFile("server/api/http_job.cc", "clock->NowMs();\n")), IsEmpty());
}

TEST(CheckWordsTest, TakesNewOnlyBesideUniquePtrOrStatic) {
  EXPECT_THAT(CheckWords(SourceFile("uid/a.cc", "static const auto* a = new A;\n")), IsEmpty());
  EXPECT_THAT(CheckWords(SourceFile("uid/a.cc", "auto a = std::unique_ptr<A>(new A(1));\n")),
              IsEmpty());
  EXPECT_THAT(Messages(CheckWords(SourceFile("uid/a.cc", "auto* a = new A(1);\n"))),
              ElementsAre("new: use std::make_unique"));
}

TEST(CheckWordsTest, WantsToKnowWhoseCompaction) {
  EXPECT_THAT(CheckWords(SourceFile("engine/a.cc", "RowCompaction a; lsm_compactions();\n")),
              IsEmpty());
  EXPECT_THAT(CheckWords(SourceFile("engine/rocks/a.cc", "max_compaction_bytes;\n")), IsEmpty());
  EXPECT_THAT(CheckWords(SourceFile("tests/engine/rocks/a.cc", "kCompaction;\n")), IsEmpty());
  EXPECT_THAT(Messages(CheckWords(SourceFile("engine/a.cc", "CompactionQueue queue;\n"))),
              ElementsAre("CompactionQueue: say whose: RowCompaction or LsmCompaction"));
}

TEST(CheckWordsTest, ReportsThreadsWithoutName) {
  EXPECT_THAT(Messages(CheckWords(SourceFile("engine/a.cc", "std::thread thread_;\n"))),
              ElementsAre("std::thread: use NamedThread"));
  EXPECT_THAT(CheckWords(SourceFile("engine/a.cc", "std::this_thread::yield();\n")), IsEmpty());
  EXPECT_THAT(CheckWords(SourceFile("tests/a.cc", "std::thread thread_;\n")), IsEmpty());
}

TEST(CheckWordsTest, ReportsWhatIsLeftUndone) {
  const SourceFile file("codec/a.cc", "// TODO: later\n// TODO(#7): later\n// FIXME\n");

  EXPECT_THAT(Messages(CheckWords(file)),
              ElementsAre("TODO: do it, or write TODO(#<number>)", "FIXME: repair it now"));
}

TEST(CheckMachinePathsTest, ReportsPathsOfOneMachine) {
  const SourceFile file("scripts/a", "cd /home/ann\ncp a ${out}/tmp/b\nls build/tmp/c\n");

  EXPECT_THAT(Messages(CheckMachinePaths(file)),
              ElementsAre("/home/: a path of one machine; make it relative"));
}

TEST(CheckScratchNamesTest, ReportsFixedNamesAmongTemporaryFiles) {
  const std::string path =
      "std::string path = std::filesystem::temp_directory_path() / \"case\";\n";

  EXPECT_THAT(CheckScratchNames(SourceFile("server/a.cc", path)), SizeIs(1));
  EXPECT_THAT(CheckScratchNames(SourceFile("server/a.cc", path + "mkdtemp(path.data());\n")),
              IsEmpty());
}

TEST(CheckEscapersTest, ReportsASecondEscaper) {
  const std::string escaper =
      "out += \"\\\\u00\";\nout += \"\\\\\\\"\";\nFormat(\"\\\\u{:04x}\");\nout += \"&amp;\";\n";

  EXPECT_THAT(CheckEscapers(SourceFile("engine/a.cc", escaper)), SizeIs(4));
  EXPECT_THAT(CheckEscapers(SourceFile("codec/base/json_writer.cc", escaper)), SizeIs(1));
  EXPECT_THAT(CheckEscapers(SourceFile("codec/base/strings.cc", escaper)), SizeIs(3));
  EXPECT_THAT(CheckEscapers(SourceFile("server/a.cc", "\"<a href='?x&amp;y'>\"\n")), IsEmpty());
}

TEST(CheckIncludesTest, ReportsUpwardIncludes) {
  const auto messages = [](std::string path, std::string_view header) {
    return Messages(
        CheckIncludes(SourceFile(std::move(path), fmt::format("#include {}\n", header))));
  };

  EXPECT_THAT(messages("codec/base/a.h", "\"codec/rows/uid.h\""), SizeIs(1));
  EXPECT_THAT(messages("codec/a.h", "\"uid/uid_store.h\""), SizeIs(1));
  EXPECT_THAT(messages("uid/a.h", "\"engine/table/table.h\""), SizeIs(1));
  EXPECT_THAT(messages("engine/query/a.h", "\"engine/table/table.h\""), SizeIs(1));
  EXPECT_THAT(messages("engine/query/a.h", "\"uid/uid_store.h\""), SizeIs(1));
  EXPECT_THAT(messages("engine/regions/a.h", "\"engine/table/table.h\""), SizeIs(1));
  EXPECT_THAT(messages("server/a.cc", "\"uid/uid_store.h\""), SizeIs(1));
  EXPECT_THAT(messages("server/a.cc", "\"engine/table/table.h\""), SizeIs(1));
  EXPECT_THAT(messages("server/a.cc", "\"server/cli/data/import/import.h\""), SizeIs(1));
  EXPECT_THAT(messages("engine/hours/a.h", "\"engine/table/table.h\""), SizeIs(1));
  EXPECT_THAT(messages("engine/rest/a.h", "\"codec/base/bytes.h\""),
              ElementsAre("its folder has no row in tests/tidy/folder_rules.cc"));
}

TEST(CheckIncludesTest, AcceptsDownwardIncludes) {
  const auto findings = [](std::string path, std::string_view header) {
    return CheckIncludes(SourceFile(std::move(path), fmt::format("#include {}\n", header)));
  };

  EXPECT_THAT(findings("codec/a.h", "\"codec/base/bytes.h\""), IsEmpty());
  EXPECT_THAT(findings("uid/a.h", "\"codec/rows/uid.h\""), IsEmpty());
  EXPECT_THAT(findings("engine/series/a.cc", "\"uid/uid_store.h\""), IsEmpty());
  EXPECT_THAT(findings("server/a.cc", "\"engine/tsdb.h\""), IsEmpty());
  EXPECT_THAT(findings("server/cli/main.cc", "\"server/cli/data/import/import.h\""), IsEmpty());
  EXPECT_THAT(findings("tests/engine/a_test.cc", "\"engine/table/table.h\""), IsEmpty());
}

TEST(CheckIncludesTest, ConfinesThirdPartyHeaders) {
  const auto findings = [](std::string path, std::string_view header) {
    return CheckIncludes(SourceFile(std::move(path), fmt::format("#include {}\n", header)));
  };

  EXPECT_THAT(findings("engine/rocks/rocks_table_store.cc", "<rocksdb/db.h>"), IsEmpty());
  EXPECT_THAT(findings("engine/store/tsdb.cc", "<rocksdb/db.h>"), SizeIs(1));
  EXPECT_THAT(findings("server/ports/listener.cc", "<boost/asio.hpp>"), IsEmpty());
  EXPECT_THAT(findings("server/net/listener.h", "<boost/asio.hpp>"), SizeIs(1));
  EXPECT_THAT(findings("server/cli/data/import/import.cc", "<CLI/CLI.hpp>"), SizeIs(1));
  EXPECT_THAT(findings("server/telnet.cc", "<spdlog/spdlog.h>"), SizeIs(1));
  EXPECT_THAT(findings("codec/cells/cell.cc", "<mutex>"), SizeIs(1));
}

}  // namespace
}  // namespace hourcell::tidy
