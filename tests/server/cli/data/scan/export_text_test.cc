#include "server/cli/data/scan/export_text.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::export_text_test {
namespace {

std::string Field(std::string_view text) {
  std::string out;
  AppendCsvField(text, &out);
  return out;
}

TEST(ExportTextTest, FieldsAreQuotedIfTheyMustBe) {
  EXPECT_EQ(Field("a b"), "a b");
  EXPECT_EQ(Field("a,b"), "\"a,b\"");
  EXPECT_EQ(Field("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(Field("a\nb"), "\"a\nb\"");
}

TEST(ExportTextTest, WhatJsonHasNoNumberForIsWrittenAsVictoriaMetricsDoes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<Timestamp> times = {{.ms = 1000}, {.ms = 2000}, {.ms = 3000}};
  const std::vector<Value> values = {Value::Float(std::numeric_limits<double>::quiet_NaN()),
                                     Value::Float(kInfinity), Value::Float(-kInfinity)};
  ScannedRow row;
  row.metric = "m";
  row.times = times;
  row.point_values = values;
  const std::unique_ptr<RowWriter> writer = MakeRowWriter(ExportFormat::kVm, {}, {});
  std::string out;

  ASSERT_OK(writer->Append(row, &out));

  EXPECT_EQ(out, R"({"metric":{"__name__":"m"},"values":[null,"Infinity","-Infinity"],)"
                 R"("timestamps":[1000,2000,3000]})"
                 "\n");
  EXPECT_EQ(writer->points(), 3u);
}

}  // namespace
}  // namespace hourcell::export_text_test
