// Mapping: the functions that make one series of one series: scale, absolute, movingAverage,
// firstDiff, timeShift and alias. They hold no series, and keep its annotations and tsuids.
//
// NaN stays NaN, except in a moving average, which skips NaN unless its window has only NaN. A
// moving average is 0 until its window is full: until `count` numbers were seen, or until a number
// is older than the window. Points before the start of the query do not count.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/query/columns.h"
#include "engine/query/functions/series_function.h"

namespace hourcell {

// `pattern` with the value of a tag for each "@" and its key; of several keys that follow an "@",
// the longest. Other text stays.
std::string AliasOf(std::string_view pattern,
                    std::span<const std::pair<std::string_view, std::string_view>> tags);

class Mapping : public SeriesFunction {
 public:
  // `memory` is borrowed. REQUIRES: `spec` is one of these functions.
  Mapping(const FunctionSpec& spec, MemoryAccount* memory);

  absl::Status Add(size_t input, const SeriesView& series, QuerySink* out) override;
  absl::Status Finish(QuerySink* out) override;

 private:
  Span Map(const SpanView& points) const;

  const FunctionSpec spec_;
  MemoryAccount* const memory_;
};

}  // namespace hourcell
