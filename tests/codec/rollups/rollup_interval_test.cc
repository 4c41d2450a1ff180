#include "codec/rollups/rollup_interval.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/vectors.h"

namespace hourcell {
namespace {

// An interval that fits rows of the span.
absl::StatusOr<RollupInterval> RowsOf(const std::string& row_span) {
  const char unit = row_span.back();
  return RollupInterval::Parse(
      {.interval = unit == 'h' ? "1s" : (unit == 'y' ? "6h" : "1h"), .row_span = row_span});
}

TEST(RollupIntervalTest, TheSlotsOfARowAreOpenTsdbs) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "rollup.intervals")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const auto interval = RollupInterval::Parse({.interval = TextOf(vector.given, "interval"),
                                                 .row_span = TextOf(vector.given, "row_span")});
    ++run;
    EXPECT_EQ(interval.ok(), !vector.wants_error());
    if (interval.ok()) {
      EXPECT_EQ(interval->slots(), IntOf(vector.expect, "intervals"));
    }
  }
  EXPECT_EQ(run, 18);
}

// OpenTSDB reads large times as milliseconds, and refuses negative ones; callers do so here.
TEST(RollupIntervalTest, RowsBeginWhereOpenTsdbBeginsThem) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "rollup.base_time")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const auto interval = RowsOf(TextOf(vector.given, "row_span"));
    const int64_t time = IntOf(vector.given, "timestamp");
    ++run;
    ASSERT_EQ(interval.ok() && time >= 0, !vector.wants_error());
    if (vector.wants_error()) continue;
    EXPECT_EQ(interval->BaseOf(time > int64_t{UINT32_MAX} ? time / 1000 : time),
              IntOf(vector.expect, "base_time"));
  }
  EXPECT_EQ(run, 13);
}

TEST(RollupIntervalTest, AnIntervalBeginsAtItsSlot) {
  const auto tens = RollupInterval::Parse({.interval = "10m", .row_span = "1d"});
  const auto sevens = RollupInterval::Parse({.interval = "7m", .row_span = "4h"});
  ASSERT_TRUE(tens.ok() && sevens.ok());

  EXPECT_EQ(tens->StartOf(1356998400 + 599), 1356998400);
  EXPECT_EQ(tens->StartOf(1356998400 + 1799), 1356998400 + 1200);
  EXPECT_EQ(tens->StartOf(1356998400 - 1), 1356998400 - 600);
  EXPECT_EQ(sevens->StartOf(1356998400 + 4 * 3600), 1356998400 + 4 * 3600) << "a row begins";
  EXPECT_EQ(sevens->StartOf(1356998400 + 4 * 3600 - 1), 1356998400 + 34 * 420);
}

// Those with a cap are of configurations (tests/server/config/rollup_settings_test.cc).
TEST(RollupIntervalTest, TheVectorsOfIntervalsHold) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "rollup-parse")) {
    if (TextOf(vector.given, "kind") != "interval" || Has(vector.given, "cap")) continue;
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const simdjson::dom::element given = vector.given["interval"];
    const auto interval = RollupInterval::Parse(
        {.interval = TextOf(given, "interval"),
         .row_span = TextOf(given, "rowSpan"),
         .delay_sla = Has(given, "delaySla") ? TextOf(given, "delaySla") : std::string()});
    ++run;
    ASSERT_EQ(interval.ok(), !vector.wants_error()) << interval.status().ToString();
    if (Has(vector.expect, "lag")) {
      EXPECT_EQ(interval->delay_s(), IntOf(vector.expect, "lag"));
    }
    if (Has(vector.expect, "count")) {
      EXPECT_EQ(interval->slots(), IntOf(vector.expect, "count"));
    }
  }
  EXPECT_EQ(run, 6);
}

TEST(RollupIntervalTest, ADelayIsInSeconds) {
  const auto delayed =
      RollupInterval::Parse({.interval = "1h", .row_span = "1d", .delay_sla = "2d"});
  ASSERT_TRUE(delayed.ok());

  EXPECT_EQ(delayed->delay_s(), 172800);
  EXPECT_FALSE(
      RollupInterval::Parse({.interval = "1h", .row_span = "1d", .delay_sla = "5ms"}).ok());
}

}  // namespace
}  // namespace hourcell
