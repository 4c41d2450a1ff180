// The selection of stored rows for a scan, and a row as a scan shows it: of Tsdb::Scan and
// Tsdb::PlanScan.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/limits.h"
#include "codec/point.h"
#include "engine/query/query_spec.h"

namespace hourcell {

// One stored row, as `hourcell scan` shows it. Views live for the visit.
struct ScannedRow {
  std::string_view key;         // the row key's bytes
  std::string_view qualifiers;  // OpenTSDB's bytes, whatever format is stored
  std::string_view values;      // meta byte included
  uint32_t base_time_s = 0;
  std::string_view metric;  // UTF-8; or the UID in hex, without a name
  std::span<const TagView> tags;
  std::span<const Timestamp> times;  // of each point
  std::span<const Value> point_values;
};

struct ScanSpec {
  std::string metric;  // empty = every row of the table, in key order
  std::vector<TagFilterSpec> filters = {};
  int64_t start_ms = 0;
  int64_t end_ms = kTimestampMsMax;  // inclusive; whole hours that touch [start, end] are visited
};

}  // namespace hourcell
