#include "engine/query/functions/series_function.h"

#include "codec/base/check.h"
#include "engine/query/functions/combination.h"
#include "engine/query/functions/highest_current.h"
#include "engine/query/functions/mapping.h"
#include "engine/query/functions/ranking.h"

namespace hourcell {

std::unique_ptr<SeriesFunction> MakeSeriesFunction(const FunctionSpec& spec,
                                                   size_t inputs,
                                                   MemoryAccount* memory) {
  switch (spec.kind) {
    case FunctionSpec::Kind::kTop:
    case FunctionSpec::Kind::kBottom:
    case FunctionSpec::Kind::kHighestMax:
      return std::make_unique<Ranking>(spec, memory);
    case FunctionSpec::Kind::kHighestCurrent:
      return std::make_unique<HighestCurrent>(spec.count, memory);
    case FunctionSpec::Kind::kScale:
    case FunctionSpec::Kind::kAbsolute:
    case FunctionSpec::Kind::kMovingAverage:
    case FunctionSpec::Kind::kFirstDiff:
    case FunctionSpec::Kind::kTimeShift:
    case FunctionSpec::Kind::kAlias:
      return std::make_unique<Mapping>(spec, memory);
    case FunctionSpec::Kind::kSumSeries:
    case FunctionSpec::Kind::kDiffSeries:
    case FunctionSpec::Kind::kMultiplySeries:
    case FunctionSpec::Kind::kDivideSeries:
      return std::make_unique<Combination>(spec.kind, inputs, memory);
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
