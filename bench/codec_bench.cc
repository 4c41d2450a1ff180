// The cost of cells: packing, unpacking, reading a summary, decoding format 1, and merging, for
// kinds of data from a constant to noise. `bytes_per_point` is the cell, without RocksDB's
// compression.
//
//   codec_bench --benchmark_filter=Unpack

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/limits.h"
#include "codec/value.h"

namespace hourcell {
namespace {

constexpr size_t kRows = 32;
constexpr uint32_t kStepMs = 10'000;

enum Kind : int64_t {
  kIntegerWalk,   // steps of about N(0, 1), held in 0..100, cut to integers
  kDecimalWalk,   // the same, rounded to hundredths
  kCounter,       // grows by about N(r, r / 5)
  kJitter,        // as kDecimalWalk, at milliseconds about N(0, 50) off the step
  kConstant,      // a new integer every 100 points
  kFullMantissa,  // a walk of doubles
  kKinds,
};
constexpr const char* kKindNames[] = {"integer_walk", "decimal_walk", "counter",
                                      "jitter",       "constant",     "full_mantissa"};

double Normal(Random* random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += random->Fraction();
  return sum;
}

// The next value of a series of the kind; `*state` is its current value.
Value NextValue(int64_t kind, Random* random, double* state) {
  switch (kind) {
    case kCounter:
      *state += std::max(0.0, 1000 + 200 * Normal(random));
      return Value::Integer(static_cast<int64_t>(*state));
    case kConstant:
      if (random->Below(100) == 0) *state = static_cast<double>(random->Below(100));
      return Value::Integer(static_cast<int64_t>(*state));
    case kFullMantissa:
      *state += Normal(random);
      return Value::Float(*state);
    default:
      *state = std::clamp(*state + Normal(random), 0.0, 100.0);
      return kind == kIntegerWalk ? Value::Integer(static_cast<int64_t>(*state))
                                  : Value::Float(std::round(*state * 100) / 100);
  }
}

std::vector<CellColumns> RowsOf(int64_t kind) {
  Random random(20260101);
  std::vector<CellColumns> rows(kRows);
  for (CellColumns& row : rows) {
    double state = random.Fraction() * 100;
    for (uint32_t step_ms = 0; step_ms < kQualifierSpanMs; step_ms += kStepMs) {
      const bool is_ms = kind == kJitter;
      const uint32_t offset_ms =
          is_ms ? step_ms + 500 + static_cast<uint32_t>(50 * (Normal(&random) + 6)) : step_ms;
      const Value value = NextValue(kind, &random, &state);
      row.push_back({.offset_ms = offset_ms, .is_ms = is_ms, .flags = ValueFlags(value)}, value);
    }
  }
  return rows;
}

using Encoder = void (*)(const CellColumns&, std::string*);

std::vector<std::string> CellsOf(const std::vector<CellColumns>& rows, Encoder encoder) {
  std::vector<std::string> cells(rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    encoder(rows[i], &cells[i]);
  return cells;
}

void Report(const std::vector<CellColumns>& rows,
            const std::vector<std::string>& cells,
            benchmark::State* state) {
  size_t points = 0;
  size_t bytes = 0;
  for (const CellColumns& row : rows)
    points += row.size();
  for (const std::string& cell : cells)
    bytes += cell.size();
  state->SetLabel(kKindNames[state->range(0)]);
  state->SetItemsProcessed(state->iterations() * static_cast<int64_t>(points));
  state->counters["bytes_per_point"] = static_cast<double>(bytes) / static_cast<double>(points);
}

void Encode(benchmark::State& state, Encoder encoder) {
  const std::vector<CellColumns> rows = RowsOf(state.range(0));
  std::vector<std::string> cells(rows.size());
  for (auto _ : state) {
    for (size_t i = 0; i < rows.size(); ++i) {
      cells[i].clear();
      encoder(rows[i], &cells[i]);
    }
    benchmark::ClobberMemory();
  }
  HOURCELL_CHECK(cells == CellsOf(rows, encoder));
  Report(rows, cells, &state);
}

void Decode(benchmark::State& state, Encoder encoder) {
  const std::vector<CellColumns> rows = RowsOf(state.range(0));
  const std::vector<std::string> cells = CellsOf(rows, encoder);
  CellColumns columns;
  for (auto _ : state) {
    for (const std::string& cell : cells) {
      columns.clear();
      HOURCELL_CHECK(DecodeCell(cell, &columns).ok());
    }
    benchmark::ClobberMemory();
  }
  HOURCELL_CHECK(columns == rows.back());
  Report(rows, cells, &state);
}

void BM_Pack(benchmark::State& state) {
  Encode(state, AppendPackedCell);
}
void BM_EncodeOpenTsdb(benchmark::State& state) {
  Encode(state, AppendCell);
}
void BM_Unpack(benchmark::State& state) {
  Decode(state, AppendPackedCell);
}
void BM_DecodeOpenTsdb(benchmark::State& state) {
  Decode(state, AppendCell);
}

void BM_ReadSummary(benchmark::State& state) {
  const std::vector<CellColumns> rows = RowsOf(state.range(0));
  const std::vector<std::string> cells = CellsOf(rows, AppendPackedCell);
  std::optional<CellSummary> summary;
  for (auto _ : state) {
    for (const std::string& cell : cells)
      summary = ReadCellSummary(cell).value();
    benchmark::DoNotOptimize(summary);
  }
  HOURCELL_CHECK(summary == Summarize(rows.back()));
  Report(rows, cells, &state);
}

// An hour in cells of ten points, typical of a series sealed often, merged into one.
void Merge(benchmark::State& state, Encoder of_first) {
  constexpr size_t kCellPoints = 10;
  const CellColumns row = RowsOf(state.range(0)).front();
  std::vector<std::string> cells;
  for (size_t i = 0; i < row.size(); i += kCellPoints) {
    CellColumns part;
    for (size_t k = i; k < std::min(i + kCellPoints, row.size()); ++k)
      part.push_back(row.qualifier(k), row.value(k));
    cells.emplace_back();
    (i == 0 ? of_first : AppendCell)(part, &cells.back());
  }
  const std::vector<std::string_view> operands(cells.begin(), cells.end());
  std::string merged;
  for (auto _ : state) {
    MergeCells("", operands, &merged);
    benchmark::DoNotOptimize(merged);
  }
  std::string want;
  of_first(row, &want);
  HOURCELL_CHECK(merged == want);
  Report({row}, {merged}, &state);
}

void BM_MergePacked(benchmark::State& state) {
  Merge(state, AppendPackedCell);
}
void BM_MergeOpenTsdb(benchmark::State& state) {
  Merge(state, AppendCell);
}

BENCHMARK(BM_Pack)->DenseRange(0, kKinds - 1);
BENCHMARK(BM_Unpack)->DenseRange(0, kKinds - 1);
BENCHMARK(BM_ReadSummary)->DenseRange(0, kKinds - 1);
BENCHMARK(BM_EncodeOpenTsdb)->DenseRange(0, kKinds - 1);
BENCHMARK(BM_DecodeOpenTsdb)->DenseRange(0, kKinds - 1);
BENCHMARK(BM_MergePacked)->DenseRange(0, kKinds - 1);
BENCHMARK(BM_MergeOpenTsdb)->DenseRange(0, kKinds - 1);

}  // namespace
}  // namespace hourcell

BENCHMARK_MAIN();
