#include "server/cli/data/query/query_text.h"

#include <string>

#include <gtest/gtest.h>

namespace hourcell::query_text_test {
namespace {

TEST(QueryTextTest, SeriesIsALineAPoint) {
  ResultSeries series;
  series.metric = "cpu";
  series.tags = {{"host", "a"}, {"dc", "b"}};
  series.points = {
      {1000, Value::Integer(42)}, {2500, Value::Float(0.1)}, {3000, Value::Float(1e10)}};

  std::string text;
  AppendSeriesLines(series, &text);

  EXPECT_EQ(text,
            "cpu 1000 42 {host=a, dc=b}\n"
            "cpu 2500 0.1 {host=a, dc=b}\n"
            "cpu 3000 1.0E10 {host=a, dc=b}\n");
}

}  // namespace
}  // namespace hourcell::query_text_test
