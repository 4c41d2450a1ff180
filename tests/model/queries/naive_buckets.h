// How far a query reads, and the buckets of a downsampling, by the rules of OpenTSDB's TsdbQuery
// and Downsampler, a second time and plainly: a list of all boundaries. Pure but for time zone
// tables.

#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "codec/point.h"
#include "engine/query/query_spec.h"

namespace hourcell {

struct NaiveRange {
  int64_t start_ms = 0;
  int64_t end_ms = 0;         // inclusive
  int64_t scan_begin_ms = 0;  // a whole hour
  int64_t scan_end_ms = 0;    // exclusive; a whole hour
};

NaiveRange NaiveRangeOf(int64_t start_ms,
                        int64_t end_ms,
                        const std::optional<DownsampleSpec>& downsample);

// The buckets of the points of one series in the scanned hours.
std::map<int64_t, Value> NaiveDownsample(const std::map<int64_t, Value>& points,
                                         const DownsampleSpec& spec,
                                         const NaiveRange& range);

}  // namespace hourcell
