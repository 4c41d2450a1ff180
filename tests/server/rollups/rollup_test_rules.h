// The rollups of tests: 1m (the points themselves), 10m and 1h, with sum, count, max and min.

#pragma once

#include <string_view>

#include "codec/base/check.h"
#include "server/config/rollup_settings.h"
#include "server/rollups/rollup_rules.h"

namespace hourcell {

inline constexpr std::string_view kTestRollups =
    R"({"aggregationIds":{"sum":0,"count":1,"max":2,"min":3},"intervals":[)"
    R"({"interval":"1m","rowSpan":"1h","table":"t","preAggregationTable":"p",)"
    R"("defaultInterval":true},)"
    R"({"interval":"10m","rowSpan":"1d","table":"t","preAggregationTable":"p"},)"
    R"({"interval":"1h","rowSpan":"1n","table":"t","preAggregationTable":"p"}]})";

inline RollupRules MakeTestRules() {
  const auto config = ParseRollupConfig(kTestRollups);
  HOURCELL_CHECK(config.ok());
  return {.config = *config};
}

}  // namespace hourcell
