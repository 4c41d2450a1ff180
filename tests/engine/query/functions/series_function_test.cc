#include "engine/query/functions/series_function.h"

#include <gtest/gtest.h>

#include "engine/query/functions/ranking.h"
#include "tests/engine/query/functions/counted_memory.h"

namespace hourcell::series_function_test {
namespace {

TEST(SeriesFunctionTest, EveryTextIsAFunction) {
  CountedMemory memory;
  for (const char* const text : {"top(3,max)", "bottom(3,max)"}) {
    const auto function = MakeSeriesFunction(*ParseFunctionSpec(text), &memory);
    EXPECT_NE(dynamic_cast<Ranking*>(function.get()), nullptr) << text;
  }
}

}  // namespace
}  // namespace hourcell::series_function_test
