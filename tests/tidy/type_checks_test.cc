#include "tests/tidy/type_checks.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> NamesIn(const std::string& text) {
  std::vector<std::string> names;
  for (const TypeDefinition& type : TypesOf({"engine/a.h", text}))
    names.push_back(type.name);
  return names;
}

// What happened once: a header of the simulator and a .cc of another folder.
TEST(CheckTypeNamesTest, ReportsTwoTypesOfOneName) {
  const std::vector<SourceFile> files = {
      {"engine/a.h", "namespace hourcell {\nclass Names {\n  int i;\n};\n}\n"},
      {"server/b.cc", "namespace hourcell {\nint F() { return 1; }\nstruct Names : Base {};\n}\n"}};

  const std::vector<Finding> findings = CheckTypeNames(files);

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].path, "server/b.cc");
  EXPECT_EQ(findings[0].line, 3U);
  EXPECT_EQ(findings[0].message,
            "hourcell::Names: engine/a.h has a type of this name, too; expected another name, or "
            "an anonymous namespace");
}

TEST(CheckTypeNamesTest, TypesOfAFileOrOfOtherNamespacesMayBeAlike) {
  const std::vector<SourceFile> files = {
      {"engine/a.cc", "namespace hourcell {\nnamespace {\nclass Names {};\n}\n}\n"},
      {"engine/b.cc", "namespace hourcell {\nnamespace {\nclass Names {};\n}\n}\n"},
      {"engine/c.h", "namespace hourcell {\nclass Names {};\nclass Other;\n}\n"},
      {"engine/d.h", "namespace hourcell::layouts {\nclass Names {};\nclass Other;\n}\n"},
      {"docs/e.md", "namespace hourcell {\nclass Names {};\n}\n"}};

  EXPECT_THAT(CheckTypeNames(files), IsEmpty());
}

TEST(CheckTypeNamesTest, FindsEveryFormOfADefinition) {
  EXPECT_THAT(NamesIn("namespace a::b {\n"
                      "class A {};\n"
                      "struct B final : public A<int> {};\n"
                      "template <typename T, class U = std::vector<T>>\nclass C {};\n"
                      "class [[nodiscard]] D {};\n"
                      "struct alignas(64) E {};\n"
                      "class ABSL_LOCKABLE F {};\n"
                      "enum class G : uint8_t { kOne, kTwo };\n"
                      "union H { int i; };\n"
                      "struct A::Inner { int i; };\n"
                      "}\n"),
              ElementsAre("a::b::A", "a::b::B", "a::b::C", "a::b::D", "a::b::E", "a::b::F",
                          "a::b::G", "a::b::H", "a::b::A::Inner"));
}

TEST(CheckTypeNamesTest, LeavesOutWhatIsNoDefinitionAtTheLevelOfNamespaces) {
  EXPECT_THAT(NamesIn("#define DEFINE(x) \\\n  struct x {}\n"
                      "namespace a {\n"
                      "class A;\n"
                      "// struct InAComment {};\n"
                      "const char* text = \"struct InAText {};\";\n"
                      "struct tm Now() { return {}; }\n"
                      "void F(struct tm* time) { struct Local {}; }\n"
                      "template <>\nstruct Hash<int> {};\n"
                      "const struct tm kTimes[] = {{}};\n"
                      "namespace {\nstruct Own {};\n}\n"
                      "struct Outer { struct Nested {}; enum class Kind { kOne }; };\n"
                      "}\n"),
              ElementsAre("a::Outer"));
}

}  // namespace
}  // namespace hourcell::tidy
