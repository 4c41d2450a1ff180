#include "server/cli/data/import/csv_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/data/import/translated.h"
#include "tests/support/status_matchers.h"

namespace hourcell::csv_lines_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ForeignRules Rules(std::string_view fields) {
  return {
      .format = ImportFormat::kCsv, .default_tag = " from=csv", .csv_columns = std::string(fields)};
}

TEST(CsvLinesTest, AFieldSaysWhatItIs) {
  EXPECT_THAT(ParseCsvFields("time,-,tag:host,value:cpu"),
              IsOkAndHolds(ElementsAre(CsvField{.kind = CsvField::Kind::kTime}, CsvField{},
                                       CsvField{.kind = CsvField::Kind::kTag, .name = "host"},
                                       CsvField{.kind = CsvField::Kind::kValue, .name = "cpu"})));
}

TEST(CsvLinesTest, FieldsThatMakeNoPointAreRefused) {
  struct Case {
    std::string_view fields;
    std::string_view says;
  };
  for (const Case& c :
       {Case{"", "unknown field \"\""}, Case{"time,tag:", "unknown field \"tag:\""},
        Case{"metric,value", "one field time"}, Case{"time,time,value:a", "one field time"},
        Case{"time,metric", "expected a field value"}, Case{"time,value", "metric"},
        Case{"time,metric,value:a", "metric"}, Case{"time,metric,value,value", "metric"}}) {
    EXPECT_THAT(ParseCsvFields(c.fields),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.says)))
        << c.fields;
  }
}

TEST(CsvLinesTest, ALineIsAPoint) {
  EXPECT_THAT(Translated(Rules("time,metric,value,tag:host"), "1356998400,cpu,1.5,a"),
              ElementsAre("cpu 1356998400 1.5 host=a"));
  EXPECT_THAT(Translated(Rules("time,metric,value,tag:host"), "1356998400500,cpu,1,"),
              ElementsAre("cpu 1356998400500 1 from=csv"));
  EXPECT_THAT(Translated(Rules("time,metric,value"), " "), IsEmpty());
}

TEST(CsvLinesTest, ATimeMayBeADate) {
  const auto read = [](std::string_view time) {
    return Translated(Rules("time,value:m"), std::string(time) + ",7");
  };
  EXPECT_THAT(read("2014-02-14 14:30:00"), ElementsAre("m 1392388200 7 from=csv"));
  EXPECT_THAT(read("2014-02-14T14:30:00.25Z"), ElementsAre("m 1392388200250 7 from=csv"));
  EXPECT_THAT(read("2014-02-14T14:30:00.123456+02:00"), ElementsAre("m 1392381000123 7 from=csv"));
  EXPECT_THAT(read("2014-02-14 14:30-01:30"), ElementsAre("m 1392393600 7 from=csv"));
  EXPECT_THAT(read("2014-02-14"), ElementsAre("m 1392336000 7 from=csv"));
  EXPECT_THAT(read("2016-02-29"), ElementsAre("m 1456704000 7 from=csv"));
  for (const char* const date :
       {"2014-02-29", "2014-13-01", "2014-02-14 24:00:00", "2014-02-14 14:60:00",
        "2014-02-14 14:30:60", "2014-02-14 14", "2014-02-14 14:30:00 CET", "2014-02-14 14:30:00.",
        "14-02-2014", "1969-12-31", "2014-02-14 14:30:00+2", "2014-2-14"}) {
    EXPECT_THAT(read(date), ElementsAre(HasSubstr("expected YYYY-MM-DD HH:MM:SS"))) << date;
  }
}

TEST(CsvLinesTest, AFieldOfValuesIsAMetric) {
  EXPECT_THAT(Translated(Rules("time,tag:host,value:cpu,-,value:load"), "1,a,2,x,3"),
              ElementsAre("cpu 1 2 host=a", "load 1 3 host=a"));
  EXPECT_THAT(Translated(Rules("time,tag:host,value:cpu,-,value:load"), "1,a,,x,3"),
              ElementsAre("load 1 3 host=a"));
}

TEST(CsvLinesTest, FieldsAreQuotedAsRfc4180Says) {
  EXPECT_THAT(Translated(Rules("time,metric,value,tag:q"), R"(1,"cpu",2,"a,""b""")"),
              ElementsAre("cpu 1 2 q=a__b_"));
  EXPECT_THAT(Translated(Rules("time,metric,value"), R"(1,"cpu,2)"),
              ElementsAre("! a quoted field is not closed"));
  EXPECT_THAT(Translated(Rules("time,metric,value"), R"(1,"cpu"x,2)"),
              ElementsAre("! a quoted field is not closed"));
}

TEST(CsvLinesTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(Translated(Rules("time,metric,value"), "1,cpu"),
              ElementsAre("! expected 3, as --csv-columns says, got 2 fields"));
  EXPECT_THAT(Translated(Rules("time,metric,value"), "1,,2"),
              ElementsAre("! the series lacks a name"));
  EXPECT_THAT(Translated(Rules("time,metric,value"), "1 2,cpu,2"),
              ElementsAre("! time \"1 2\" or value \"2\" has a blank"));
}

}  // namespace
}  // namespace hourcell::csv_lines_test
