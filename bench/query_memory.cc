// The memory of a query over many points: fills a store in a child process, opens it, runs
// `sum:1m-sum` over the whole store and prints one line of JSON.
//
//   query_memory --series=10000 --hours=28      about 100 million points
//
// bench/README.md explains the figures.

#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/number_arguments.h"
#include "bench/query_load.h"
#include "codec/base/check.h"
#include "engine/tsdb.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr std::string_view kUsage = R"(usage: query_memory [option...]
  --series=1000    of one metric
  --hours=10       of points every 10 s
  --cache-mib=8    the block cache, which is part of what is measured
  --threads=0      that work for the query; 0: by the processors
  --group          a series of the answer for each host, in place of one in all
)";

struct Settings {
  uint64_t series = 1000;
  uint64_t hours = 10;
  uint64_t cache_mib = 8;
  uint64_t threads = 0;
  bool group = false;

  uint64_t points() const { return series * hours * kLoadHourPoints; }
};

bool ParseArgument(std::string_view argument, Settings* settings) {
  if (argument == "--group") return settings->group = true;
  const NumberArgument known[] = {{"--series", &settings->series},
                                  {"--hours", &settings->hours},
                                  {"--cache-mib", &settings->cache_mib},
                                  {.name = "--threads", .field = &settings->threads, .least = 0}};
  return ReadNumber(argument, known);
}

// A line of /proc/self/status in MiB.
double StatusMib(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(field)) continue;
    const size_t digits = line.find_first_of("0123456789");
    uint64_t kib = 0;
    std::from_chars(line.data() + digits, line.data() + line.size(), kib);
    return static_cast<double>(kib) / 1024;
  }
  HOURCELL_CHECK(false);
}

// Resets VmHWM, the peak, to the present use.
void ForgetPeak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::unique_ptr<Tsdb> MustOpen(const Settings& settings, const std::string& path) {
  Options options;
  options.path = path;
  options.sync = Durability::kNever;
  options.block_cache_bytes = settings.cache_mib << 20;
  options.query_threads = settings.threads;
  auto opened = Tsdb::Open(options);
  HOURCELL_CHECK(opened.ok());
  return *std::move(opened);
}

// In a child, so that it leaves no memory in this process.
void FillInAChild(const Settings& settings, const std::string& path) {
  const pid_t child = fork();
  HOURCELL_CHECK(child >= 0);
  if (child == 0) {
    const auto tsdb = MustOpen(settings, path);
    FillStore(tsdb.get(), settings.series, settings.hours * kLoadHourPoints);
    HOURCELL_CHECK(tsdb->maintenance().Compact().ok() && tsdb->Close().ok());
    _exit(0);
  }
  int status = 0;
  HOURCELL_CHECK(waitpid(child, &status, 0) == child && status == 0);
}

// Counts the results and drops them.
class CountingSink : public QuerySink {
 public:
  absl::Status OnSeries(const SeriesView& series) override {
    ++series_;
    points_ += series.points.size();
    return absl::OkStatus();
  }
  uint64_t series() const { return series_; }
  uint64_t points() const { return points_; }

 private:
  uint64_t series_ = 0;
  uint64_t points_ = 0;
};

void Measure(const Settings& settings) {
  const TempDir directory;
  FillInAChild(settings, directory.path());
  const auto tsdb = MustOpen(settings, directory.path());
  std::vector<TagFilterSpec> filters;
  if (settings.group) filters.push_back({"host", FilterType::kWildcard, "*", true});
  const QuerySpec spec =
      LoadQuery(Aggregator::kSum, "1m-sum", filters, settings.hours * kLoadHourPoints);
  // An idle store has already answered a query.
  HOURCELL_CHECK(tsdb->queries()
                     .Query(LoadQuery(Aggregator::kSum, "1m-sum",
                                      {{"host", FilterType::kLiteralOr, "h0", true}}, 1))
                     .ok());
  ForgetPeak();
  const double idle_mib = StatusMib("VmRSS:");

  CountingSink sink;
  QueryControl control;
  const auto begin = std::chrono::steady_clock::now();
  const absl::Status status = tsdb->queries().Query(spec, &sink, &control);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  HOURCELL_CHECK(status.ok());
  const QueryCost cost = control.cost();
  HOURCELL_CHECK(cost.points == settings.points());
  HOURCELL_CHECK(sink.series() == (settings.group ? settings.series : 1));
  HOURCELL_CHECK(sink.points() == sink.series() * settings.hours * 60);

  fmt::print(R"({{"points":{},"rows":{},"seconds":{:.3f},"points_per_s":{:.0f},)"
             R"("idle_mib":{:.1f},"peak_above_idle_mib":{:.1f},"counted_mib":{:.1f},)"
             R"("block_cache_mib":{}}})"
             "\n",
             cost.points, cost.rows, took.count(), static_cast<double>(cost.points) / took.count(),
             idle_mib, StatusMib("VmHWM:") - idle_mib, static_cast<double>(cost.memory) / 0x1p20,
             settings.cache_mib);
  HOURCELL_CHECK(tsdb->Close().ok());
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  hourcell::Settings settings;
  for (int i = 1; i < argc; ++i) {
    if (hourcell::ParseArgument(argv[i], &settings)) continue;
    fmt::print(stderr, "query_memory: bad argument {}\n{}", argv[i], hourcell::kUsage);
    return 2;
  }
  hourcell::Measure(settings);
  return 0;
}
