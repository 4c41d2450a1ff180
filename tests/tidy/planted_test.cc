// The planted bugs of tests/planted can still be planted; scripts/planted-bugs does it, and shows
// what catches them.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/source_dir.h"

namespace hourcell::tidy {
namespace {

TEST(PlantedTest, EveryPatchSaysWhatCatchesItAndApplies) {
  std::set<std::string> clauses;
  for (const auto& entry : std::filesystem::directory_iterator(SourcePath("tests/planted"))) {
    if (entry.path().extension() != ".patch") continue;
    SCOPED_TRACE(entry.path().filename());
    std::ifstream patch(entry.path());
    const std::string text{std::istreambuf_iterator<char>(patch), {}};
    EXPECT_THAT(text, testing::ContainsRegex("^(# preset: bigtable\n)?(C[1-8]|[A-Z][A-Za-z]+): .*\n"
                                             "build: .*\nrun: "));
    if (text.starts_with('C') && text.find(':') == 2) clauses.insert(text.substr(0, 2));
    const std::string apply =
        fmt::format("cd '{}' && git apply --check '{}'", SourcePath("."), entry.path().string());
    EXPECT_EQ(std::system(apply.c_str()), 0);
  }
  EXPECT_EQ(clauses.size(), 8u) << "one or more for each clause of docs/reliability.md";
}

}  // namespace
}  // namespace hourcell::tidy
