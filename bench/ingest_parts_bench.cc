// The cost of each part of ingestion: finding the series of a line, the open hour, the section of
// the journal's block, a lane, the journal, a whole batch into a store, and sealing. The data is
// that of TSBS's cpu-only load: ten tags, 10 s step.
//
//   ingest_parts_bench --benchmark_filter=Lane
//
// Files are made under $TMPDIR; if it is not set, in memory (/dev/shm) if there is room.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "codec/limits.h"
#include "codec/point.h"
#include "engine/hours/journal_payload.h"
#include "engine/hours/lane.h"
#include "engine/hours/open_hour_points.h"
#include "engine/hours/series_cache.h"
#include "engine/journal/file_journal.h"
#include "engine/tsdb.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr uint64_t kSeed = 20260101;
constexpr size_t kBatch = 1000;
constexpr int64_t kStartS = 1704067200;  // a full hour
constexpr uint32_t kStepMs = 10'000;
constexpr size_t kHourPoints = kQualifierSpanMs / kStepMs;

enum ValueKind : int64_t { kInteger = 0, kTwoDecimals = 1, kFullMantissa = 2 };
constexpr const char* kValueNames[] = {"integer", "two_decimals", "full_mantissa"};

double Normal(Random* random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += random->Fraction();
  return sum;
}

// A walk within 0..100 by steps of about N(0, 1), shown as a gauge of the kind.
class Gauge {
 public:
  Gauge(int64_t kind, uint64_t seed) : kind_(kind), random_(seed), at_(random_.Fraction() * 100) {}

  Value Next() {
    at_ = std::clamp(at_ + Normal(&random_), 0.0, 100.0);
    if (kind_ == kInteger) return Value::Integer(static_cast<int64_t>(at_));
    return Value::Float(kind_ == kTwoDecimals ? std::round(at_ * 100) / 100 : at_);
  }

 private:
  const int64_t kind_;
  Random random_;
  double at_;
};

std::vector<Value> ValuesOf(int64_t kind, size_t count) {
  Gauge gauge(kind, kSeed);
  std::vector<Value> values(count);
  std::generate(values.begin(), values.end(), [&gauge] { return gauge.Next(); });
  return values;
}

// The tags of host `i` in the text of a line; about 180 bytes with a metric.
std::string TagsOf(size_t i) {
  return fmt::format(
      "host=host_{} region=ap-southeast-1 datacenter=ap-southeast-1b rack={} os=Ubuntu16.04LTS "
      "arch=x64 team=NYC service={} service_version=0 service_environment=production",
      i, i % 100, i % 20);
}

constexpr std::string_view kMetrics[] = {
    "cpu.usage_user",   "cpu.usage_system",    "cpu.usage_idle",    "cpu.usage_nice",
    "cpu.usage_iowait", "cpu.usage_irq",       "cpu.usage_softirq", "cpu.usage_steal",
    "cpu.usage_guest",  "cpu.usage_guest_nice"};

// A point of each series in a collector's order: host by host. Each has separate text, as in a read
// buffer.
struct SeriesLines {
  explicit SeriesLines(size_t series) {
    texts.reserve(series);  // the points borrow from them
    for (size_t i = 0; i < series; ++i) {
      texts.push_back(TagsOf(i / std::size(kMetrics)));
      points.push_back({.metric = kMetrics[i % std::size(kMetrics)],
                        .tags = texts.back(),
                        .timestamp = {.ms = kStartS * 1000},
                        .value = Value::Integer(static_cast<int64_t>(i % 100))});
    }
  }
  SeriesLines(const SeriesLines&) = delete;
  SeriesLines& operator=(const SeriesLines&) = delete;

  std::vector<std::string> texts;
  std::vector<LinePoint> points;
};

void SetPoints(benchmark::State& state, size_t points_an_iteration) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(points_an_iteration));
}

// ---- the series of a line

// Hash and lookup of a batch, as in Points::Append.
void BM_SeriesCacheHit(benchmark::State& state) {
  const auto series = static_cast<size_t>(state.range(0));
  const auto lines = std::make_unique<SeriesLines>(series);
  SeriesCache cache(size_t{1} << 30);
  for (size_t i = 0; i < series; ++i) {
    cache.Insert(SpellingOf(lines->points[i]), {.number = i + 1}, cache.epoch());
  }
  std::vector<Spelling> spellings(kBatch);
  std::vector<CachedSeries> found(kBatch);
  size_t begin = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < kBatch; ++i)
      spellings[i] = SpellingOf(lines->points[begin + i]);
    cache.FindAll(spellings, found);
    HOURCELL_CHECK(found.front().number == begin + 1 && found.back().number == begin + kBatch);
    begin = (begin + kBatch) % series;
  }
  HOURCELL_CHECK(cache.misses() == 0 && cache.evictions() == 0 && cache.size() == series);
  SetPoints(state, kBatch);
  state.counters["bytes_per_series"] =
      static_cast<double>(cache.bytes()) / static_cast<double>(series);
}
BENCHMARK(BM_SeriesCacheHit)->ArgName("series")->Arg(1'000)->Arg(10'000)->Arg(1'000'000);

// ---- the open hour

constexpr size_t kHours = 100;

// Hours that get points in turn, as from a collector.
std::vector<OpenHourPoints> StreamsOf(const std::vector<Value>& values) {
  std::vector<OpenHourPoints> streams(kHours);
  for (size_t at = 0; at < kHourPoints; ++at) {
    for (size_t i = 0; i < kHours; ++i) {
      streams[i].Append(static_cast<uint32_t>(at) * kStepMs, /*is_ms=*/false,
                        values[i * kHourPoints + at]);
    }
  }
  return streams;
}

void CheckStream(const OpenHourPoints& stream, std::span<const Value> want) {
  CellColumns columns;
  stream.DecodeTo(&columns);
  HOURCELL_CHECK(stream.ascends() && columns.size() == want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    HOURCELL_CHECK(columns.offset_ms[i] == i * kStepMs);
    HOURCELL_CHECK(columns.value(i).ToDouble() == want[i].ToDouble());
  }
}

void ReportStreams(benchmark::State& state, const std::vector<OpenHourPoints>& streams) {
  size_t bytes = 0;
  for (const OpenHourPoints& stream : streams)
    bytes += stream.bytes();
  state.SetLabel(kValueNames[state.range(0)]);
  SetPoints(state, kHours * kHourPoints);
  state.counters["bytes_per_point"] =
      static_cast<double>(bytes) / static_cast<double>(kHours * kHourPoints);
}

void BM_OpenHourPointsAppend(benchmark::State& state) {
  const std::vector<Value> values = ValuesOf(state.range(0), kHours * kHourPoints);
  std::vector<OpenHourPoints> streams;
  for (auto _ : state) {
    streams = StreamsOf(values);
    benchmark::DoNotOptimize(streams.data());
  }
  CheckStream(streams.back(), std::span(values).last(kHourPoints));
  ReportStreams(state, streams);
}
BENCHMARK(BM_OpenHourPointsAppend)->ArgName("value")->DenseRange(kInteger, kFullMantissa);

void BM_OpenHourPointsDecode(benchmark::State& state) {
  const std::vector<Value> values = ValuesOf(state.range(0), kHours * kHourPoints);
  const std::vector<OpenHourPoints> streams = StreamsOf(values);
  CellColumns columns;
  for (auto _ : state) {
    for (const OpenHourPoints& stream : streams) {
      columns.clear();
      stream.DecodeTo(&columns);
      HOURCELL_CHECK(columns.size() == kHourPoints);
    }
    benchmark::ClobberMemory();
  }
  CheckStream(streams.back(), std::span(values).last(kHourPoints));
  ReportStreams(state, streams);
}
BENCHMARK(BM_OpenHourPointsDecode)->ArgName("value")->DenseRange(kInteger, kFullMantissa);

// ---- the journal's payload

constexpr size_t kLogPoints = 10 * kBatch;

// Ten rounds of a thousand series.
void WriteLog(const std::vector<Value>& values, JournalPayloadWriter* writer) {
  for (size_t i = 0; i < kLogPoints; ++i) {
    const auto round = static_cast<int64_t>(i / kBatch);
    writer->Add(i % kBatch + 1, {.ms = kStartS * 1000 + round * kStepMs}, values[i]);
  }
}

void ReportLog(benchmark::State& state, size_t bytes) {
  state.SetLabel(kValueNames[state.range(0)]);
  SetPoints(state, kLogPoints);
  state.counters["bytes_per_point"] = static_cast<double>(bytes) / static_cast<double>(kLogPoints);
}

// Reads a whole payload: the number of points, and the sum of their series' numbers.
struct LogSums {
  size_t points = 0;
  uint64_t numbers = 0;
  friend bool operator==(const LogSums&, const LogSums&) = default;
};
constexpr LogSums kWantSums = {kLogPoints, kLogPoints / kBatch*(kBatch*(kBatch + 1) / 2)};

LogSums ReadLog(std::string_view payload) {
  LogSums sums;
  JournalPayloadReader reader(payload);
  JournalPayloadReader::Event event;
  while ((event = reader.Next()) == JournalPayloadReader::Event::kPoint) {
    ++sums.points;
    sums.numbers += reader.series();
  }
  HOURCELL_CHECK(event == JournalPayloadReader::Event::kEnd);
  return sums;
}

void BM_PointLogWrite(benchmark::State& state) {
  const std::vector<Value> values = ValuesOf(state.range(0), kLogPoints);
  JournalPayloadWriter writer;
  for (auto _ : state) {
    writer.Clear();
    WriteLog(values, &writer);
    benchmark::DoNotOptimize(writer.bytes().data());
  }
  const std::string payload = std::string(kPayloadWithoutDefinitions).append(writer.bytes());
  HOURCELL_CHECK(ReadLog(payload) == kWantSums);
  ReportLog(state, payload.size());
}
BENCHMARK(BM_PointLogWrite)->ArgName("value")->DenseRange(kInteger, kFullMantissa);

void BM_PointLogRead(benchmark::State& state) {
  JournalPayloadWriter writer;
  WriteLog(ValuesOf(state.range(0), kLogPoints), &writer);
  const std::string payload = std::string(kPayloadWithoutDefinitions).append(writer.bytes());
  for (auto _ : state)
    HOURCELL_CHECK(ReadLog(payload) == kWantSums);
  ReportLog(state, payload.size());
}
BENCHMARK(BM_PointLogRead)->ArgName("value")->DenseRange(kInteger, kFullMantissa);

// ---- a lane

// Points of series 1 to `series` in turn, a batch at a time, the next instant after each round.
class PlacedRounds {
 public:
  PlacedRounds(Lane* lane, size_t series) : lane_(lane), slots_(series), batch_(kBatch) {
    for (size_t i = 0; i < series; ++i)
      slots_[i] = lane->Attach(i + 1, nullptr);
  }

  std::span<PlacedPoint> Next() {
    const int64_t ms = kStartS * 1000 + static_cast<int64_t>(rounds_) * kStepMs;
    for (size_t i = 0; i < kBatch; ++i) {
      batch_[i] = {.series = at_ + i + 1,
                   .slot = slots_[at_ + i],
                   .time = {.ms = ms},
                   .value = Value::Integer(static_cast<int64_t>((i * 7 + rounds_) % 100))};
    }
    at_ = (at_ + kBatch) % slots_.size();
    if (at_ == 0) ++rounds_;
    return batch_;
  }

  size_t rounds() const { return rounds_; }
  bool is_round_begin() const { return at_ == 0; }

  // Checks that all points of the first series are in the hours.
  void Check() const {
    size_t points = 0;
    lane_->Read(1, 0, UINT64_MAX, /*pinned_at=*/0,
                [&points](uint32_t, const CellColumns& columns) { points += columns.size(); });
    HOURCELL_CHECK(points == rounds_ + (is_round_begin() ? 0 : 1));
  }

 private:
  Lane* const lane_;
  std::vector<uint32_t> slots_;
  std::vector<PlacedPoint> batch_;
  size_t at_ = 0;
  size_t rounds_ = 0;
};

// Open hour and journal section together; each batch is a block of the journal.
void BM_LaneAppend(benchmark::State& state) {
  const auto series = static_cast<size_t>(state.range(0));
  Lane lane;
  PlacedRounds rounds(&lane, series);
  JournalPayloadWriter log;
  int64_t bytes = 0;
  uint64_t next_block = 1;
  const auto append_batch = [&] {
    lane.Append(rounds.Next(), static_cast<uint32_t>(kStartS), &bytes);
    log.Clear();
    lane.TakeLog(++next_block, &log);
  };
  do
    append_batch();  // opens the hours
  while (!rounds.is_round_begin());
  const int64_t opened_bytes = bytes;
  for (auto _ : state)
    append_batch();
  HOURCELL_CHECK(!log.bytes().empty() && lane.series() == series);
  rounds.Check();
  SetPoints(state, kBatch);
  state.counters["bytes_per_opened_hour"] =
      static_cast<double>(opened_bytes) / static_cast<double>(series);
}
BENCHMARK(BM_LaneAppend)->ArgName("series")->Arg(1'000)->Arg(10'000)->Arg(1'000'000);

// ---- the journal

std::string BlockOf(size_t bytes) {
  Random random(kSeed);
  std::string block(bytes, '\0');
  for (char& byte : block)
    byte = static_cast<char>(random.Next());
  return block;
}

std::unique_ptr<Journal> MustOpenJournal(const TempDir& directory) {
  auto journal = FileJournal::Open({.directory = directory.file("journal")});
  HOURCELL_CHECK(journal.ok());
  return *std::move(journal);
}

void MustWrite(Journal* journal, std::string_view block) {
  HOURCELL_CHECK(journal->Write({&block, 1}).ok());
}

// Writes to the operating system, not to the disk: the cost of a block in the modes `never` and
// `interval`.
void BM_JournalWrite(benchmark::State& state) {
  constexpr uint64_t kBytesMax = 256 << 20;
  const TempDir directory;
  const auto journal = MustOpenJournal(directory);
  const std::string block = BlockOf(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    MustWrite(journal.get(), block);
    if (journal->bytes() < kBytesMax) continue;
    state.PauseTiming();
    HOURCELL_CHECK(journal->DeleteBelow(journal->next_sequence()).ok());
    state.ResumeTiming();
  }
  HOURCELL_CHECK(journal->next_sequence() == static_cast<uint64_t>(state.iterations()) + 1);
  HOURCELL_CHECK(journal->Close().ok());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_JournalWrite)->ArgName("bytes")->Arg(8 << 10)->Arg(64 << 10);

void BM_JournalReplay(benchmark::State& state) {
  constexpr size_t kBytes = 64 << 20;
  const TempDir directory;
  const auto journal = MustOpenJournal(directory);
  const std::string block = BlockOf(static_cast<size_t>(state.range(0)));
  for (size_t bytes = 0; bytes < kBytes; bytes += block.size())
    MustWrite(journal.get(), block);
  for (auto _ : state) {
    size_t bytes = 0;
    const auto visit = [&bytes](uint64_t, std::string_view payload) {
      bytes += payload.size();
      return absl::OkStatus();
    };
    HOURCELL_CHECK(journal->Replay(0, visit).ok());
    HOURCELL_CHECK(bytes == kBytes);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kBytes));
}
BENCHMARK(BM_JournalReplay)
    ->ArgName("bytes")
    ->Arg(8 << 10)
    ->Arg(64 << 10)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

// ---- a store

std::unique_ptr<Tsdb> MustOpenStore(const TempDir& directory) {
  Options options;
  options.path = directory.file("store");
  options.seal_in_background = false;
  auto tsdb = Tsdb::Open(options);
  HOURCELL_CHECK(tsdb.ok());
  return *std::move(tsdb);
}

// All series at one instant, in batches; waits for each.
class StoreRounds {
 public:
  StoreRounds(Tsdb* tsdb, size_t series) : tsdb_(tsdb), lines_(series) {}

  void AppendBatch() {
    const auto batch = std::span(lines_.points).subspan(at_, kBatch);
    for (LinePoint& point : batch) {
      point.timestamp.ms = time_ms_;
      point.value = Value::Integer((point.value.integer() * 5 + 3) % 101);
    }
    HOURCELL_CHECK(tsdb_->points().Append(batch, &refused_).Wait().ok());
    HOURCELL_CHECK(refused_.empty());
    points_ += kBatch;
    at_ = (at_ + kBatch) % lines_.points.size();
    if (at_ == 0) time_ms_ += kStepMs;
  }

  void AppendRound() {
    do
      AppendBatch();
    while (at_ != 0);
  }

  // Checks that every point is found again.
  void Check() const {
    size_t found = 0;
    const auto visit = [&found](const ScannedRow& row) {
      found += row.times.size();
      return true;
    };
    HOURCELL_CHECK(tsdb_->queries().Scan({}, visit).ok());
    HOURCELL_CHECK(found == points_);
  }

 private:
  Tsdb* const tsdb_;
  SeriesLines lines_;
  std::vector<RefusedPoint> refused_;
  size_t at_ = 0;
  size_t points_ = 0;
  int64_t time_ms_ = kStartS * 1000;
};

void BM_Append(benchmark::State& state) {
  const auto series = static_cast<size_t>(state.range(0));
  const TempDir directory;
  const auto tsdb = MustOpenStore(directory);
  StoreRounds rounds(tsdb.get(), series);
  rounds.AppendRound();  // creates the series
  for (auto _ : state)
    rounds.AppendBatch();
  rounds.Check();
  HOURCELL_CHECK(tsdb->Close().ok());
  SetPoints(state, kBatch);
}
BENCHMARK(BM_Append)
    ->ArgName("series")
    ->Arg(1'000)
    ->Arg(10'000)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

// Open hours of 360 points into cells. Items are cells.
void BM_Seal(benchmark::State& state) {
  const auto series = static_cast<size_t>(state.range(0));
  const TempDir directory;
  const auto tsdb = MustOpenStore(directory);
  StoreRounds rounds(tsdb.get(), series);
  for (auto _ : state) {
    state.PauseTiming();
    for (size_t i = 0; i < kHourPoints; ++i)
      rounds.AppendRound();
    state.ResumeTiming();
    HOURCELL_CHECK(tsdb->maintenance().Seal().ok());
  }
  const auto cells = state.iterations() * state.range(0);
  HOURCELL_CHECK(tsdb->stats().counter("seal.points")->value() ==
                 static_cast<uint64_t>(cells) * kHourPoints);
  rounds.Check();
  HOURCELL_CHECK(tsdb->Close().ok());
  state.SetItemsProcessed(cells);
}
BENCHMARK(BM_Seal)
    ->ArgName("hours")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace hourcell

BENCHMARK_MAIN();
