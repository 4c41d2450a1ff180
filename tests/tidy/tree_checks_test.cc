#include "tests/tidy/tree_checks.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "path: message" of each finding, for matchers.
std::vector<std::string> Said(const std::vector<Finding>& findings) {
  std::vector<std::string> said;
  for (const Finding& finding : findings)
    said.push_back(finding.path + ": " + finding.message);
  return said;
}

TEST(CheckMirrorsTest, KnowsThePlaceOfEachTest) {
  EXPECT_EQ(MirrorOf("codec/base/bytes.cc"), "tests/codec/base/bytes_test.cc");
  EXPECT_EQ(MirrorOf("codec/cells/cell.cc"), "tests/codec/cells/cell_test.cc");
  EXPECT_EQ(MirrorOf("engine/query/stages/rate.cc"), "tests/engine/query/stages/rate_test.cc");
  EXPECT_EQ(MirrorOf("engine/store/tsdb.cc"), "tests/engine/store/tsdb_test.cc");
  EXPECT_EQ(MirrorOf("server/cli/data/import/import.cc"),
            "tests/server/cli/data/import/import_test.cc");
  EXPECT_EQ(MirrorOf("codec/cells/cell.h"), "");
  EXPECT_EQ(MirrorOf("bench/lab/simulate/fleet.cc"), "tests/lab/simulate/fleet_test.cc");
  EXPECT_EQ(MirrorOf("bench/write_bench.cc"), "");
}

TEST(CheckMirrorsTest, ReportsSourcesWithoutTest) {
  const std::vector<SourceFile> files = {
      {"codec/a.cc", ""}, {"codec/b.cc", ""}, {"codec/c.cc", ""}, {"tests/codec/a_test.cc", ""}};
  const std::vector<MirrorException> exceptions = {{"codec/b.cc", "tested by a_test.cc"}};

  EXPECT_THAT(Said(CheckMirrors(files, exceptions)),
              ElementsAre("codec/c.cc: no tests/codec/c_test.cc, and no exception with a reason"));
}

TEST(CheckMirrorsTest, ReportsExceptionsNoLongerNeeded) {
  const std::vector<SourceFile> files = {{"codec/a.cc", ""}, {"tests/codec/a_test.cc", ""}};
  const std::vector<MirrorException> exceptions = {{"codec/a.cc", ""}, {"codec/gone.cc", ""}};

  EXPECT_THAT(Said(CheckMirrors(files, exceptions)),
              ElementsAre("codec/a.cc: its exception is not needed any more",
                          "codec/gone.cc: its exception is not needed any more"));
}

TEST(CheckLinksTest, FollowsPathsAndAnchors) {
  const std::vector<SourceFile> files = {
      {"docs/a.md", "[x](../README.md#two-words) [y](b.md) [z](#here) [w](https://x)\n# Here\n"},
      {"docs/b.md", "[up](../docs)\n"},
      {"README.md", "## Two words\n```\n[not a link](nowhere)\n```\n"}};

  EXPECT_THAT(CheckLinks(files), IsEmpty());
}

TEST(CheckLinksTest, ReportsLinksThatLeadNowhere) {
  const std::vector<SourceFile> files = {{"docs/a.md", "[x](b.md)\n[y](a.md#gone)\n[z](../..)\n"}};

  EXPECT_THAT(Said(CheckLinks(files)),
              ElementsAre("docs/a.md: link b.md: leads nowhere",
                          "docs/a.md: link a.md#gone: docs/a.md has no such heading",
                          "docs/a.md: link ../..: leads nowhere"));
}

TEST(CheckLimitsTableTest, AcceptsEqualValuesHoweverWritten) {
  const SourceFile limits("codec/limits.h",
                          "inline constexpr uint32_t kA = 3600;\n"
                          "inline constexpr size_t kB = kA * 1'000;  // a comment\n");
  const SourceFile architecture("ARCHITECTURE.md", "| `kA` | 3,600 | x |\n| `kB` | 3,600,000 |\n");

  EXPECT_THAT(CheckLimitsTable(architecture, limits), IsEmpty());
}

TEST(CheckLimitsTableTest, ReportsWrongMissingAndUnknownRows) {
  const SourceFile limits("codec/limits.h",
                          "inline constexpr int kA = 1;\ninline constexpr int kB = 2;\n");
  const SourceFile architecture("ARCHITECTURE.md", "| `kA` | 7 | x |\n| `kC` | 3 | x |\n");

  EXPECT_THAT(Said(CheckLimitsTable(architecture, limits)),
              ElementsAre("ARCHITECTURE.md: kA is 7 here; codec/limits.h has 1",
                          "ARCHITECTURE.md: kC: not in codec/limits.h, or here twice",
                          "ARCHITECTURE.md: the limits table lacks kB"));
}

TEST(CheckNamedTestsTest, ReportsTestsThatDoNotExist) {
  const std::vector<SourceFile> files = {
      {"tests/a/b_test.cc", "TEST(BTest, Works) {}\nTEST_P(CTest, Works) {}\n"}};
  const SourceFile document("docs/reliability.md",
                            "| C1 | x | `BTest.Works`, `CTest` |\n| C2 | y | `DTest`, `data.1` |\n"
                            "`b_tests --gtest_filter=ETest.*`, and `BTest.Fails`.\n");

  EXPECT_THAT(Said(CheckNamedTests(document, files)),
              ElementsAre("docs/reliability.md: there is no test DTest",
                          "docs/reliability.md: there is no test BTest.Fails"));
}

TEST(CheckReadmeNamesTest, FindsFilesHereBelowAndFromTheRoot) {
  const std::vector<SourceFile> files = {
      {"README.md", "`codec/a.h` and `b.cc`\n"},
      {"codec/README.md",
       "`a.h`, `b.cc`, `rows/b.cc`, `engine/c.h`; `.cc`, `r_*.h`, `./run a.h`\n"
       "```\n`gone.h`\n```\n"},
      {"codec/a.h", ""},
      {"codec/rows/b.cc", ""},
      {"engine/c.h", ""}};

  EXPECT_THAT(CheckReadmeNames(files), IsEmpty());
}

TEST(CheckReadmeNamesTest, ReportsFilesThatAreElsewhere) {
  const std::vector<SourceFile> files = {
      {"codec/a.h", ""},
      {"codec/rows/b.cc", ""},
      {"codec/rows/README.md", "| `b.cc`, `a.h` | x |\n`rows/b.cc`\n"},
      {"docs/codec.md", "`a.h`\n"}};

  EXPECT_THAT(Said(CheckReadmeNames(files)),
              ElementsAre("codec/rows/README.md: a.h: no file here or below; write its path from "
                          "the root",
                          "codec/rows/README.md: rows/b.cc: no file here or below; write its path "
                          "from the root"));
}

TEST(CheckInstalledHeadersTest, WantsWhatTheApiReaches) {
  const std::vector<SourceFile> files = {
      {"engine/tsdb.h", "#include \"codec/a.h\"\n#include <vector>\n"},
      {"codec/a.h", "#include \"codec/b.h\"\n"},
      {"codec/CMakeLists.txt", "hourcell_library(codec\n  PUBLIC_HEADERS a.h\n  c.h)\n"},
      {"engine/CMakeLists.txt", "hourcell_library(engine PUBLIC_HEADERS tsdb.h)\n"}};

  EXPECT_THAT(Said(CheckInstalledHeaders(files)),
              ElementsAre("codec/b.h: a header in engine/ reaches it, but no PUBLIC_HEADERS has it",
                          "codec/c.h: in PUBLIC_HEADERS, but no header in engine/ reaches it"));
}

TEST(CheckProgramTest, ComparesBlocksToTheLetter) {
  const SourceFile program("tests/install/main.cc", "int main() {}\n");

  EXPECT_THAT(CheckProgram(SourceFile("a.md", "x\n```cpp\nint main() {}\n```\n"), program),
              IsEmpty());
  EXPECT_THAT(Said(CheckProgram(SourceFile("a.md", "```cpp\nint main() { }\n```\n"), program)),
              ElementsAre("a.md: no program of it is that of tests/install/main.cc"));
  EXPECT_THAT(
      CheckProgram(
          SourceFile("a.md", "```cpp\nother\n```\n```sh\n```\n```cpp\nint main() {}\n```\n"),
          program),
      IsEmpty());
  EXPECT_THAT(Said(CheckProgram(SourceFile("a.md", "nothing\n"), program)),
              ElementsAre("a.md: no ```cpp block"));
}

TEST(CheckBuiltTest, ReportsFoldersThatNothingBuilds) {
  const std::vector<SourceFile> files = {{"codec/CMakeLists.txt", "FOLDERS . rows\n"},
                                         {"codec/a.cc", ""},
                                         {"codec/rows/a.cc", ""},
                                         {"codec/lost/a.cc", ""},
                                         {"lost/b.cc", ""}};

  EXPECT_THAT(Said(CheckBuilt(files)),
              ElementsAre("codec/lost/a.cc: no CMakeLists.txt above it has its folder",
                          "lost/b.cc: no CMakeLists.txt above it has its folder"));
}

TEST(CheckFoldersTest, ReportsFoldersThatAreFullOrSilent) {
  std::vector<SourceFile> files = {{"codec/README.md", ""}, {"uid/a.cc", ""}, {"tests/b.cc", ""}};
  for (size_t i = 0; i < kFolderFilesMax; ++i)
    files.emplace_back(fmt::format("codec/a{}.cc", i), "");
  EXPECT_THAT(Said(CheckFolders(files)), ElementsAre("uid: no README.md says what is in it"));

  files.emplace_back("codec/one_more.h", "");
  EXPECT_THAT(Said(CheckFolders(files)), ElementsAre("codec: 26 files; expected at most 25",
                                                     "uid: no README.md says what is in it"));
}

}  // namespace
}  // namespace hourcell::tidy
