#include "server/cli/data/import/vm_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/data/import/translated.h"

namespace hourcell::vm_lines_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

ForeignRules Rules() {
  return {.format = ImportFormat::kVm, .default_tag = " from=vm"};
}

TEST(VmLinesTest, ALineIsASeries) {
  EXPECT_THAT(
      Translated(Rules(), R"({"metric":{"__name__":"cpu","host":"a"},"values":[1,2.5,1e+06],)"
                          R"("timestamps":[1356998400000,1356998400500,1356998401000]})"),
      ElementsAre("cpu 1356998400 1 host=a", "cpu 1356998400500 2.5 host=a",
                  "cpu 1356998401 1e+06 host=a"));
}

TEST(VmLinesTest, FieldsComeInAnyOrderAndOthersAreSkipped) {
  EXPECT_THAT(Translated(Rules(), R"({"timestamps":[1000],"x":{"y":[1]},"values":[7],)"
                                  R"("metric":{"a:b":"c d","empty":"","__name__":"m{}"}})"),
              ElementsAre("m__ 1 7 a_b=c_d"));
}

TEST(VmLinesTest, StaleValuesAreNoPoints) {
  EXPECT_THAT(Translated(Rules(), R"({"metric":{"__name__":"m"},"values":[null,7],)"
                                  R"("timestamps":[1000,2000]})"),
              ElementsAre("m 2 7 from=vm"));
  EXPECT_THAT(Translated(Rules(), ""), IsEmpty());
}

TEST(VmLinesTest, AnInstantThatWouldBeReadAsSecondsIsAFault) {
  EXPECT_THAT(Translated(Rules(), R"({"metric":{"__name__":"m"},"values":[1,7],)"
                                  R"("timestamps":[1500,2000]})"),
              ElementsAre("! timestamp 1500 ms: before 4294967296 ms, only whole seconds can be "
                          "imported",
                          "m 2 7 from=vm"));
}

TEST(VmLinesTest, WhatIsWrongIsSaid) {
  const auto with = [](std::string_view metric, std::string_view values, std::string_view times) {
    return Translated(Rules(), "{\"metric\":" + std::string(metric) +
                                   ",\"values\":" + std::string(values) +
                                   ",\"timestamps\":" + std::string(times) + "}");
  };
  EXPECT_THAT(with(R"({"__name__":"m"})", "[1,2]", "[1000]"),
              ElementsAre("! 2 values and 1 timestamps; expected as many of both"));
  EXPECT_THAT(with(R"({"a":"b"})", "[1]", "[1000]"), ElementsAre("! the series lacks a name"));
  EXPECT_THAT(with(R"({"__name__":"m"})", "[1]", "[\"x\"]"),
              ElementsAre("! invalid timestamp: \"x\""));
  for (const char* const line : {"[]", "{", "x", R"({"metric":1})", R"({"metric":{"a":1}})",
                                 R"({"values":{}})", R"({"values":[[1]]})", "{} {}"}) {
    EXPECT_THAT(Translated(Rules(), line), ElementsAre(StartsWith("! "))) << line;
  }
}

}  // namespace
}  // namespace hourcell::vm_lines_test
