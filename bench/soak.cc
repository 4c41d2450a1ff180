// Days of points in minutes: each simulated day is put over telnet with time stamps that run ahead,
// queried, sealed and flushed, and the server's memory is printed. Exits with 1 if it grows.
//
//   soak --days=30
//
// bench/README.md says what the columns mean.

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
  --days=5     simulated
  --hosts=20   series are ten times as many, with a point every 10 s
)";

constexpr int64_t kDayS = 86'400;
// The first days fill caches and budgets.
constexpr size_t kWarmDays = 2;
// How much the memory of a later day may be above that of the last warm one.
constexpr double kGrowthMax = 1.1;

struct Settings {
  uint64_t days = 5;
  uint64_t hosts = 20;
};

int Run(const Settings& settings) {
  const TempDir directory;
  ServerProcess server(directory.path(),
                       {"--tsd.storage.open_hours=67108864", "--tsd.storage.series_cache=33554432",
                        "--tsd.storage.block_cache=33554432", "--tsd.storage.journal=268435456"});
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
    for (const char* const what : {"/api/admin/seal", "/api/admin/flush"})
      HOURCELL_CHECK(HttpCall(server.port(), "POST", what).status == 200);
    resident_mib.push_back(ProcessMib(server.pid(), "VmRSS:"));
    fmt::print("{:>5} {:>12} {:>10.0f} {:>14.1f} {:>10.1f} {:>9.1f}\n", day + 1, sender.sent(),
               static_cast<double>(points_a_day) / sent.count(), resident_mib.back(),
               ProcessMib(server.pid(), "VmHWM:"), asked.Percentile(50));
    std::fflush(stdout);
  }
  HOURCELL_CHECK(server.End(SIGTERM) == 0);
  if (resident_mib.size() <= kWarmDays) return 0;
  const double warm = resident_mib[kWarmDays - 1];
  const double most = *std::max_element(resident_mib.begin() + kWarmDays, resident_mib.end());
  const bool is_flat = most <= warm * kGrowthMax;
  fmt::print("after day {}: at most {:.2f} of that day's memory, {:.2f} are allowed: {}\n",
             kWarmDays, most / warm, kGrowthMax, is_flat ? "holds" : "MISSED");
  return is_flat ? 0 : 1;
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  hourcell::Settings settings;
  const hourcell::NumberArgument known[] = {{"--days", &settings.days},
                                            {"--hosts", &settings.hosts}};
  if (!hourcell::ReadNumbers(argc, argv, known, hourcell::kUsage)) return 2;
  return hourcell::Run(settings);
}
