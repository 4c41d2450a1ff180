// The cost of a series as the number of series grows: for each power of ten, a child process makes
// a store, brings it to rest, closes and reopens it, and queries one series among all. Prints a
// table with the exponent of each column, and draws it.
//
//   series_curve --most=1000000 --svg=DIR
//
// Ten metrics; a tag `host` with a value for each ten series and a tag `rack` with a hundred
// values. bench/README.md explains the columns.

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/number_arguments.h"
#include "bench/process_memory.h"
#include "codec/base/check.h"
#include "codec/point.h"
#include "engine/query.h"
#include "engine/query/last_query.h"
#include "engine/tsdb.h"
#include "server/plot/figure.h"
#include "server/plot/output/write_figure.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr std::string_view kUsage = R"(usage: series_curve [option...]
  --least=1000      series of the first store
  --most=1000000    of the last one; ten times as many from store to store
  --points=3        of each series, a minute apart
  --svg=DIR         writes series-costs.svg and series-times.svg there
)";

constexpr int64_t kStartMs = 1704067200000;  // a full hour
constexpr int64_t kStepMs = 60'000;
constexpr uint64_t kMetrics = 10;
constexpr uint64_t kRacks = 100;

// For room for new series: on a busy machine the default is too short for ten million series.
constexpr int64_t kWaitMs = 600'000;

struct Settings {
  uint64_t least = 1000;
  uint64_t most = 1'000'000;
  uint64_t points = 3;
  std::string svg;
};

// The measurements of one store. A plain struct, as it is sent through a pipe.
struct Costs {
  double series = 0;
  // Per series.
  double make_us = 0;     // processor time, of its points, sealing and merging included
  double peak_bytes = 0;  // of anonymous memory, above an empty process', while they are made
  double disk_bytes = 0;
  double open_us = 0;     // of the whole open, of a store that was closed
  double open_bytes = 0;  // of anonymous memory, above an empty process', after it
  // Of one call, processor time in microseconds.
  double query_us = 0;
  double last_us = 0;
  double lookup_us = 0;
  double suggest_us = 0;
};

struct Column {
  std::string_view name;
  double Costs::* field;
  bool is_of_a_call;
};
constexpr Column kColumns[] = {
    {"make, us", &Costs::make_us, false},       {"peak, bytes", &Costs::peak_bytes, false},
    {"disk, bytes", &Costs::disk_bytes, false}, {"open, us", &Costs::open_us, false},
    {"open, bytes", &Costs::open_bytes, false}, {"query, us", &Costs::query_us, true},
    {"last, us", &Costs::last_us, true},        {"lookup, us", &Costs::lookup_us, true},
    {"suggest, us", &Costs::suggest_us, true}};

double ProcessorSeconds() {
  timespec now{};
  HOURCELL_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Processor time of one call, in microseconds: the median of several turns, each with enough calls
// for the resolution of the clock.
double TimeOfACall(const std::function<void()>& call) {
  constexpr int kTurns = 9;
  constexpr int kCalls = 50;
  call();
  std::array<double, kTurns> turns{};
  for (double& turn : turns) {
    const double begin = ProcessorSeconds();
    for (int i = 0; i < kCalls; ++i)
      call();
    turn = (ProcessorSeconds() - begin) * 1e6 / kCalls;
  }
  std::ranges::nth_element(turns, turns.begin() + kTurns / 2);
  return turns[kTurns / 2];
}

double AnonBytes() {
  return ProcessMib(getpid(), "RssAnon:") * 0x1p20;
}

double BytesUnder(const std::string& path) {
  double bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
  }
  return bytes;
}

std::unique_ptr<Tsdb> MustOpen(const std::string& path) {
  Options options;
  options.path = path;
  auto opened = Tsdb::Open(options);
  HOURCELL_CHECK(opened.ok());
  return *std::move(opened);
}

std::string MetricOf(uint64_t series) {
  return fmt::format("curve.metric_{}", series % kMetrics);
}
std::string TagsOf(uint64_t series) {
  const uint64_t host = series / kMetrics;
  return fmt::format("host=host_{} rack=rack_{}", host, host % kRacks);
}

void PutAll(Tsdb* tsdb, const Settings& settings, uint64_t series, double* peak) {
  constexpr uint64_t kBatch = 1000;
  std::vector<std::string> metrics(kBatch);
  std::vector<std::string> tags(kBatch);
  std::vector<LinePoint> batch;
  for (uint64_t step = 0; step < settings.points; ++step) {
    for (uint64_t first = 0; first < series; first += kBatch) {
      batch.clear();
      for (uint64_t i = first; i < std::min(series, first + kBatch); ++i) {
        metrics[i - first] = MetricOf(i);
        tags[i - first] = TagsOf(i);
        batch.push_back({.metric = metrics[i - first],
                         .tags = tags[i - first],
                         .timestamp = {.ms = kStartMs + static_cast<int64_t>(step) * kStepMs},
                         .value = Value::Integer(static_cast<int64_t>(i + step))});
      }
      std::vector<RefusedPoint> refused;
      const AppendOptions options{.wait_ms = kWaitMs};
      HOURCELL_CHECK(tsdb->points().Append(batch, &refused, options).Wait().ok());
      HOURCELL_CHECK(refused.empty());
      if (first % (100 * kBatch) == 0) *peak = std::max(*peak, AnonBytes());
    }
  }
  *peak = std::max(*peak, AnonBytes());
}

void Make(const Settings& settings, const std::string& path, Costs* costs) {
  const double empty = AnonBytes();
  double peak = 0;
  const double begin = ProcessorSeconds();
  const auto tsdb = MustOpen(path);
  PutAll(tsdb.get(), settings, static_cast<uint64_t>(costs->series), &peak);
  HOURCELL_CHECK(tsdb->maintenance().Compact().ok());
  peak = std::max(peak, AnonBytes());
  HOURCELL_CHECK(tsdb->Close().ok());
  costs->make_us = (ProcessorSeconds() - begin) * 1e6 / costs->series;
  costs->peak_bytes = (peak - empty) / costs->series;
  costs->disk_bytes = BytesUnder(path) / costs->series;
}

QuerySpec OneSeries(uint64_t series) {
  QuerySpec spec;
  spec.start_ms = kStartMs;
  spec.end_ms = kStartMs + 3'600'000 - 1;
  spec.queries.push_back({.aggregator = Aggregator::kSum,
                          .metric = MetricOf(series),
                          .filters = {{"host", FilterType::kLiteralOr,
                                       fmt::format("host_{}", series / kMetrics), false}},
                          .downsample = {},
                          .rate = {}});
  return spec;
}

void Ask(const Settings& settings, const std::string& path, Costs* costs) {
  const double empty = AnonBytes();
  const double begin = ProcessorSeconds();
  const auto tsdb = MustOpen(path);
  costs->open_us = (ProcessorSeconds() - begin) * 1e6 / costs->series;
  costs->open_bytes = (AnonBytes() - empty) / costs->series;

  // Other series in turn, so that a call does not find only the cache entries of the call before.
  const auto count = static_cast<uint64_t>(costs->series);
  uint64_t at = 0;
  const auto next = [&at, count] { return at = (at + 7919) % count; };
  costs->query_us = TimeOfACall([&] {
    const absl::StatusOr<QueryResult> result = tsdb->queries().Query(OneSeries(next()));
    HOURCELL_CHECK(result.ok() && result->series.size() == 1);
    HOURCELL_CHECK(result->series[0].points.size() == settings.points);
  });
  costs->last_us = TimeOfACall([&] {
    const uint64_t series = next();
    const LastQuery query{
        .queries = {{.metric = MetricOf(series),
                     .tags = {{"host", fmt::format("host_{}", series / kMetrics)}}}}};
    uint64_t found = 0;
    HOURCELL_CHECK(tsdb->queries().LastPoints(query, [&](const LastPoint&) { ++found; }).ok());
    HOURCELL_CHECK(found == 1);
  });
  costs->lookup_us = TimeOfACall([&] {
    const LookupQuery query{
        .metric = "*", .tags = {{"host", fmt::format("host_{}", next() / kMetrics)}}, .limit = 10};
    const auto found = tsdb->queries().LookupSeries(query, [](const FoundSeries&) { return true; });
    HOURCELL_CHECK(found.ok() && *found == kMetrics);
  });
  costs->suggest_us = TimeOfACall([&] {
    const auto found =
        tsdb->names().Suggest(UidKind::kTagv, fmt::format("host_{}", next() / kMetrics), 10);
    HOURCELL_CHECK(found.ok() && !found->empty());
  });
  HOURCELL_CHECK(tsdb->Close().ok());
}

// Runs `work` on `*costs` in a child, so that it leaves no memory in the next measurement.
void InAChild(const std::function<void()>& work, Costs* costs) {
  std::array<int, 2> ends{};
  HOURCELL_CHECK(pipe(ends.data()) == 0);
  const pid_t child = fork();
  HOURCELL_CHECK(child >= 0);
  if (child == 0) {
    work();
    HOURCELL_CHECK(write(ends[1], costs, sizeof(*costs)) == sizeof(*costs));
    _exit(0);
  }
  int status = 0;
  HOURCELL_CHECK(waitpid(child, &status, 0) == child && status == 0);
  HOURCELL_CHECK(read(ends[0], costs, sizeof(*costs)) == sizeof(*costs));
  HOURCELL_CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

Costs Measure(const Settings& settings, uint64_t series) {
  const TempDir directory;
  Costs costs{.series = static_cast<double>(series)};
  InAChild([&] { Make(settings, directory.path(), &costs); }, &costs);
  InAChild([&] { Ask(settings, directory.path(), &costs); }, &costs);
  return costs;
}

// The exponent with which a figure grows with the number of series, from the second last store to
// the last one: there the fixed cost of a store is small.
double Exponent(const std::vector<Costs>& curve, double Costs::* field) {
  if (curve.size() < 2) return 0;
  const Costs& last = curve.back();
  const Costs& before = curve[curve.size() - 2];
  return std::log(last.*field / before.*field) / std::log(last.series / before.series);
}

void PrintRow(const Costs& costs) {
  fmt::print("| {:.0f} |", costs.series);
  for (const Column& column : kColumns)
    fmt::print(" {:.{}f} |", costs.*column.field, costs.*column.field < 10 ? 2 : 0);
  fmt::print("\n");
  std::fflush(stdout);
}

void PrintHead() {
  fmt::print("| series |");
  for (const Column& column : kColumns)
    fmt::print(" {} |", column.name);
  fmt::print("\n|--:|");
  for (size_t i = 0; i < std::size(kColumns); ++i)
    fmt::print("--:|");
  fmt::print("\n");
}

void Draw(const std::vector<Costs>& curve, bool is_of_a_call, const std::string& path) {
  plot::Figure figure{
      .kind = plot::FigureKind::kLines,
      .title = is_of_a_call ? "One call, by the number of series in the store"
                            : "What each series costs, by their number",
      .x = {.title = "series", .is_log = true},
      .y = {.title = is_of_a_call ? "processor time, us" : "of each series", .is_log = true}};
  for (const Column& column : kColumns) {
    if (column.is_of_a_call != is_of_a_call) continue;
    plot::Series line{.name = std::string(column.name)};
    for (const Costs& costs : curve) {
      line.x.push_back(costs.series);
      line.y.push_back(costs.*column.field);
    }
    figure.series.push_back(std::move(line));
  }
  const absl::Status status = plot::WriteSvg(figure, path);
  if (!status.ok()) fmt::print(stderr, "series_curve: {}\n", status.ToString());
}

bool ParseArguments(int argc, char** argv, Settings* settings) {
  const NumberArgument known[] = {{.name = "--least", .field = &settings->least, .least = 100},
                                  {.name = "--most", .field = &settings->most, .least = 100},
                                  {.name = "--points", .field = &settings->points, .most = 60}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    constexpr std::string_view kSvg = "--svg=";
    if (argument.starts_with(kSvg)) {
      settings->svg = argument.substr(kSvg.size());
    } else if (!ReadNumber(argument, known)) {
      fmt::print(stderr, "series_curve: bad argument {}\n{}", argument, kUsage);
      return false;
    }
  }
  return true;
}

void Run(const Settings& settings) {
  PrintHead();
  std::vector<Costs> curve;
  for (uint64_t series = settings.least; series <= settings.most; series *= 10) {
    curve.push_back(Measure(settings, series));
    PrintRow(curve.back());
  }
  fmt::print("| exponent |");
  for (const Column& column : kColumns)
    fmt::print(" {:.2f} |", Exponent(curve, column.field));
  fmt::print("\n");
  if (settings.svg.empty()) return;
  Draw(curve, /*is_of_a_call=*/false, settings.svg + "/series-costs.svg");
  Draw(curve, /*is_of_a_call=*/true, settings.svg + "/series-times.svg");
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  hourcell::Settings settings;
  if (!hourcell::ParseArguments(argc, argv, &settings)) return 2;
  hourcell::Run(settings);
  return 0;
}
