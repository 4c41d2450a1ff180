#include "engine/query/functions/series_function.h"

#include "codec/base/check.h"
#include "engine/query/functions/ranking.h"

namespace hourcell {

std::unique_ptr<SeriesFunction> MakeSeriesFunction(const FunctionSpec& spec,
                                                   MemoryAccount* memory) {
  switch (spec.kind) {
    case FunctionSpec::Kind::kTop:
    case FunctionSpec::Kind::kBottom:
      return std::make_unique<Ranking>(spec, memory);
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
