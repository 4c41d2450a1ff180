#include "server/cli/data/query/explain_text.h"

#include <vector>

#include <gtest/gtest.h>

namespace hourcell::explain_text_test {
namespace {

TEST(ExplainTextTest, AlignsItsFields) {
  const std::vector<PlanReport> plans = {
      {.query_index = 0,
       .method = "point reads",
       .metric_series = 100,
       .series = 7,
       .groups = 2,
       .hours = 24,
       .expected_rows = 168,
       .expected_bytes = 20'000,
       .cost = {.series = 7,
                .rows = 160,
                .day_rows = 7,
                .points = 5760,
                .bytes = 19'000,
                .memory = 65'536}},
      {.query_index = 1, .method = "linear scan", .cost = {.rows = 1'000'000, .rows_skipped = 5}}};

  EXPECT_EQ(ExplainText(plans),
            "query  method       series  of series  groups  hours     rows  of days  expected  "
            "skipped  points  bytes  expected  memory\n"
            "    0  point reads       7        100       2     24      160        7       168  "
            "      0    5760  19000     20000   65536\n"
            "    1  linear scan       0          0       0      0  1000000        0         0  "
            "      5       0      0         0       0\n");
}

TEST(ExplainTextTest, SaysThatThereIsNothing) {
  EXPECT_EQ(ExplainText({}), "No sub query was planned\n");
}

}  // namespace
}  // namespace hourcell::explain_text_test
