// Days of points in minutes: puts each simulated day over telnet with time stamps that run ahead,
// queries, seals and flushes it, and prints the server's memory. Exits with 1 if it grows.
//
//   soak --days=30
//
// bench/README.md explains the fields.

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/number_arguments.h"
#include "bench/process_memory.h"
#include "codec/base/check.h"
#include "tests/http/dashboard_load.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr std::string_view kUsage = R"(usage: soak [option...]
  --days=8     simulated, 4 at least
  --hosts=20   series are ten times as many, with a point every 10 s
)";

constexpr int64_t kDayS = 86'400;
// The limit of the memory of the last quarter's days, relative to the second quarter's. The first
// fills caches and budgets; a median leaves out days during an LSM compaction.
constexpr double kGrowthMax = 1.1;

// The median of a quarter of the days; 0 is the first.
double QuarterMedian(const std::vector<double>& days, size_t quarter) {
  const size_t size = days.size() / 4;
  std::vector<double> part(days.begin() + static_cast<ptrdiff_t>(quarter * size),
                           days.begin() + static_cast<ptrdiff_t>((quarter + 1) * size));
  const auto middle = part.begin() + static_cast<ptrdiff_t>(size / 2);
  std::ranges::nth_element(part, middle);
  return *middle;
}

struct Settings {
  uint64_t days = 8;
  uint64_t hosts = 20;
};

int Run(const Settings& settings) {
  const TempDir directory;
  ServerProcess server(directory.path(),
                       {"--tsd.storage.open_hours=67108864", "--tsd.storage.series_cache=33554432",
                        "--tsd.storage.block_cache=4194304", "--tsd.storage.journal=268435456"});
  HOURCELL_CHECK(server.port() != 0);
  TelnetSender sender(server.port(), settings.hosts);
  const uint64_t points_a_day = kDayS / kDashStepS * settings.hosts * kDashMetrics;
  std::vector<double> resident_mib;
  fmt::print("{:>5} {:>12} {:>10} {:>14} {:>10} {:>9}\n", "day", "points", "points/s",
             "resident MiB", "peak MiB", "query ms");
  for (uint64_t day = 0; day < settings.days; ++day) {
    const auto begin = std::chrono::steady_clock::now();
    HOURCELL_CHECK(sender.SendNow(points_a_day));
    const std::chrono::duration<double> sent = std::chrono::steady_clock::now() - begin;
    const int64_t day_begin_s = kDashStartS + static_cast<int64_t>(day) * kDayS;
    const RequestTimes asked = RunDashboards(server.port(), {.dashboards = 4,
                                                             .rounds = 5,
                                                             .panels = 10,
                                                             .hosts = settings.hosts,
                                                             .begin_s = day_begin_s,
                                                             .end_s = day_begin_s + kDayS});
    HOURCELL_CHECK(asked.errors == 0);
    for (const char* const what : {"/api/admin/seal?wait", "/api/admin/flush?wait"})
      HOURCELL_CHECK(HttpCall(server.port(), "POST", what).status == 200);
    resident_mib.push_back(ProcessMib(server.pid(), "VmRSS:"));
    fmt::print("{:>5} {:>12} {:>10.0f} {:>14.1f} {:>10.1f} {:>9.1f}\n", day + 1, sender.sent(),
               static_cast<double>(points_a_day) / sent.count(), resident_mib.back(),
               ProcessMib(server.pid(), "VmHWM:"), asked.Percentile(50));
    std::fflush(stdout);
  }
  HOURCELL_CHECK(server.End(SIGTERM) == 0);
  const double growth = QuarterMedian(resident_mib, 3) / QuarterMedian(resident_mib, 1);
  const bool is_flat = growth <= kGrowthMax;
  fmt::print("memory of the last quarter by that of the second: {:.2f}, {:.2f} are allowed: {}\n",
             growth, kGrowthMax, is_flat ? "holds" : "MISSED");
  return is_flat ? 0 : 1;
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  hourcell::Settings settings;
  const hourcell::NumberArgument known[] = {{"--days", &settings.days},
                                            {"--hosts", &settings.hosts}};
  if (!hourcell::ReadNumbers(argc, argv, known, hourcell::kUsage)) return 2;
  if (settings.days < 4) {
    fmt::print(stderr, "--days={}: expected 4 at least\n", settings.days);
    return 2;
  }
  return hourcell::Run(settings);
}
