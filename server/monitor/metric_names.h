// The Prometheus names and the help texts of the server's statistics.
//
// Most names follow from the statistic's: rpc.received is hourcell_rpc_received_total. A statistic
// outside the table is also exported, under such a name; a test requires its row. Pure.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/stats.h"

namespace hourcell {

// The statistics of one name and kind.
struct MetricName {
  std::string_view stat;  // as in /api/stats, without "tsd."
  std::string_view help;  // one sentence
  // Without "hourcell_" and the suffixes; empty: as the statistic's, with _ for other characters.
  std::string_view metric = {};
  // Only for gauges: a counter has the same statistic.
  bool is_gauge_of_both = false;
};

std::span<const MetricName> MetricNames();

// Null if the table does not contain it.
const MetricName* FindMetricName(std::string_view stat, StatKind kind);

// The name of the family: "hourcell_rpc_received". `row` may be null.
std::string FamilyName(std::string_view stat, const MetricName* row);

}  // namespace hourcell
