// The cost of writing a point of a result: series to the JSON of /api/query.
//
//   query_writer_bench --benchmark_filter=Points

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "engine/query.h"
#include "server/http/body/body_writer.h"
#include "server/query/query_writer.h"

namespace hourcell {
namespace {

constexpr int64_t kStartMs = 1704067200000;

enum ValueKind : int64_t { kInteger = 0, kTwoDecimals = 1, kFullMantissa = 2 };

Value MakeValue(int64_t kind, Random* random) {
  switch (kind) {
    case kInteger:
      return Value::Integer(static_cast<int64_t>(random->Below(100)));
    case kTwoDecimals:
      return Value::Float(static_cast<double>(random->Below(10'000)) / 100);
    default:
      return Value::Float(random->Fraction() * 100);
  }
}

Span MakeSpan(size_t points, int64_t kind) {
  Random random(20260101);
  Span span;
  for (size_t i = 0; i < points; ++i)
    span.push_back(kStartMs + static_cast<int64_t>(i) * 10'000, MakeValue(kind, &random));
  return span;
}

SeriesView ViewOf(const Span& span,
                  const std::vector<std::pair<std::string_view, std::string_view>>& tags) {
  SeriesView series;
  series.metric = "cpu.usage_user";
  series.tags = tags;
  series.points = {.t = span.t, .v = span.v, .is_float = span.is_float};
  return series;
}

// Counts its pieces and drops them.
class NoBody : public BodyWriter {
 public:
  size_t bytes = 0;

 private:
  absl::Status Take(std::string* piece) override {
    bytes += piece->size();
    piece->clear();
    return absl::OkStatus();
  }
};

// `state.range(0)` is the kind of the values, `state.range(1)` the points of a series.
void BM_WritePoints(benchmark::State& state) {
  const Span span = MakeSpan(static_cast<size_t>(state.range(1)), state.range(0));
  const std::vector<std::pair<std::string_view, std::string_view>> tags = {{"host", "host_1"}};
  const SeriesView series = ViewOf(span, tags);
  const QuerySpec spec;
  NoBody body;
  QueryWriter writer(spec, {}, &body);
  for ([[maybe_unused]] const auto _ : state)
    HOURCELL_CHECK(writer.OnSeries(series).ok());
  HOURCELL_CHECK(body.bytes + body.buffer().size() > span.size() * 15);
  state.SetItemsProcessed(state.iterations() * state.range(1));
  state.counters["s/point"] = benchmark::Counter(
      static_cast<double>(span.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_WritePoints)->ArgsProduct({{kInteger, kTwoDecimals, kFullMantissa}, {3600}});
// One point a series: mostly names and tags.
BENCHMARK(BM_WritePoints)->Name("BM_WriteSeries")->Args({kTwoDecimals, 1});

}  // namespace
}  // namespace hourcell

BENCHMARK_MAIN();
