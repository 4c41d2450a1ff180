#include "engine/query/functions/series_function.h"

#include <gtest/gtest.h>

#include "engine/query/functions/combination.h"
#include "engine/query/functions/highest_current.h"
#include "engine/query/functions/mapping.h"
#include "engine/query/functions/ranking.h"
#include "tests/engine/query/functions/counted_memory.h"

namespace hourcell::series_function_test {
namespace {

TEST(SeriesFunctionTest, EveryTextIsAFunction) {
  CountedMemory memory;
  for (const char* const text : {"top(3,max)", "bottom(3,max)"}) {
    const auto function = MakeSeriesFunction(*ParseFunctionSpec(text), 1, &memory);
    EXPECT_NE(dynamic_cast<Ranking*>(function.get()), nullptr) << text;
  }
}

TEST(SeriesFunctionTest, EachKindHasItsClass) {
  CountedMemory memory;
  const auto is_a = [&]<typename T>(FunctionSpec::Kind kind, T* /*tag*/) {
    const auto function = MakeSeriesFunction({.kind = kind}, /*inputs=*/2, &memory);
    return dynamic_cast<T*>(function.get()) != nullptr;
  };
  using Kind = FunctionSpec::Kind;
  EXPECT_TRUE(is_a(Kind::kHighestMax, static_cast<Ranking*>(nullptr)));
  EXPECT_TRUE(is_a(Kind::kHighestCurrent, static_cast<HighestCurrent*>(nullptr)));
  for (const Kind kind : {Kind::kScale, Kind::kAbsolute, Kind::kMovingAverage, Kind::kFirstDiff,
                          Kind::kTimeShift, Kind::kAlias}) {
    EXPECT_TRUE(is_a(kind, static_cast<Mapping*>(nullptr)));
  }
  for (const Kind kind :
       {Kind::kSumSeries, Kind::kDiffSeries, Kind::kMultiplySeries, Kind::kDivideSeries}) {
    EXPECT_TRUE(is_a(kind, static_cast<Combination*>(nullptr)));
  }
}

}  // namespace
}  // namespace hourcell::series_function_test
