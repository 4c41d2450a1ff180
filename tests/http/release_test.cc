// scripts/release --dry-run, and the notes that it cuts from the changelog.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/version.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"

namespace hourcell::release_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ReleaseTest : public testing::Test {
 protected:
  // The output goes to the file `out`.
  int Run(const std::string& command) const {
    return std::system(
        fmt::format("cd '{}' && {{ {}; }} >'{}' 2>&1", SourcePath("."), command, dir_.file("out"))
            .c_str());
  }

  std::string Text(const std::string& name) const {
    std::ifstream file(dir_.file(name));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  int Notes(const std::string& section) const {
    return Run(fmt::format("bash -c 'source scripts/lib/packaging.sh; release_notes \"{}\" {}'",
                           dir_.file("changes"), section));
  }

  TempDir dir_;
};

TEST_F(ReleaseTest, ADryRunMakesWhatNeedsNoBuild) {
  if (!std::filesystem::exists(SourcePath(".git"))) GTEST_SKIP() << "a tree without git";
  ASSERT_EQ(Run(fmt::format("scripts/release --dry-run '{}'", dir_.file("made"))), 0)
      << Text("out");

  const std::string name = fmt::format("hourcell-{}", kHourcellVersion);
  EXPECT_THAT(Text("made/NOTES.md"), StartsWith(fmt::format("# Hourcell {}\n", kHourcellVersion)));
  EXPECT_THAT(Text("made/NOTES.md"), HasSubstr("\n### Contents\n"));
  EXPECT_THAT(Text("made/SHA256SUMS"), HasSubstr("  NOTES.md\n"));
  EXPECT_THAT(Text("made/SHA256SUMS"), HasSubstr("  " + name + ".tar.xz\n"));
  EXPECT_EQ(Run(fmt::format("cd '{}' && sha256sum -c SHA256SUMS", dir_.file("made"))), 0);
  ASSERT_EQ(Run(fmt::format("tar -tf '{}/{}.tar.xz'", dir_.file("made"), name)), 0);
  EXPECT_THAT(Text("out"), HasSubstr("\n" + name + "/CMakeLists.txt\n"));
  EXPECT_THAT(Text("out"), HasSubstr("\n" + name + "/cmake/commit.txt\n"));
  EXPECT_THAT(Text("out"), Not(HasSubstr("/.git/")));
}

TEST_F(ReleaseTest, NotesAreTheSectionOfTheVersion) {
  std::ofstream(dir_.file("changes"))
      << "# Changelog\n\n## Unreleased\n\n- c\n\n"
         "## 0.2.0 (2026-12-01)\n\n### Added\n\n- b\n\n## 0.1.0\n- a\n";

  EXPECT_EQ(Notes("0.2.0"), 0);
  EXPECT_EQ(Text("out"), "\n### Added\n\n- b\n\n");
  EXPECT_EQ(Notes("0.1.0"), 0);
  EXPECT_EQ(Text("out"), "- a\n");
  EXPECT_NE(Notes("0.3.0"), 0);
  EXPECT_THAT(Text("out"), HasSubstr("has nothing in a section \"## 0.3.0\""));
}

}  // namespace
}  // namespace hourcell::release_test
