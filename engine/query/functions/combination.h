// Combination: sumSeries, diffSeries, multiplySeries and divideSeries, of 2 to kCombinedInputsMax
// inputs. The series of all inputs with equal tags make one result, calculated from left to right
// in doubles, at all times that any such series has. A missing series, and a missing point, counts
// as 0; x / 0 is 0. Results come by their tags, ascending.
//
// A result has the metric of its series with the smallest tsuid, or of the first, if no series has
// one; no tsuids, and no annotations.
//
// Holds all series of all inputs.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/query/columns.h"
#include "engine/query/functions/kept_series.h"
#include "engine/query/functions/series_function.h"
#include "engine/query/functions/series_join.h"

namespace hourcell {

inline constexpr size_t kCombinedInputsMax = 26;

class Combination : public SeriesFunction {
 public:
  // `memory` is borrowed. REQUIRES: `kind` is one of these functions.
  Combination(FunctionSpec::Kind kind, size_t inputs, MemoryAccount* memory);

  absl::Status Add(size_t input, const SeriesView& series, QuerySink* out) override;
  // kInvalidArgument: two series of an input have the same tags.
  absl::Status Finish(QuerySink* out) override;

 private:
  absl::Status Give(const JoinedSeries& joined, QuerySink* out) const;
  Span Combine(const std::vector<const Span*>& of_input) const;

  const FunctionSpec::Kind kind_;
  MemoryAccount* const memory_;
  std::vector<std::vector<std::unique_ptr<KeptSeries>>> inputs_;
};

}  // namespace hourcell
