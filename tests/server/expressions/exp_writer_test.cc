#include "server/expressions/exp_writer.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::exp_writer_test {
namespace {

class StringBody : public BodyWriter {
 protected:
  absl::Status Take(std::string* /*piece*/) override { return absl::OkStatus(); }
};

std::string Printed(const ExpressionSet& set, bool nan_as_null) {
  StringBody body;
  EXPECT_OK(
      AppendOutput({.id = "e", .alias = "busy", .nan_as_null = nan_as_null, .set = &set}, &body));
  return body.buffer();
}

TEST(ExpWriterTest, ARowHasTheValuesOfAllSeries) {
  ExpressionSet set;
  set.series.resize(2);
  set.series[0].tags = {{"host", "a"}};
  set.series[0].metrics = {"cpu", "mem"};
  set.series[1].aggregate_tags = {"dc"};
  for (ExpressionSeries& series : set.series)
    series.points.push_back(1000, Value::Float(2));
  set.series[0].points.push_back(2000, Value::Float(std::numeric_limits<double>::quiet_NaN()));
  set.series[1].points.push_back(2000, Value::Float(std::numeric_limits<double>::infinity()));

  EXPECT_EQ(Printed(set, /*nan_as_null=*/false),
            R"({"id":"e","alias":"busy","dps":[[1000,2.0,2.0],[2000,"NaN","Infinity"]],)"
            R"("dpsMeta":{"firstTimestamp":1000,"lastTimestamp":2000,"setCount":2,"series":2},)"
            R"("meta":[{"index":0,"metrics":["timestamp"]},)"
            R"({"index":1,"metrics":["cpu","mem"],"commonTags":{"host":"a"},"aggregatedTags":[]},)"
            R"({"index":2,"metrics":[],"commonTags":{},"aggregatedTags":["dc"]}]})");
  EXPECT_NE(Printed(set, /*nan_as_null=*/true).find("[2000,null,"), std::string::npos);
}

TEST(ExpWriterTest, AnEmptyOutputHasNoMeta) {
  EXPECT_EQ(Printed({}, false),
            R"({"id":"e","alias":"busy","dps":[],"dpsMeta":{"firstTimestamp":0,)"
            R"("lastTimestamp":0,"setCount":0,"series":0}})");
}

}  // namespace
}  // namespace hourcell::exp_writer_test
