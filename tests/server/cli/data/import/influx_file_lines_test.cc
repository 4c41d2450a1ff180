#include "server/cli/data/import/influx_file_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/data/import/translated.h"

namespace hourcell::influx_file_lines_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ForeignRules Rules(std::string precision = "ns") {
  return {.format = ImportFormat::kInflux,
          .default_tag = " from=i",
          .influx_precision = std::move(precision)};
}

TEST(InfluxFileLinesTest, EachFieldThatIsANumberIsAPoint) {
  EXPECT_THAT(
      Translated(Rules(), R"(cpu,host=a,dc=lga user=2,procs=7i,up=t,s="x y" 1356998400000000000)"),
      ElementsAre("cpu_user 1356998400 2.0 host=a dc=lga", "cpu_procs 1356998400 7 host=a dc=lga",
                  "cpu_up 1356998400 1 host=a dc=lga"));
  EXPECT_THAT(Translated(Rules(), "cpu v=1.5 1356998400123999999"),
              ElementsAre("cpu_v 1356998400123 1.5 from=i"));
  EXPECT_THAT(Translated(Rules(), R"(log,host=a text="x" 1356998400000000000)"), IsEmpty());
}

TEST(InfluxFileLinesTest, PrecisionAndSeparatorAreOfTheRules) {
  EXPECT_THAT(Translated(Rules("s"), "a v=1i 1356998400"), ElementsAre("a_v 1356998400 1 from=i"));
  ForeignRules dotted = Rules("ms");
  dotted.influx_separator = ".";
  EXPECT_THAT(Translated(dotted, "a v=1i 1356998400500"),
              ElementsAre("a.v 1356998400500 1 from=i"));
}

TEST(InfluxFileLinesTest, EscapesAndOtherCharactersOfNamesAreMapped) {
  EXPECT_THAT(
      Translated(Rules(), R"(disk\ io,path=/a\ b,le\,x=10% read\,b=1i 1356998400000000000)"),
      ElementsAre("disk_io_read_b 1356998400 1 path=/a_b le_x=10_"));
}

TEST(InfluxFileLinesTest, WhatAnExportHasBesidesPointsIsSkipped) {
  for (const char* const line :
       {"# DDL", "CREATE DATABASE db WITH NAME autogen", "CREATE RETENTION POLICY rp ON db",
        "# DML", "# CONTEXT-DATABASE:db", "# CONTEXT-RETENTION-POLICY:autogen", "", "  "}) {
    EXPECT_THAT(Translated(Rules(), line), IsEmpty()) << line;
  }
  EXPECT_THAT(Translated(Rules(), "CREATE DATABASE=1i 1356998400000000000"),
              ElementsAre("CREATE_DATABASE 1356998400 1 from=i"));
}

TEST(InfluxFileLinesTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(Translated(Rules(), "a v=1"), ElementsAre("! the line lacks a timestamp"));
  EXPECT_THAT(
      Translated(Rules("s"), "a v=1 1356998400000000000"),
      ElementsAre(
          "! timestamp 1356998400000000000 in s: expected 1 ms to 4294967295999 ms after 1970"));
  EXPECT_THAT(Translated(Rules(), "a 1"),
              ElementsAre("! expected key=value, got the field \"1\" without a value"));
  EXPECT_THAT(
      Translated(Rules(), R"(a v="x)"),
      ElementsAre("! field \"v\": expected a quote at its end, got a string that is not closed"));
  EXPECT_THAT(Translated({.format = ImportFormat::kInflux}, "a v=1i 1356998400000000000"),
              ElementsAre("! the series lacks tags; --default-tag KEY=VALUE adds one"));
}

}  // namespace
}  // namespace hourcell::influx_file_lines_test
