#include "codec/rollups/rollup_interval.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/vectors.h"

namespace hourcell {
namespace {

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
