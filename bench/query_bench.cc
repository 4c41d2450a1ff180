// The cost of each stage of a query, and of whole queries to a store: decoding, buckets, rates,
// groups, merging, planning among many series, and a scan compared with decoding alone.
//
//   query_bench --benchmark_filter=Scan
//   HOURCELL_BENCH_SERIES=1000000 query_bench --benchmark_filter=OneOfMany
//
// Files are made under $TMPDIR; if it is not set, in memory (/dev/shm) if there is room.

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/query_load.h"
#include "codec/base/check.h"
#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/value.h"
#include "engine/query/stages/aggregate.h"
#include "engine/query/stages/downsampler.h"
#include "engine/query/stages/group_by.h"
#include "engine/query/stages/rate.h"
#include "engine/query/stages/scan_bounds.h"
#include "engine/tsdb.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr size_t kRows = 64;
constexpr size_t kDayPoints = 24 * kLoadHourPoints;

using Encoder = void (*)(const CellColumns&, std::string*);

// Of all threads of the process, so that other processes do not change a ratio of two times.
double CpuSeconds() {
  timespec time{};
  HOURCELL_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void SetPoints(benchmark::State& state, size_t points_an_iteration) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(points_an_iteration));
}

Value NextValue(bool is_integer, LoadGauge* gauge) {
  const double next = gauge->Next();
  return is_integer ? Value::Integer(static_cast<int64_t>(next)) : Value::Float(next);
}

std::vector<std::string> Cells(size_t rows, bool is_integer, Encoder encoder) {
  std::vector<std::string> cells(rows);
  LoadGauge gauge(20260101);
  for (std::string& cell : cells) {
    CellColumns row;
    for (uint32_t i = 0; i < kLoadHourPoints; ++i) {
      const Value value = NextValue(is_integer, &gauge);
      row.push_back({.offset_ms = i * static_cast<uint32_t>(kLoadStepMs),
                     .is_ms = false,
                     .flags = ValueFlags(value)},
                    value);
    }
    encoder(row, &cell);
  }
  return cells;
}

// Returns the number of decoded points.
size_t DecodeAll(const std::vector<std::string>& cells, CellColumns* columns) {
  size_t points = 0;
  for (const std::string& cell : cells) {
    columns->clear();
    HOURCELL_CHECK(DecodeCell(cell, columns).ok());
    points += columns->size();
    benchmark::ClobberMemory();
  }
  return points;
}

// Points 10 s apart, `shift_ms` off a full hour.
Span MakeSpan(size_t points, bool is_integer, uint64_t seed, int64_t shift_ms = 0) {
  LoadGauge gauge(seed);
  Span span;
  for (size_t i = 0; i < points; ++i) {
    span.push_back(kLoadStartMs + shift_ms + static_cast<int64_t>(i) * kLoadStepMs,
                   NextValue(is_integer, &gauge));
  }
  return span;
}

const char* KindName(bool is_integer) {
  return is_integer ? "integers" : "two_decimals";
}

// ---- stages

void BM_Decode(benchmark::State& state, Encoder encoder, bool is_integer) {
  const std::vector<std::string> cells = Cells(kRows, is_integer, encoder);
  CellColumns columns;
  size_t points = 0;
  for (auto _ : state)
    points = DecodeAll(cells, &columns);
  HOURCELL_CHECK(points == kRows * kLoadHourPoints);
  state.SetLabel(KindName(is_integer));
  SetPoints(state, points);
}
BENCHMARK_CAPTURE(BM_Decode, packed, AppendPackedCell, false);
BENCHMARK_CAPTURE(BM_Decode, packed_integers, AppendPackedCell, true);
BENCHMARK_CAPTURE(BM_Decode, opentsdb, AppendCell, false);
BENCHMARK_CAPTURE(BM_Decode, opentsdb_integers, AppendCell, true);

// A day of one series into buckets.
void BM_Downsample(benchmark::State& state, const char* text, bool is_integer) {
  const Span span = MakeSpan(kDayPoints, is_integer, 1);
  const auto spec = ParseDownsampleSpec(text);
  HOURCELL_CHECK(spec.ok());
  const int64_t end_ms = span.t.back();
  const QueryRange range{.start_ms = kLoadStartMs,
                         .end_ms = end_ms,
                         .scan = ComputeScanBounds(kHourSpan, kLoadStartMs, end_ms, *spec)};
  size_t buckets = 0;
  for (auto _ : state) {
    const Span out = Downsample(span, *spec, range);
    benchmark::DoNotOptimize(out.v.data());
    buckets = out.size();
  }
  HOURCELL_CHECK(static_cast<int64_t>(buckets) == 24 * 3'600'000 / spec->interval_ms);
  state.SetLabel(fmt::format("{} {}", text, KindName(is_integer)));
  SetPoints(state, span.size());
}
BENCHMARK_CAPTURE(BM_Downsample, minute_sum, "1m-sum", false);
BENCHMARK_CAPTURE(BM_Downsample, minute_avg, "1m-avg", false);
BENCHMARK_CAPTURE(BM_Downsample, minute_max, "1m-max", false);
BENCHMARK_CAPTURE(BM_Downsample, minute_p99, "1m-p99", false);
BENCHMARK_CAPTURE(BM_Downsample, hour_sum, "1h-sum", false);
BENCHMARK_CAPTURE(BM_Downsample, hour_avg, "1h-avg", false);
BENCHMARK_CAPTURE(BM_Downsample, hour_max, "1h-max", false);
BENCHMARK_CAPTURE(BM_Downsample, hour_p99, "1h-p99", false);
BENCHMARK_CAPTURE(BM_Downsample, hour_avg_integers, "1h-avg", true);

// 100 series of an hour merged; unaligned: each at different times, so that all are interpolated.
void BM_Aggregate(benchmark::State& state, Aggregator aggregator, bool aligned, bool is_integer) {
  constexpr size_t kMembers = 100;
  std::vector<Span> members;
  for (size_t i = 0; i < kMembers; ++i) {
    const auto shift_ms = aligned ? 0 : static_cast<int64_t>(i) * 97;
    members.push_back(MakeSpan(kLoadHourPoints, is_integer, i, shift_ms));
  }
  const int64_t end_ms = kLoadStartMs + 2 * 3'600'000;
  size_t times = 0;
  for (auto _ : state) {
    const auto merged = AggregateSpans(members, aggregator, /*is_rate=*/false, end_ms);
    HOURCELL_CHECK(merged.ok());
    times = merged->size();
  }
  HOURCELL_CHECK(times == (aligned ? kLoadHourPoints : kMembers * kLoadHourPoints));
  state.SetLabel(fmt::format("{} {}", AggregatorName(aggregator), KindName(is_integer)));
  SetPoints(state, kMembers * kLoadHourPoints);
}
BENCHMARK_CAPTURE(BM_Aggregate, aligned, Aggregator::kSum, true, false);
BENCHMARK_CAPTURE(BM_Aggregate, aligned_integers, Aggregator::kSum, true, true);
BENCHMARK_CAPTURE(BM_Aggregate, aligned_p99, Aggregator::kP99, true, false);
BENCHMARK_CAPTURE(BM_Aggregate, unaligned, Aggregator::kSum, false, false);

void BM_Rate(benchmark::State& state) {
  const Span span = MakeSpan(kDayPoints, /*is_integer=*/false, 1);
  size_t rates = 0;
  for (auto _ : state) {
    const Span out = Rate(span, {.counter = true});
    benchmark::DoNotOptimize(out.v.data());
    rates = out.size();
  }
  HOURCELL_CHECK(rates == kDayPoints - 1);
  SetPoints(state, span.size());
}
BENCHMARK(BM_Rate);

// 10,000 series with two tags, grouped by one tag. Items are series.
void BM_GroupBy(benchmark::State& state) {
  constexpr size_t kSeries = 10'000;
  const auto groups = static_cast<size_t>(state.range(0));
  TagsColumn series;
  std::vector<uint32_t> selected;
  for (uint32_t i = 0; i < kSeries; ++i) {
    const TagUids tags[] = {{.tagk = 1, .tagv = i % groups + 1}, {.tagk = 2, .tagv = i + 1}};
    series.push_back(tags);
    selected.push_back(i);
  }
  const Uid keys[] = {1};
  size_t made = 0;
  for (auto _ : state)
    made = GroupSeries(series, selected, keys, /*each_alone=*/false).size();
  HOURCELL_CHECK(made == groups);
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kSeries));
}
BENCHMARK(BM_GroupBy)->ArgName("groups")->Arg(1)->Arg(100)->Arg(10'000);

// ---- whole queries

struct Store {
  TempDir directory;
  std::unique_ptr<Tsdb> tsdb;
};

// The stores made, by series and points. main clears them, because RocksDB's globals are gone
// before those of this program.
std::map<std::pair<size_t, size_t>, Store>& Stores() {
  static std::map<std::pair<size_t, size_t>, Store> stores;
  return stores;
}

// The first hour of one series, whole.
void FillHour(Tsdb* tsdb, size_t host) {
  const std::string tags = fmt::format("host=h{} dc=d{}", host, host % 10);
  LoadGauge gauge(host);
  std::vector<LinePoint> points;
  for (size_t i = 0; i < kLoadHourPoints; ++i) {
    points.push_back({.metric = kLoadMetric,
                      .tags = tags,
                      .timestamp = {.ms = kLoadStartMs + static_cast<int64_t>(i) * kLoadStepMs},
                      .value = Value::Float(gauge.Next())});
  }
  std::vector<RefusedPoint> refused;
  HOURCELL_CHECK(tsdb->points().Append(points, &refused).Wait().ok());
  HOURCELL_CHECK(refused.empty() && tsdb->maintenance().Seal().ok());
}

// A sealed store with `series` series of `points` points each; made once and kept. If these are
// less than an hour, the series in the middle still has a whole hour.
Tsdb& StoreOf(size_t series, size_t points) {
  Store& store = Stores()[{series, points}];
  if (store.tsdb == nullptr) {
    Options options;
    options.path = store.directory.path();
    options.sync = Durability::kNever;
    options.query_threads = 1;
    auto opened = Tsdb::Open(options);
    HOURCELL_CHECK(opened.ok());
    store.tsdb = *std::move(opened);
    FillStore(store.tsdb.get(), series, points);
    if (points < kLoadHourPoints) FillHour(store.tsdb.get(), series / 2);
    HOURCELL_CHECK(store.tsdb->maintenance().Compact().ok());
  }
  return *store.tsdb;
}

QueryResult MustQuery(Tsdb* tsdb, const QuerySpec& spec) {
  auto result = tsdb->queries().Query(spec);
  HOURCELL_CHECK(result.ok());
  return *std::move(result);
}

// Processor seconds of the fastest of several runs.
template <typename Run>
double QuickestOf(int runs, Run run) {
  double quickest = 1e9;
  for (int i = 0; i < runs; ++i) {
    const double begin = CpuSeconds();
    run();
    quickest = std::min(quickest, CpuSeconds() - begin);
  }
  return quickest;
}

// The rows of a day of 100 series, read, bucketed and summed by one thread, with all blocks in the
// cache. `of_decode`: its points/s of processor time relative to decoding such cells alone, in the
// same run.
void BM_Scan(benchmark::State& state, const char* downsample) {
  constexpr size_t kSeries = 100;
  Tsdb& tsdb = StoreOf(kSeries, kDayPoints);
  const QuerySpec spec = LoadQuery(Aggregator::kSum, downsample, {}, kDayPoints);
  QueryResult result = MustQuery(&tsdb, spec);  // fills the cache
  HOURCELL_CHECK(result.rows_read == kSeries * 24);
  HOURCELL_CHECK(result.points_read == kSeries * kDayPoints);
  for (auto _ : state)
    result = MustQuery(&tsdb, spec);
  HOURCELL_CHECK(result.series.size() == 1 && !result.series[0].points.empty());

  const std::vector<std::string> cells =
      Cells(kSeries * 24, /*is_integer=*/false, AppendPackedCell);
  CellColumns columns;
  const double decode_s = QuickestOf(7, [&] { DecodeAll(cells, &columns); });
  const double query_s = QuickestOf(7, [&] { MustQuery(&tsdb, spec); });
  state.counters["of_decode"] = decode_s / query_s;
  SetPoints(state, kSeries * kDayPoints);
}
BENCHMARK_CAPTURE(BM_Scan, minute_sum, "1m-sum")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_Scan, hour_max, "1h-max")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_Scan, raw, nullptr)->Unit(benchmark::kMillisecond)->UseRealTime();

// BM_Scan with salted rows and two threads, each of which reads the series of whole salt buckets,
// or neighbours by tsuid, which are in all buckets. `cpu_ms`: of both threads, the best run.
void BM_SaltedScan(benchmark::State& state, const char* downsample, ReadDivision division) {
  constexpr size_t kSeries = 1000;
  constexpr size_t kHours = 12;
  constexpr size_t kPoints = kHours * kLoadHourPoints;
  Store& store = Stores()[{kSeries, kPoints}];
  if (store.tsdb == nullptr) {
    Options options;
    options.path = store.directory.path();
    options.sync = Durability::kNever;
    options.query_threads = 2;
    options.layout.salt_width = 1;
    options.presplit = "salt";
    auto opened = Tsdb::Open(options);
    HOURCELL_CHECK(opened.ok());
    store.tsdb = *std::move(opened);
    FillStore(store.tsdb.get(), kSeries, kPoints);
    HOURCELL_CHECK(store.tsdb->maintenance().Compact().ok());
  }
  QuerySpec spec = LoadQuery(Aggregator::kSum, downsample, {}, kPoints);
  spec.read_division = division;
  QueryResult result = MustQuery(store.tsdb.get(), spec);
  for (auto _ : state)
    result = MustQuery(store.tsdb.get(), spec);
  HOURCELL_CHECK(result.rows_read == kSeries * kHours && result.series.size() == 1);
  state.counters["cpu_ms"] = 1000 * QuickestOf(7, [&] { MustQuery(store.tsdb.get(), spec); });
  SetPoints(state, kSeries * kPoints);
}
BENCHMARK_CAPTURE(BM_SaltedScan, hour_max_by_bucket, "1h-max", ReadDivision::kByBucket)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_SaltedScan, hour_max_by_series, "1h-max", ReadDivision::kBySeries)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_SaltedScan, minute_sum_by_bucket, "1m-sum", ReadDivision::kByBucket)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_SaltedScan, minute_sum_by_series, "1m-sum", ReadDivision::kBySeries)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

size_t ManySeries() {
  const char* const text = std::getenv("HOURCELL_BENCH_SERIES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 20'000;
}

constexpr size_t kFewPoints = 2;

QuerySpec OneHost(size_t host) {
  return LoadQuery(Aggregator::kSum, nullptr,
                   {{.tagk = "host",
                     .type = FilterType::kLiteralOr,
                     .filter = fmt::format("h{}", host),
                     .group_by = true}},
                   kLoadHourPoints);
}

// Planning: one host of many, in an hour without a row.
void BM_PlanOneOfMany(benchmark::State& state) {
  Tsdb& tsdb = StoreOf(ManySeries(), kFewPoints);
  QuerySpec spec = OneHost(ManySeries() / 2);
  spec.start_ms += 48 * 3'600'000;
  spec.end_ms += 48 * 3'600'000;
  for (auto _ : state)
    HOURCELL_CHECK(MustQuery(&tsdb, spec).rows_read == 0);
  state.SetLabel(fmt::format("{} series", ManySeries()));
}
BENCHMARK(BM_PlanOneOfMany)->Unit(benchmark::kMicrosecond)->UseRealTime();

// An hour of one series of many. `rows`: read for the one matching row; `times_alone`: its time
// relative to the same query to a store with this series only.
void BM_OneOfMany(benchmark::State& state) {
  const size_t series = ManySeries();
  Tsdb& many = StoreOf(series, kFewPoints);
  Tsdb& alone = StoreOf(1, kFewPoints);
  const QuerySpec spec = OneHost(series / 2);
  QueryResult result;
  for (auto _ : state)
    result = MustQuery(&many, spec);
  HOURCELL_CHECK(result.series.size() == 1 && result.series[0].points.size() == kLoadHourPoints);
  const double many_s = QuickestOf(200, [&] { MustQuery(&many, spec); });
  const double alone_s = QuickestOf(200, [&] { MustQuery(&alone, OneHost(0)); });
  state.counters["rows"] = static_cast<double>(result.rows_read);
  state.counters["times_alone"] = many_s / alone_s;
  state.SetLabel(fmt::format("{} series", series));
}
BENCHMARK(BM_OneOfMany)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  hourcell::Stores().clear();
}
