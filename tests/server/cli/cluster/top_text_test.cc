#include "server/cli/cluster/top_text.h"

#include <cstdint>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::top_text_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kNowMs = 1356998400000;
constexpr const char* kPoints = "hourcell_datapoints_added_total{type=\"all\"}";

TopSample First() {
  return {.at_ms = 1000,
          .values = {{kPoints, 1000},
                     {"hourcell_rpc_received_total{type=\"http\"}", 10},
                     {"hourcell_rpc_put_errors_total{reason=\"storage\"}", 4},
                     {"process_cpu_seconds_total", 1.5},
                     {"process_start_time_seconds", 1356998400 - 3723},
                     {"process_resident_memory_bytes", 3 << 20},
                     {"hourcell_journal_bytes", 1000},
                     {"hourcell_open_rows", 12},
                     {"hourcell_regions{table=\"data\"}", 2},
                     {"hourcell_query_queries{type=\"running\"}", 1}}};
}

// Two seconds after the first.
TopSample Second() {
  TopSample sample = First();
  sample.at_ms = 3000;
  sample.values[kPoints] = 501'000;
  sample.values["hourcell_rpc_received_total{type=\"http\"}"] = 15;
  sample.values["process_cpu_seconds_total"] = 3;
  sample.values["hourcell_journal_errors_total"] = 1;
  sample.queries = {{.id = 7,
                     .user = "anna",
                     .client = "10.0.0.1:5",
                     .text = "sum:cpu\x1b[2J",
                     .age_ms = 1500,
                     .rows = 2,
                     .points = 3,
                     .memory = 2048}};
  sample.regions = {{.id = 3, .start = "0001", .points_per_s = 20, .bytes = 7}, {.id = 1}};
  return sample;
}

TopView View() {
  const TopSample first = First();
  return MakeTopView(&first, Second(), "localhost:4242", kNowMs);
}

TEST(TopTextTest, ASnapshotHasFiguresThenQueriesThenBusyRegions) {
  EXPECT_EQ(TopText(View(), {.rows = 40, .width = 200}),
            "hourcell at localhost:4242   up 1:02:03   2013-01-01 00:00:00 UTC\n"
            "points/s 250000   lines/s 0.0   requests/s 2.5   processors 0.8\n"
            "memory 3.0 MiB   of queries 0 B   journal 1000 B   open hours 12   regions 2   "
            "disk free 0 B\n"
            "errors   journal_errors 1 (0.5/s)   rpc_put_errors{reason=\"storage\"} 4 (0.0/s)\n"
            "\n"
            "      ID  USER        CLIENT                      AGE      ROWS      POINTS     MEMORY"
            "  QUERY (1 run, 0 wait)\n"
            "       7  anna        10.0.0.1:5                 1.5s         2           3    2.0 KiB"
            "  sum:cpu?[2J\n"
            "\n"
            "  REGION      POINTS/S        SIZE  FROM KEY\n"
            "       3          20.0         7 B  0001\n");
}

TEST(TopTextTest, FiguresThatNoServerHasAreCutAndHaveNoRate) {
  TopSample first = First();
  first.values[kPoints] = -1e308;
  TopSample second = Second();
  second.values[kPoints] = 1e308;
  second.values["process_start_time_seconds"] = 1e300;
  second.values["process_resident_memory_bytes"] = 1e300;
  second.values["hourcell_journal_bytes"] = -1;

  const TopView view = MakeTopView(&first, second, "a:1", kNowMs);

  EXPECT_EQ(view.points_per_s, std::nullopt);
  EXPECT_EQ(view.up_s, 0);
  EXPECT_EQ(view.memory, uint64_t{1} << 62);
  EXPECT_EQ(view.journal_bytes, 0);
  EXPECT_THAT(TopJson(view), HasSubstr("\"points_per_s\":null,"));
}

TEST(TopTextTest, TheFirstSnapshotHasNoRates) {
  const std::string text =
      TopText(MakeTopView(nullptr, First(), "a:1", kNowMs), {.rows = 9, .width = 99});

  EXPECT_THAT(text, HasSubstr("points/s -   lines/s -   requests/s -   processors -\n"));
  EXPECT_THAT(text, HasSubstr("errors   rpc_put_errors{reason=\"storage\"} 4 (-/s)\n"));
}

TEST(TopTextTest, ItIsCutToTheScreen) {
  const std::string text = TopText(View(), {.rows = 3, .width = 20});

  EXPECT_EQ(text,
            "hourcell at localhos\n"
            "points/s 250000   li\n"
            "memory 3.0 MiB   of \n");
}

TEST(TopTextTest, ACounterThatBeganAnewHasNoNegativeRate) {
  const TopSample first = First();
  TopSample restarted = First();
  restarted.at_ms = 2000;
  restarted.values[kPoints] = 100;

  EXPECT_EQ(MakeTopView(&first, restarted, "a:1", kNowMs).points_per_s, 100);
}

TEST(TopTextTest, JsonIsOneLineWithTheSameFigures) {
  const std::string json = TopJson(View());

  EXPECT_THAT(json, HasSubstr(R"({"server":"localhost:4242","time_ms":1356998400000,"up_s":3723,)"
                              R"("points_per_s":250000.000,"lines_per_s":0.000,)"));
  EXPECT_THAT(json,
              HasSubstr(R"("errors":{"journal_errors":1,"rpc_put_errors{reason=\"storage\"}":4})"));
  EXPECT_THAT(json, HasSubstr(R"("busy_regions":[{"id":3,"start":"0001","points_per_s":20.000,)"));
  EXPECT_THAT(json, Not(HasSubstr("\n")));
  EXPECT_THAT(TopJson(MakeTopView(nullptr, First(), "a:1", kNowMs)),
              HasSubstr(R"("points_per_s":null,)"));
}

}  // namespace
}  // namespace hourcell::top_text_test
