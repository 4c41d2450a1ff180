#include "tests/tidy/claim_checks.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Texts(const std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings)
    texts.push_back(finding.path + ": " + finding.message);
  return texts;
}

std::vector<std::string> Unchecked(const std::string& header, const std::string& source = "") {
  const std::vector<SourceFile> files = {{"codec/a.h", header}, {"codec/a.cc", source}};
  return Texts(CheckRequirements(files, {}));
}

constexpr char kRequiresFoo[] = "// REQUIRES: a > 0.\nint Foo(int a);\n";

TEST(CheckRequirementsTest, WantsACheckInTheBody) {
  EXPECT_THAT(Unchecked(kRequiresFoo, "int Foo(int a) {\n  return a;\n}\n"),
              ElementsAre("codec/a.h: REQUIRES of Foo: no HOURCELL_DCHECK in its body"));
  EXPECT_THAT(Unchecked(kRequiresFoo, "int Foo(int a) {\n  HOURCELL_DCHECK(a > 0);\n}\n"),
              IsEmpty());
  EXPECT_THAT(Unchecked(kRequiresFoo, "int Foo(int a) {\n  HOURCELL_CHECK(a > 0);\n}\n"),
              IsEmpty());
}

TEST(CheckRequirementsTest, ACheckInACommentOrInAnotherFunctionDoesNotCount) {
  EXPECT_THAT(Unchecked(kRequiresFoo,
                        "int Foo(int a) {\n  // HOURCELL_DCHECK(a > 0);\n}\n"
                        "int Bar() {\n  HOURCELL_DCHECK(true);\n}\n"),
              testing::SizeIs(1));
}

TEST(CheckRequirementsTest, ReadsInlineFunctionsAndConstructors) {
  EXPECT_THAT(Unchecked("// REQUIRES: a.\nint Foo(int a) { return a; }\n"), testing::SizeIs(1));
  EXPECT_THAT(Unchecked("// REQUIRES: a.\nint Foo(int a) { HOURCELL_DCHECK(a); }\n"), IsEmpty());
  EXPECT_THAT(Unchecked("struct A {\n  // REQUIRES: a.\n  explicit A(B b = {}) : b_{b}, c_(1) {\n"
                        "    HOURCELL_DCHECK(b);\n  }\n};\n"),
              IsEmpty());
  EXPECT_THAT(Unchecked("struct A {\n  // REQUIRES: a.\n  explicit A(B b = {});\n};\n",
                        "A::A(B b)\n    : b_{b} {}\n"),
              testing::SizeIs(1));
}

TEST(CheckRequirementsTest, LeavesInterfacesAndProseAlone) {
  EXPECT_THAT(Unchecked("  // REQUIRES: a.\n  virtual int Foo(int a) = 0;\n"), IsEmpty());
  EXPECT_THAT(Unchecked("// REQUIRES: one thread.\n\n#pragma once\nint Foo(int a);\n",
                        "int Foo(int a) {\n}\n"),
              IsEmpty());
  EXPECT_THAT(Unchecked("// REQUIRES: a.\nstruct Parts {\n  int a = 0;\n};\n"), IsEmpty());
}

TEST(CheckRequirementsTest, AnExceptionIsNeeded) {
  const std::vector<SourceFile> files = {{"codec/a.h", kRequiresFoo},
                                         {"codec/a.cc", "int Foo(int a) {\n}\n"}};
  const FunctionException foo{"codec/a.h", "Foo", "per point"};
  const FunctionException bar{"codec/a.h", "Bar", "per point"};

  EXPECT_THAT(Texts(CheckRequirements(files, std::vector{foo})), IsEmpty());
  EXPECT_THAT(Texts(CheckRequirements(files, std::vector{foo, bar})),
              ElementsAre("codec/a.h: exception for Bar: it is not needed"));
}

std::vector<std::string> Uncalled(const std::string& header, const std::string& caller) {
  const std::vector<SourceFile> files = {{"codec/a.h", header},
                                         {"codec/a.cc", "int Foo(int a) {\n  return a;\n}\n"},
                                         {"tests/codec/a_test.cc", "  Foo(1);\n"},
                                         {"server/b.cc", caller}};
  return Texts(CheckCallers(files, {}));
}

TEST(CheckCallersTest, WantsACallerInTheProduct) {
  EXPECT_THAT(Uncalled("int Foo(int a);\n", ""),
              ElementsAre("codec/a.h: Foo: no code of the product calls it; remove it"));
  EXPECT_THAT(Uncalled("int Foo(int a);\n", "int Bar() {\n  return Foo(1);\n}\n"), IsEmpty());
  EXPECT_THAT(Uncalled("int Foo(int a);\n", "int Bar() {\n  return Each(&Foo);\n}\n"), IsEmpty());
  EXPECT_THAT(Uncalled("int Foo(int a);\n", "constexpr int kBar = a.Foo(1);\n"), IsEmpty());
  EXPECT_THAT(Uncalled("int Foo(int a);\n", "// Foo\n"), testing::SizeIs(1));
}

TEST(CheckCallersTest, FindsFunctionsOfTypesAndTemplates) {
  EXPECT_THAT(
      Uncalled("#define A 1\nclass A {\n public:\n  A() = default;\n  int Foo(int a);\n};\n", ""),
      testing::SizeIs(1));
  EXPECT_THAT(Uncalled("template <typename T>\nint Foo(const T& a) {\n  return Size(a);\n}\n", ""),
              testing::SizeIs(1));
}

TEST(CheckCallersTest, LeavesVirtualFunctionsConstantsAndTheInterfaceAlone) {
  EXPECT_THAT(Uncalled("struct A {\n  virtual int Foo(int a) = 0;\n};\n", ""), IsEmpty());
  EXPECT_THAT(Uncalled("struct A : B {\n  int Foo(int a) override;\n};\n", ""), IsEmpty());
  EXPECT_THAT(Uncalled("inline constexpr View kFoo(\"a\", 1);\n", ""), IsEmpty());
  const std::vector<SourceFile> files = {{"engine/a.h", "int Foo(int a);\n"}};
  EXPECT_THAT(CheckCallers(files, {}), IsEmpty());
}

TEST(CheckPlantedTableTest, WantsARowForEachPatch) {
  const std::vector<SourceFile> files = {{"tests/planted/a.patch", ""},
                                         {"tests/planted/b.patch", ""}};
  const std::string head = "text\n\n| clause | planted bug | caught by |\n|---|---|---|\n";
  EXPECT_THAT(
      CheckPlantedTable({"a.md", head + "| C1 | a | A |\n| C2 | b | B |\n\n| x |\n"}, files),
      IsEmpty());
  EXPECT_THAT(
      Texts(CheckPlantedTable({"a.md", head + "| C1 | a | A |\n"}, files)),
      ElementsAre("a.md: table of planted bugs: expected 2, one for each patch, got 1 rows"));
  EXPECT_THAT(CheckPlantedTable({"a.md", "text\n"}, files), testing::SizeIs(1));
}

TEST(CheckCountsTest, WantsTheTableInsteadOfACount) {
  EXPECT_THAT(Texts(CheckCounts({"docs/a.md", "It has 72 fuzz targets.\n"})),
              ElementsAre("docs/a.md: a count of fuzz targets: it goes stale; name the table"));
  EXPECT_THAT(CheckCounts({"docs/a.md", "The fuzz targets, and two settings.\n"}), IsEmpty());
  EXPECT_THAT(CheckCounts({"docs/decisions/0001.md", "It had 72 settings.\n"}), IsEmpty());
}

}  // namespace
}  // namespace hourcell::tidy
